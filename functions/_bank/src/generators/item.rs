use super::draft::Answer;

/// A question with everything that a paper and its key need.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The generator that made it.
    pub generator: &'static str,
    /// The question in the asked language.
    pub question: String,
    /// The answer with its unit.
    pub answer: String,
    /// The answer as a value.
    pub value: Answer,
    /// Three wrong answers of the same kind, no two alike.
    pub distractors: Vec<Distractor>,
    /// The solution, step by step; the last one has the answer.
    pub steps: Vec<Step>,
    /// Pairs of expressions with one value: the answer reached by another way (V14).
    pub proofs: Vec<(String, String)>,
}

/// A wrong answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distractor {
    /// As printed.
    pub text: String,
    /// The error that leads to it.
    pub misconception: &'static str,
}

/// A step of a solution, in the notation of the board, so it needs no language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// An equation, or several with `;` between them.
    pub text: String,
    /// Its weight among the steps.
    pub weight: u8,
}

/// A point of a marking scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Required parts of the answer.
    pub text: String,
    /// Marks in halves.
    pub half_marks: u32,
}

impl Item {
    /// The marking scheme for a number of marks: every point is worth half a mark or more, and all
    /// of them together the marks. With fewer halves than steps, neighbouring steps share a point.
    pub fn scheme(&self, marks: u8) -> Vec<Point> {
        let halves = u32::from(marks) * 2;
        let mut steps = self.steps.clone();
        while steps.len() > (halves as usize).max(1) {
            let step = steps.remove(0);
            steps[0].text = format!("{}; {}", step.text, steps[0].text);
            steps[0].weight += step.weight;
        }
        let weights: Vec<u32> = steps.iter().map(|step| u32::from(step.weight)).collect();
        let shares = shares(halves, &weights);
        let point = |(step, half_marks): (super::Step, u32)| Point { text: step.text, half_marks };
        steps.into_iter().zip(shares).map(point).collect()
    }
}

/// `whole` dealt by weight, at least 1 each, by largest remainder; the last of equals comes first,
/// since the answer stands there.
fn shares(whole: u32, weights: &[u32]) -> Vec<u32> {
    let count = u32::try_from(weights.len()).unwrap_or(1);
    let (rest, total) = (whole.saturating_sub(count), weights.iter().sum::<u32>().max(1));
    let mut shares: Vec<u32> = weights.iter().map(|weight| 1 + rest * weight / total).collect();
    let mut order: Vec<usize> = (0..weights.len()).rev().collect();
    order.sort_by_key(|at| std::cmp::Reverse(rest * weights[*at] % total));
    let left = whole.saturating_sub(shares.iter().sum());
    for at in order.into_iter().take(left as usize) {
        shares[at] += 1;
    }
    shares
}
