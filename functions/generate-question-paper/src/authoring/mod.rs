//! The slots filled by a model: calls for a dozen slots each, beside each other. Every question of
//! a reply is parsed, cleaned and checked on its own; only those that fail are asked for again, and
//! what never passes is replaced by the built-in bank (SPECIFICATION.md GEN-3.2, GEN-7).

/// One question of a reply.
mod item;

use std::cell::RefCell;
use std::collections::BTreeMap;

use banyan_bank::subjects::band;
use banyan_functions::checks::{Finding, similarity};
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::authoring::{Authored, SENTENCE, or_stand_in, room, shown, stand_in};
use banyan_functions::model::slot::{ROUNDS, read_items};
use banyan_functions::model::{Call, ModelClient, ModelConfig, ModelError, Usage};
use banyan_functions::paid_call::Job;
use banyan_functions::progress::Progress;
use banyan_functions::seed::SeededRng;
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::words::fill;
use banyan_samples::{Copies, fenced};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::bank;
use crate::checks::topic::{self, Vocabulary, Written};
use crate::content::{Body, Content, Question, Topic};
use crate::plan::{Plan, Section};
use crate::request::PaperRequest;
use crate::shuffling::Keys;
use crate::words::Words;
use item::{ItemText, Wanted};

/// Raised whenever the prompt changes, for the log.
const PROMPT_VERSION: &str = "qp-3";

/// Characters of a sample that a model sees.
const SAMPLE: usize = 4_000;

/// Most questions in one call.
const BATCH: usize = 12;

/// Fills every slot by the model; with `ALLOW_TEMPLATE_FALLBACK` answers nothing in place of the
/// errors below, and the built-in generator stands in.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers.
pub async fn write(
    transport: &impl Transport,
    config: &ModelConfig,
    job: &Job<'_, PaperRequest>,
    plan: &Plan,
    words: &Words,
) -> Result<Option<Authored<Content>>, FunctionError> {
    let Job { request, seed, progress, .. } = job;
    let seed = *seed;
    let client = job.client(transport, config);
    let deadline = Deadline::after(transport, config.budget);
    let vocabulary = Vocabulary::of(request);
    let (stems, copies) = (RefCell::default(), Copies::of(request.sample_text.as_ref()));
    let author = Author { client, request, plan, words, vocabulary, seed, progress, deadline, stems, copies };
    or_stand_in(config, author.write().await)
}

struct Author<'a, T> {
    client: ModelClient<'a, T>,
    request: &'a PaperRequest,
    plan: &'a Plan,
    words: &'a Words,
    vocabulary: Vocabulary,
    seed: u64,
    progress: &'a Progress,
    deadline: Deadline,
    /// Questions that parallel calls have used so far, by id (V10).
    stems: RefCell<BTreeMap<String, Stem>>,
    copies: Copies,
}

/// A question that was taken.
struct Stem {
    wording: similarity::Wording,
    text: String,
}

/// The result of one call and its repairs.
#[derive(Default)]
struct Batch {
    items: BTreeMap<String, ItemText>,
    usage: Usage,
    asked_again: usize,
    model: Option<String>,
}

impl<T: Transport> Author<'_, T> {
    async fn write(&self) -> Result<Authored<Content>, ModelError> {
        let wanted = self.wanted();
        let started = json!({ "prompt.version": PROMPT_VERSION, "questions": wanted.len() });
        log::info("writing with a model", &started);
        let calls = wanted.chunks(BATCH).map(async |asked| (asked, self.batch(asked).await));
        let mut open = self.plan.sections.iter().map(|section| section.wanted()).collect::<Vec<_>>();
        let mut all = Batch::default();
        let mut failed = 0;
        let mut running = stream::iter(calls).buffer_unordered(self.client.concurrency());
        while let Some(batch) = running.next().await {
            let (asked, batch): (&[Wanted], Result<Batch, ModelError>) = batch;
            failed += if batch.is_err() { asked.len() } else { 0 };
            let batch: Batch = batch.or_else(|error| stand_in(error, failed * 2 <= wanted.len()))?;
            self.tell(asked, &mut open);
            all.items.extend(batch.items);
            all.usage.input += batch.usage.input;
            all.usage.output += batch.usage.output;
            all.asked_again += batch.asked_again;
            all.model = batch.model.or(all.model);
        }
        drop(running);
        Ok(self.together(&wanted, &all))
    }

    /// Tells of every section whose last questions were `asked` for and answered; `open` counts
    /// those of each section.
    fn tell(&self, asked: &[Wanted], open: &mut [usize]) {
        for wanted in asked {
            let holds = |section: &Section| section.slots().any(|slot| slot.no == wanted.slot.no);
            let Some(at) = self.plan.sections.iter().position(holds) else { continue };
            open[at] -= 1;
            if open[at] == 0 {
                self.progress.section();
            }
        }
    }

    /// Every question of the plan, and every alternative.
    fn wanted(&self) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for part in self.plan.sections.iter().flat_map(|section| &section.parts) {
            for slot in &part.slots {
                wanted.push(Wanted { slot: *slot, situation: part.situation, alternative: false });
                if slot.choice {
                    wanted.push(Wanted { slot: *slot, situation: &[], alternative: true });
                }
            }
        }
        wanted
    }

    /// Asks for some questions until all have passed, or it is no use.
    async fn batch(&self, wanted: &[Wanted]) -> Result<Batch, ModelError> {
        let mut batch = Batch::default();
        let mut open: Vec<&Wanted> = wanted.iter().collect();
        let mut problems: Vec<String> = Vec::new();
        for round in 0..ROUNDS {
            let call = self.call(&open, &problems);
            let reply = match self.client.ask(&call, self.deadline).await {
                Ok(reply) => reply,
                // Some questions are better than none; the bank has the others.
                Err(_) if !batch.items.is_empty() => break,
                Err(error) => return Err(error),
            };
            batch.usage.input += reply.usage.input;
            batch.usage.output += reply.usage.output;
            problems = match read_items(&reply, &call.schema) {
                Ok((items, unread)) => {
                    let mut problems: Vec<String> =
                        unread.into_iter().map(|finding| finding.problem).collect();
                    problems.extend(self.take(&items, &mut open, &mut batch));
                    if round + 1 < ROUNDS {
                        problems.extend(self.take_back_repeated(wanted, &mut open, &mut batch));
                        problems.extend(self.take_back_off_topic(wanted, &mut open, &mut batch));
                    }
                    problems
                }
                Err(finding) => vec![finding.problem],
            };
            if !batch.items.is_empty() {
                batch.model = Some(reply.model);
            }
            if open.is_empty() {
                break;
            }
            if round + 1 < ROUNDS {
                batch.asked_again += open.len();
            }
        }
        Ok(batch)
    }

    /// Takes what passes; says what is wrong with the rest.
    fn take(&self, items: &[ItemText], open: &mut Vec<&Wanted>, batch: &mut Batch) -> Vec<String> {
        let mut problems = Vec::new();
        let mut ids: Vec<&str> = Vec::new();
        open.retain(|wanted| {
            let Some(item) = items.iter().find(|item| item.id == wanted.id()) else {
                problems.push(format!("{} is missing", wanted.id()));
                ids.push("V03");
                return true;
            };
            let mut findings = item.findings(wanted, self.request, self.words);
            findings.extend(item.repeats(&self.copies).then(Finding::copied));
            if findings.is_empty() {
                batch.items.insert(wanted.id(), item.clone());
                return false;
            }
            ids.extend(findings.iter().map(|finding| finding.id));
            problems.extend(findings.into_iter().map(|finding| finding.problem));
            true
        });
        if !ids.is_empty() {
            log::info("a model's questions broke rules", &json!({ "checks": ids }));
        }
        problems
    }

    /// V10: takes questions back that were asked before, also by a call beside this one, so that
    /// others are asked for in their place.
    fn take_back_repeated<'w>(
        &self,
        wanted: &'w [Wanted],
        open: &mut Vec<&'w Wanted>,
        batch: &mut Batch,
    ) -> Vec<String> {
        let mut stems = self.stems.borrow_mut();
        let mut problems = Vec::new();
        for wanted in wanted {
            let id = wanted.id();
            let body = batch.items.get(&id).and_then(|item| item.body(wanted, self.words).ok());
            let Some(body) = body else { continue };
            let wording = similarity::Wording::of(&body.printed());
            let earlier = stems.iter().find(|(other, stem)| **other != id && wording.repeats(&stem.wording));
            if let Some((_, stem)) = earlier {
                problems.push(format!("{id} asks again what is asked already: “{}”", stem.text));
                batch.items.remove(&id);
                open.push(wanted);
                stems.remove(&id);
            } else {
                stems.insert(id, Stem { wording, text: body.text });
            }
        }
        if !problems.is_empty() {
            log::info("a model's questions broke rules", &json!({ "checks": vec!["V10"; problems.len()] }));
        }
        problems
    }

    /// V11: takes the questions of each group back that is not about the chapter, so that they are
    /// asked for again.
    fn take_back_off_topic<'w>(
        &self,
        wanted: &'w [Wanted],
        open: &mut Vec<&'w Wanted>,
        batch: &mut Batch,
    ) -> Option<String> {
        let answered = |wanted: &Wanted| {
            let item = batch.items.get(&wanted.id())?;
            Some((*wanted, item.subtopic.clone(), item.body(wanted, self.words).ok()?))
        };
        let answered: Vec<(Wanted, String, Body)> = wanted.iter().filter_map(answered).collect();
        let off =
            self.off_topic(answered.iter().map(|(wanted, subtopic, body)| (wanted, subtopic.as_str(), body)));
        if off.is_empty() {
            return None;
        }
        batch.items.retain(|id, _| !off.contains(id));
        open.extend(wanted.iter().filter(|wanted| off.contains(&wanted.id())));
        log::info("a model's questions broke rules", &json!({ "checks": vec!["V11"; off.len()] }));
        let chapter = &self.request.chapter;
        Some(format!("{} must be about the chapter “{chapter}” and name its terms", off.join(", ")))
    }

    /// The ids of the questions whose groups are not about the chapter.
    fn off_topic<'b>(&self, answered: impl Iterator<Item = (&'b Wanted, &'b str, &'b Body)>) -> Vec<String> {
        let (ids, written): (Vec<String>, Vec<Written<'b>>) = answered
            .map(|(wanted, subtopic, body)| (wanted.id(), Written { no: wanted.slot.no, subtopic, body }))
            .unzip();
        let off = topic::off_topic(&self.vocabulary, self.plan, &written);
        off.into_iter().map(|at| ids[at].clone()).collect()
    }

    /// The paper from what passed; for the rest, for what is there twice (V10) and for groups on
    /// something else than the chapter (V11) the bank stands in.
    fn together(&self, wanted: &[Wanted], all: &Batch) -> Authored<Content> {
        let spare = bank::fill(self.request, self.plan, self.words, self.seed);
        let (mut keys, mut rng) = (Keys::default(), SeededRng::new(self.seed, "options"));
        let mut subtopics = spare.subtopics;
        let mut bodies: BTreeMap<String, Body> = BTreeMap::new();
        let mut printed: Vec<similarity::Wording> = Vec::new();
        for wanted in wanted {
            let item = all.items.get(&wanted.id());
            let placed = item.and_then(|item| item.placed(wanted, self.words, &mut keys, &mut rng));
            let (Some(item), Some(mut body)) = (item, placed) else { continue };
            let wording = similarity::Wording::of(&body.printed());
            if printed.iter().any(|other| wording.repeats(other)) {
                continue;
            }
            printed.push(wording);
            body.subtopic = named_topic(&item.subtopic, &mut subtopics);
            bodies.insert(wanted.id(), body);
        }
        let off = self.off_topic(wanted.iter().filter_map(|wanted| {
            let id = wanted.id();
            Some((wanted, all.items.get(&id)?.subtopic.as_str(), bodies.get(&id)?))
        }));
        bodies.retain(|id, _| !off.contains(id));
        let mut replaced = 0;
        let question = |question: Question| {
            let id = format!("Q{:02}", question.slot.no);
            let (own, other) = (bodies.remove(&id), bodies.remove(&format!("{id}-or")));
            let wanted = 1 + usize::from(question.slot.choice);
            replaced += wanted - usize::from(own.is_some()) - usize::from(other.is_some());
            // A question that did not pass has its alternative in its place, before the bank is
            // asked.
            let mut bodies = own.into_iter().chain(other);
            let body = bodies.next().unwrap_or(question.body);
            let alternative = bodies.next().or(question.alternative).filter(|other| body.is_like(other));
            Question { slot: question.slot, body, alternative: alternative.filter(|_| question.slot.choice) }
        };
        let questions: Vec<Question> = spare.questions.into_iter().map(question).collect();
        Authored {
            content: Content::new(questions, subtopics),
            model: all.model.clone(),
            usage: all.usage,
            regenerated: u32::try_from(all.asked_again).unwrap_or(u32::MAX),
            replaced: u32::try_from(replaced).unwrap_or(u32::MAX),
        }
    }

    fn call(&self, open: &[&Wanted], problems: &[String]) -> Call {
        let class = self.request.class.to_string();
        let language = self.request.language;
        let places = [
            ("class", class.as_str()),
            ("language", language.name()),
            ("sentence", SENTENCE[band(self.request.class)]),
        ];
        let slots: Vec<Value> = open.iter().map(|wanted| wanted.shown()).collect();
        let marks: u32 = open.iter().map(|wanted| wanted.slot.marks).sum();
        let sample = self.request.sample_text.as_ref().map(|text| fenced(text, SAMPLE));
        let slots = json!({ "slots": slots });
        let mut user = shown(self.request.normalised(), "referencePaperUrl", language, &slots, sample);
        if !problems.is_empty() {
            user["problems"] = json!(problems.iter().take(12).collect::<Vec<_>>());
        }
        Call {
            name: "paper_questions",
            system: fill(include_str!("../../prompts/questions.md"), &places),
            user,
            schema: serde_json::from_str(include_str!("../../prompts/questions.schema.json"))
                .expect("the schema is read in a test"),
            temperature: 0.4,
            max_tokens: room(language, 600 + marks * 120),
            seed: self.seed,
        }
    }
}

/// A sub-topic by its name, whichever case it is written in.
fn named_topic(name: &str, subtopics: &mut Vec<String>) -> Topic {
    if name.is_empty() {
        return Topic::Whole;
    }
    let same = |known: &String| known.to_lowercase() == name.to_lowercase();
    Topic::Subtopic(subtopics.iter().position(same).unwrap_or_else(|| {
        subtopics.push(name.to_owned());
        subtopics.len() - 1
    }))
}

#[cfg(test)]
mod tests {
    use banyan_functions::model::authoring::schema_fault;
    use banyan_functions::words::places;

    #[test]
    fn the_schema_is_strict_and_of_the_common_subset() {
        let schema = serde_json::from_str(include_str!("../../prompts/questions.schema.json")).unwrap();
        assert_eq!(schema_fault(&schema), None);
    }

    #[test]
    fn the_prompt_holds_no_text_of_a_request() {
        let names = places(include_str!("../../prompts/questions.md"));
        assert!(names.iter().all(|name| ["class", "language", "sentence"].contains(name)), "{names:?}");
    }
}
