//! Comparisons that only PostgreSQL knows, asked of it together.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use banyan_db::{Database, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use bytes::Bytes;
use futures_util::future::join_all;

use super::{arrays::literal, conditions::Comparison, entry::Operator};

/// Where operators of extensions are found, and what is called in a policy without its schema.
pub(super) const SEARCH_PATH: [(&str, Cow<'static, str>); 1] =
    [("search_path", Cow::Borrowed("public, extensions"))];

/// A value, and what it is compared with.
type Question = (Comparison, Bytes);

/// What is to be asked.
#[derive(Debug, Default)]
pub(super) struct Questions(HashSet<Question>);

/// What PostgreSQL said; null is no answer.
#[derive(Debug, Default)]
pub(super) struct Answers(HashMap<Question, bool>);

impl Questions {
    pub(super) fn add(&mut self, comparison: &Comparison, value: &Bytes) {
        self.0.insert((comparison.clone(), value.clone()));
    }

    /// Asks them all, those of one type and operator by one statement. What cannot be compared has
    /// no answer.
    pub(super) async fn ask(self, database: &Database) -> Answers {
        let mut kinds: HashMap<_, Vec<Question>> = HashMap::new();
        for question in self.0 {
            let kind = (question.0.type_name.clone(), question.0.operator);
            kinds.entry(kind).or_default().push(question);
        }
        let asked = kinds.into_values().map(|questions| ask_kind(database, questions));
        Answers(join_all(asked).await.into_iter().flatten().collect())
    }
}

impl Answers {
    /// Whether the value fulfils the comparison.
    pub(super) fn of(&self, comparison: &Comparison, value: &Bytes) -> Option<bool> {
        self.0.get(&(comparison.clone(), value.clone())).copied()
    }
}

async fn ask_kind(database: &Database, questions: Vec<Question>) -> Vec<(Question, bool)> {
    let answers = match ask(database, &questions).await {
        Ok(answers) => answers,
        // One of them has no answer; each is asked by itself.
        Err(RunError::Database(_)) if questions.len() > 1 => {
            let mut answers = Vec::new();
            for question in &questions {
                let one = ask(database, std::slice::from_ref(question)).await;
                answers.extend(one.unwrap_or_else(|_| vec![None]));
            }
            answers
        }
        Err(error) => {
            tracing::warn!(error.message = %error, "a filter of row changes could not be decided");
            vec![]
        }
    };
    questions.into_iter().zip(answers).filter_map(|(question, answer)| Some((question, answer?))).collect()
}

/// Asks questions of one kind; the answers are in their order.
async fn ask(database: &Database, questions: &[Question]) -> Result<Vec<Option<bool>>, RunError> {
    let Some((first, _)) = questions.first() else { return Ok(vec![]) };
    let text = statement(&first.type_name, first.operator);
    let values = literal(questions.iter().map(|(_, value)| Some(value)));
    let wanted = literal(questions.iter().map(|(comparison, _)| Some(&comparison.wanted)));
    let statement = Statement::new(text, vec![Param::text(values), Param::text(wanted)]);
    let caller = Caller::service();
    let run = RunAs { read_only: true, settings: &SEARCH_PATH, ..RunAs::new(&caller, &statement) };
    let rows = database.run_as(&run).await?;
    Ok((0..rows.rows.len()).map(|row| rows.get(row, 0).map(|said| *said == "t")).collect())
}

fn statement(type_name: &str, operator: Operator) -> String {
    let symbol = match operator {
        Operator::Eq => "=",
        Operator::Neq => "<>",
        Operator::Lt => "<",
        Operator::Lte => "<=",
        Operator::Gt => ">",
        Operator::Gte => ">=",
        Operator::In => "= any",
        Operator::Like => "like",
        Operator::Ilike => "ilike",
        Operator::Is => "is not distinct from",
        Operator::Match => "~",
        Operator::Imatch => "~*",
        Operator::IsDistinct => "is distinct from",
    };
    let list = if operator == Operator::In { "[]" } else { "" };
    format!(
        "select asked.value::{type_name} {symbol} (asked.wanted::{type_name}{list})
         from unnest($1::text[], $2::text[]) with ordinality as asked (value, wanted, place)
         order by asked.place"
    )
}
