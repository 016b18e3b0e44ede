//! Makes a document. Without a model the built-in generator writes it. With one, the model writes
//! between two judgements of [`crate::moderation::model`], all within one budget.

use serde_json::{Value, json};

use super::settlement::SETTLING;
use super::{Job, Settings, Tool};
use crate::error::FunctionError;
use crate::model::authoring::may_stand_in;
use crate::model::{ModelConfig, Usage};
use crate::moderation::{
    self,
    model::{Judgement, Moderator, NoJudgement, Subject},
};
use crate::transport::{Deadline, Transport};

/// Makes the document before `deadline`.
pub(super) async fn make<T: Tool>(
    transport: &impl Transport,
    settings: &Settings,
    job: Job<'_, T::Request>,
    deadline: Deadline,
) -> Result<Value, FunctionError> {
    let Some(model) = &settings.model else { return T::write(transport, settings, &job).await };
    let left = deadline.remaining(transport).saturating_sub(SETTLING);
    let budget = Deadline::after(transport, model.budget.min(left));
    let moderator = Moderator::new(transport, model);
    let mut generation =
        Generation { transport, settings, model, moderator, budget, job, judging: Usage::default() };
    generation.judge_and_write::<T>().await
}

/// A document in the making by a model.
struct Generation<'a, X, R> {
    transport: &'a X,
    settings: &'a Settings,
    model: &'a ModelConfig,
    moderator: Moderator<'a, X>,
    budget: Deadline,
    job: Job<'a, R>,
    /// Tokens beside those that the document itself counts.
    judging: Usage,
}

/// A document that was judged.
enum Draft {
    /// It can be handed out.
    Fit(Value),
    /// It must not be handed out; with the category of the judgement.
    Unfit(String),
}

impl<X: Transport, R> Generation<'_, X, R> {
    async fn judge_and_write<T: Tool<Request = R>>(&mut self) -> Result<Value, FunctionError> {
        let typed = T::typed(&self.job.request).into_iter().map(str::to_owned).collect::<Vec<_>>();
        match self.judge(Subject::Request, &typed).await {
            Ok(asked) => {
                asked.verdict.allowed()?;
                self.job.verdict = self.job.verdict.and(asked.verdict);
                self.write_twice::<T>().await
            }
            Err(unjudged) => self.by_built_in::<T>(unjudged).await,
        }
    }

    /// V20: a refused document is written once more, and the prompt names the reason. If no time is
    /// left for that, or no answer comes, the refusal stands.
    async fn write_twice<T: Tool<Request = R>>(&mut self) -> Result<Value, FunctionError> {
        let category = match self.draft::<T>().await? {
            Draft::Fit(result) => return Ok(result),
            Draft::Unfit(category) => category,
        };
        self.job.remark = Some(format!("not suitable for children ({category}): write it differently"));
        match self.draft::<T>().await {
            Ok(Draft::Fit(result)) => Ok(result),
            Ok(Draft::Unfit(_)) | Err(_) => Err(FunctionError::UnsafeDocument),
        }
    }

    async fn draft<T: Tool<Request = R>>(&mut self) -> Result<Draft, FunctionError> {
        let result = T::write(self.transport, &self.within_budget(), &self.job).await?;
        if result["meta"]["generator"] != "model" {
            return Ok(Draft::Fit(with_tokens(result, self.judging)));
        }
        match self.judge(Subject::Document, &moderation::model::texts_of(&result["data"])).await {
            Ok(judged) if judged.verdict.allowed().is_ok() => {
                Ok(Draft::Fit(with_tokens(result, self.judging)))
            }
            Ok(judged) => {
                add(&mut self.judging, tokens(&result));
                Ok(Draft::Unfit(judged.category))
            }
            Err(unjudged) => self.by_built_in::<T>(unjudged).await.map(Draft::Fit),
        }
    }

    async fn judge(&mut self, subject: Subject, texts: &[String]) -> Result<Judgement, NoJudgement> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let judged = self.moderator.judge(subject, &texts, self.budget).await?;
        add(&mut self.judging, judged.usage);
        Ok(judged)
    }

    /// Returns the settings with the rest of the budget for writing, less the time for judging the
    /// document.
    fn within_budget(&self) -> Settings {
        let kept = moderation::model::TIME.min(self.model.budget / 4);
        let budget = self.budget.remaining(self.transport).saturating_sub(kept);
        let model = ModelConfig { budget, ..self.model.clone() };
        Settings { model: Some(model), ..self.settings.clone() }
    }

    /// The document of the built-in generator, where it may stand in for a model that has not
    /// answered when it was to judge.
    async fn by_built_in<T: Tool<Request = R>>(&self, unjudged: NoJudgement) -> Result<Value, FunctionError> {
        let NoJudgement::Unanswered(error) = unjudged else { return Err(FunctionError::GeneratorFailed) };
        may_stand_in(self.model, error)?;
        let built_in = Settings { model: None, ..self.settings.clone() };
        Ok(with_tokens(T::write(self.transport, &built_in, &self.job).await?, self.judging))
    }
}

fn add(sum: &mut Usage, more: Usage) {
    sum.input += more.input;
    sum.output += more.output;
}

/// The tokens of an answer.
fn tokens(result: &Value) -> Usage {
    let count = |name: &str| result["meta"]["usage"][name].as_u64().unwrap_or_default();
    Usage { input: count("input"), output: count("output") }
}

/// The answer with these tokens on top of its own.
fn with_tokens(mut result: Value, more: Usage) -> Value {
    let mut sum = tokens(&result);
    add(&mut sum, more);
    if let Some(usage) = result.get_mut("meta").and_then(|meta| meta.get_mut("usage")) {
        *usage = json!({ "input": sum.input, "output": sum.output });
    }
    result
}
