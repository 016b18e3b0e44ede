use banyan_bank::catalogue;
use banyan_bank::packs::{self, Fact, Pack};
use banyan_bank::parts::{Misconception, Qa, Term};
use banyan_functions::seed::SeededRng;

use super::Filled;
use super::stock::Stock;
use crate::content::{Activities, Activity, AidText, Criterion, Guide, Rubric, Slide, Slides};
use crate::plan::AidPlan;

/// Words of a line on a slide.
pub(crate) const BULLET_WORDS: usize = 8;

/// Activities of the pack, then those of the subject's family and of any chapter.
pub(super) fn activities(aid: &AidPlan, stock: &Stock<'_>, rng: &mut SeededRng) -> Filled {
    let mut facts = stock.unknown_first(stock.facts(rng)).into_iter();
    let mut activities: Vec<Activity> = Vec::new();
    for activity in stock.pack.iter().flat_map(|pack| &pack.activities).take(aid.count) {
        activities.push(of_pack(activity, stock, &mut facts));
    }
    let known = activities.len();
    let frames = [general(stock, true), general(stock, false)];
    for frame in frames.into_iter().cycle().take(aid.count - known) {
        activities.push(frame);
    }
    Filled { text: AidText::Activities(Activities { activities }), known, slots: aid.count }
}

/// The pack's words about an activity. Where the pack has none, general words that are true anyway.
fn of_pack<'f>(
    activity: &packs::Activity,
    stock: &Stock<'_>,
    facts: &mut impl Iterator<Item = &'f Fact>,
) -> Activity {
    let frame = general(stock, true);
    let own = |lines: &[String]| (!lines.is_empty()).then(|| lines.to_vec());
    let (aim, steps, safety) = match own(&activity.steps) {
        Some(steps) => (activity.text.clone(), steps, activity.safety.clone()),
        None => {
            let pupils = (!activity.pupils.is_empty()).then(|| activity.pupils.clone());
            let last = frame.steps.iter().skip(frame.steps.len().saturating_sub(2)).cloned();
            let steps = std::iter::once(activity.text.clone()).chain(pupils).chain(last).collect();
            let of_chapter = || stock.pack.iter().flat_map(|pack| pack.safety.clone()).collect();
            (frame.aim, steps, own(&activity.safety).unwrap_or_else(of_chapter))
        }
    };
    let mut discuss = activity.discuss.clone();
    if discuss.is_empty() {
        let asked: Vec<&Fact> = facts.take(3).collect();
        stock.add_asked(&asked);
        discuss = asked.iter().map(|fact| Qa { q: fact.q.clone(), a: fact.a.clone(), check: None }).collect();
    }
    let told = !activity.expected.is_empty();
    Activity {
        title: activity.title.clone(),
        aim,
        materials: activity.materials.clone(),
        steps,
        columns: own(&activity.columns).unwrap_or(frame.columns),
        discuss,
        safety,
        expected: if told { activity.expected.clone() } else { stock.words.open.answer.clone() },
    }
}

/// The activity that fits any chapter, in the manner of the family where there is one.
fn general(stock: &Stock<'_>, of_family: bool) -> Activity {
    let frame = &stock.words.activity;
    let family = stock.words.family(stock.family).filter(|_| of_family);
    let lines = |texts: &[String]| texts.iter().map(|text| stock.about(text)).collect::<Vec<_>>();
    let question = |q: &String| Qa { q: q.clone(), a: stock.words.open.checked.clone(), check: None };
    Activity {
        title: stock.about(family.map_or(&frame.title, |family| &family.title)),
        aim: stock.about(family.map_or(&frame.aim, |family| &family.aim)),
        materials: frame.materials.clone(),
        steps: lines(family.map_or(&frame.steps, |family| &family.steps)),
        columns: family.map_or(&frame.columns, |family| &family.columns).clone(),
        discuss: frame.discuss.iter().map(question).collect(),
        safety: Vec::new(),
        expected: frame.expected.clone(),
    }
}

/// A title, what is known, key words, one slide for every idea, errors, questions, a summary.
pub(super) fn slides(aid: &AidPlan, stock: &Stock<'_>, rng: &mut SeededRng) -> Filled {
    let frame = &stock.words.slides;
    let slide = |title: &str, bullets: Vec<String>, note: String| Slide {
        title: title.to_owned(),
        bullets,
        note,
        drawing: String::new(),
    };
    let think = || slide(&frame.what, frame.think.clone(), frame.say.clone());
    let mut slides = vec![slide(&stock.request.chapter, Vec::new(), String::new()), think()];
    let mut known = 1;
    let middle = aid.count.saturating_sub(3);
    let own = own_slides(stock, rng);
    known += own.len().min(middle);
    slides.extend(own.into_iter().take(middle));
    let open = |_| stock.words.open.card.clone();
    for no in 1..=aid.count.saturating_sub(slides.len() + 1) {
        let title = banyan_functions::words::fill(&frame.idea, &[("n", &no.to_string())]);
        let drawing = stock.words.open.card.clone();
        slides.push(Slide { drawing, ..slide(&title, (0..3).map(open).collect(), String::new()) });
    }
    let ideas = stock.pack.iter().flat_map(|pack| &pack.subtopics).map(|topic| topic.title.clone());
    let ideas: Vec<String> = ideas.filter(|title| short(title)).take(5).collect();
    known += usize::from(!ideas.is_empty());
    let ideas = if ideas.is_empty() { (0..3).map(open).collect() } else { ideas };
    slides.push(slide(&frame.summary, ideas, String::new()));
    Filled { text: AidText::Slides(Slides { slides }), known, slots: aid.count }
}

fn own_slides(stock: &Stock<'_>, rng: &mut SeededRng) -> Vec<Slide> {
    let Some(pack) = &stock.pack else { return Vec::new() };
    let frame = &stock.words.slides;
    let terms: Vec<&Term> = pack.terms.iter().filter(|term| short(&term.term)).take(5).collect();
    let mut slides = vec![Slide {
        title: frame.words.clone(),
        bullets: terms.iter().map(|term| term.term.clone()).collect(),
        note: terms
            .iter()
            .map(|term| format!("{}: {}.", term.term, term.meaning))
            .collect::<Vec<_>>()
            .join(" "),
        drawing: String::new(),
    }];
    for (at, topic) in pack.subtopics.iter().enumerate() {
        let facts = pack.facts_of(at + 1);
        // Short statements say most; what takes longer to say is asked, since an answer alone says
        // nothing.
        let (said, longer): (Vec<&str>, Vec<&Fact>) = (
            facts
                .iter()
                .map(|fact| fact.right.trim_end_matches(['.', '।']))
                .filter(|line| short(line))
                .collect(),
            facts.iter().copied().filter(|fact| !short(&fact.right)).collect(),
        );
        let asked = longer.iter().map(|fact| fact.q.as_str()).filter(|line| short(line));
        let mut bullets: Vec<String> = said.into_iter().chain(asked).take(4).map(str::to_owned).collect();
        // If nothing is short enough, the class thinks about the title while the speaker presents
        // the facts.
        if bullets.is_empty() {
            bullets.clone_from(&frame.think);
        }
        let note = facts.iter().take(4).map(|fact| fact.right.as_str()).collect::<Vec<_>>().join(" ");
        slides.push(Slide {
            title: topic.title.clone(),
            bullets,
            note,
            drawing: concept_map(stock, pack, &facts),
        });
    }
    slides.extend(pack.misconceptions.iter().take(1).map(|error| Slide {
        title: format!("{} “{}”", frame.mistake, error.wrong),
        bullets: frame.think.clone(),
        note: error.right.clone(),
        drawing: String::new(),
    }));
    slides.extend(stock.facts(rng).into_iter().map(|fact| Slide {
        title: format!("{}: {}", frame.attempt, fact.q),
        bullets: frame.think.clone(),
        note: fact.right.clone(),
        drawing: String::new(),
    }));
    slides
}

/// A drawing for any idea: the relations of its terms. None if there are less than two terms.
fn concept_map(stock: &Stock<'_>, pack: &Pack, facts: &[&Fact]) -> String {
    let said: Vec<String> = facts.iter().flat_map(|fact| catalogue::words(&fact.right)).collect();
    let name = |term: &'_ Term| term.term.split(" (").next().unwrap_or_default().to_owned();
    let is_said = |name: &String| catalogue::words(name).iter().all(|word| said.contains(word));
    let names: Vec<String> = pack.terms.iter().map(name).filter(is_said).take(MAP_WORDS).collect();
    match names.len() {
        0 | 1 => String::new(),
        _ => stock.words.fact("map", &[("words", &names.join(", "))]),
    }
}

/// The most terms of a concept map.
const MAP_WORDS: usize = 5;

fn short(text: &str) -> bool {
    text.split_whitespace().count() <= BULLET_WORDS
}

/// Terms, facts, solved examples, errors and questions, as many as the room allows.
pub(super) fn guide(aid: &AidPlan, stock: &Stock<'_>, rng: &mut SeededRng) -> Filled {
    let words = stock.words;
    let room = aid.count;
    let mut facts = stock.facts(rng);
    let practice_count = room.clamp(5, 10);
    let formulas = formulas(&facts);
    // The last ones are asked, the others told.
    facts = stock.unknown_first(facts);
    facts.reverse();
    facts.retain(|fact| !formulas.contains(&fact.right));
    let solved = stock.solved(rng);
    let mut sums = stock.sums(rng, practice_count / 2, 1);
    sums.retain(|item| solved.iter().all(|(question, _)| *question != item.text));
    let asked = facts.split_off(facts.len().saturating_sub(practice_count).min(room.max(8))).into_iter();
    let asked = asked.map(|fact| Qa { q: fact.q.clone(), a: fact.a.clone(), check: fact.check.clone() });
    let mut practice: Vec<Qa> =
        sums.into_iter().map(|item| Qa { q: item.text, a: item.answer, check: None }).collect();
    practice.extend(asked);
    practice.truncate(practice_count);
    let pack = stock.pack.as_ref();
    let solved = solved.into_iter().map(|(q, a)| Qa { q, a, check: None });
    let mut guide = Guide {
        terms: pack
            .map(|pack| pack.terms.iter().take(room.clamp(6, 12)).cloned().collect())
            .unwrap_or_default(),
        concepts: facts.iter().map(|fact| fact.right.clone()).collect(),
        examples: solved.collect(),
        remember: formulas,
        practice,
        errors: pack.map(|pack| pack.misconceptions.clone()).unwrap_or_default(),
    };
    let known = guide.terms.len() + guide.concepts.len() + guide.examples.len() + guide.practice.len();
    let open = || words.open.card.clone();
    if guide.terms.is_empty() {
        guide.terms = (0..6)
            .map(|_| Term {
                term: open(),
                meaning: words.open.answer.clone(),
                example: None,
                kind_of: Vec::new(),
            })
            .collect();
    }
    if guide.concepts.is_empty() {
        guide.concepts = vec![words.open.answer.clone(); room.max(4)];
    }
    if guide.errors.is_empty() {
        guide.errors = vec![Misconception { wrong: open(), right: open() }; 3];
    }
    let mut tasks = stock.tasks().into_iter();
    for _ in 0..practice_count.saturating_sub(guide.practice.len()) {
        let task = tasks.next().map_or_else(|| words.open.item.clone(), |(text, _)| text);
        guide.practice.push(Qa { q: task, a: words.open.checked.clone(), check: None });
    }
    let slots = guide.terms.len() + guide.concepts.len() + guide.examples.len() + guide.practice.len();
    Filled { text: AidText::Guide(guide), known, slots }
}

/// Facts to learn by heart: the statements with a formula, as long as enough others are left.
fn formulas(facts: &[&Fact]) -> Vec<String> {
    let with = facts.iter().filter(|fact| fact.right.contains(" = ")).map(|fact| fact.right.clone());
    with.take(facts.len().saturating_sub(16).min(5)).collect()
}

/// The outcomes of the chapter in the first rows, what fits any work in the others.
pub(super) fn rubric(aid: &AidPlan, stock: &Stock<'_>) -> Filled {
    let rows = &stock.words.rubric.criteria;
    let outcomes = stock.pack.iter().flat_map(|pack| &pack.outcomes);
    // Each is judged in words of its own, since no two ask for the same.
    let words = [rows[0].levels.clone()].into_iter().chain(stock.words.rubric.outcomes.iter().cloned());
    let own = outcomes.zip(words).map(|(outcome, levels)| Criterion { name: outcome.text.clone(), levels });
    let mut criteria: Vec<Criterion> = own.take(3).collect();
    let known = criteria.len() + if criteria.is_empty() { 0 } else { aid.count - criteria.len() };
    let others = if criteria.is_empty() { &rows[..] } else { &rows[1..] };
    criteria.extend(others.iter().take(aid.count - criteria.len()).cloned());
    Filled { text: AidText::Rubric(Rubric { criteria }), known, slots: aid.count }
}

#[cfg(test)]
mod tests {
    use banyan_functions::writing_system::Language;
    use serde_json::json;

    use super::*;
    use crate::request::AidsRequest;
    use crate::words::Words;

    #[test]
    fn an_activity_needs_what_its_pack_says_and_nothing_else() {
        let body = json!({ "board": "CBSE", "grade": 7, "subject": "Science", "difficultyLevel": "medium",
                           "chapterName": "Heat Transfer in Nature", "numberOfPages": 2,
                           "aidTypes": ["interactive-activities"] });
        let request = AidsRequest::read(&body).expect("a valid request");
        let words = Words::of(Language::English);
        let stock = Stock::of(&request, &words);
        let pack = stock.pack.as_ref().expect("a known chapter");
        let of = |activity: &packs::Activity| of_pack(activity, &stock, &mut pack.facts.iter());
        let in_words = packs::Activity {
            materials: Vec::new(),
            steps: Vec::new(),
            discuss: Vec::new(),
            safety: Vec::new(),
            expected: String::new(),
            ..pack.activities[0].clone()
        };
        let told = of(&in_words);
        assert!(told.materials.is_empty() && told.expected.starts_with('✎'), "{told:?}");
        assert_eq!((told.steps.len(), told.discuss.len(), &told.safety), (3, 3, &pack.safety));
        let spoons = vec!["spoons of steel and wood".to_owned()];
        let told = of(&packs::Activity { materials: spoons.clone(), ..in_words.clone() });
        assert_eq!((told.materials, told.steps.len()), (spoons, 3));
        let seen = "The bead on steel falls first.".to_owned();
        assert_eq!(of(&packs::Activity { expected: seen.clone(), ..in_words }).expected, seen);
    }
}
