//! The wallet as the functions see it: claim a deduction before the work, settle it afterwards
//! (app/SPECIFICATION.md D01 to D09). The rules live in SQL; here is only the conversation.

use std::future::Future;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::rest::{RestClient, RestError};
use crate::transport::Transport;

/// For what a deduction is claimed.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct ClaimRequest<'a> {
    /// The user who pays.
    pub owner: &'a str,
    /// Name of the function.
    pub tool: &'a str,
    /// Names the request: the same key within ten minutes gives the stored result (D08).
    pub request_key: &'a str,
    /// Hash of the request ([`crate::seed::body_hash`]): a key belongs to one body.
    pub body_hash: &'a str,
    /// `true`: a language model will be asked, so lower rate limits hold (D10).
    pub model_backed: bool,
    /// Names this very call: asked again with it after a lost answer, the wallet says the same.
    pub claim_id: &'a str,
}

/// The database's answer to a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// An open deduction is now this generation's.
    Claimed {
        /// The generation to complete or to fail.
        generation_id: String,
        /// How many generations of this request the owner has asked for, this one included.
        attempt: u64,
    },
    /// The same request was made less than ten minutes ago; this is its stored result.
    Replayed(Value),
    /// The same request is being made now.
    Running,
    /// The claim of this call was cancelled or given back while its answer was lost, or the
    /// generation that it waited for was cancelled.
    Ended,
    /// The generation that this call waited for has failed, and no open deduction pays for another.
    Failed,
    /// Like [`Claim::Running`], but newer calls wait for it in place of this one.
    Busy,
    /// The owner has used this key for another body; the deduction stays open.
    OtherBody,
    /// No open deduction.
    Insufficient,
    /// Too many generations; the deduction stays open (D10).
    RateLimited {
        /// Seconds until the next one is allowed.
        retry_after: Option<u64>,
    },
}

/// Claims and settles deductions.
pub trait Wallet {
    /// Claims an open deduction, or finds the result of the same request.
    fn claim(&self, request: ClaimRequest<'_>) -> impl Future<Output = Result<Claim, RestError>>;

    /// Gives back the newest open deduction of a call that is refused before it claims; true if
    /// that happened now. Tools that charge by themselves have no open deduction.
    fn refuse(&self, owner: &str, tool: &str) -> impl Future<Output = Result<bool, RestError>>;

    /// Extends the lease of a running generation; false if it has ended or was given back.
    fn extend_lease(&self, generation_id: &str) -> impl Future<Output = Result<bool, RestError>>;

    /// Stores the result and spends the deduction; false if it was given back.
    fn complete(&self, generation_id: &str, result: &Value) -> impl Future<Output = Result<bool, RestError>>;

    /// Gives the deduction back, at most once; true when that happened now.
    fn fail(&self, generation_id: &str, reason: &str) -> impl Future<Output = Result<bool, RestError>>;

    /// Gives up a claim that was never answered, whether or not it was heard; true when credits
    /// went back now.
    fn fail_claim(
        &self,
        owner: &str,
        claim_id: &str,
        reason: &str,
    ) -> impl Future<Output = Result<bool, RestError>>;

    /// Counts a request that was refused as unsafe, however often it is sent; the seconds to wait
    /// after too many of them, else 0.
    fn note_refusal(
        &self,
        owner: &str,
        tool: &str,
        body_hash: &str,
    ) -> impl Future<Output = Result<u64, RestError>>;

    /// Begins to read a sample for an estimate; false while another one of that user is read.
    fn begin_sample_reading(&self, owner: &str) -> impl Future<Output = Result<bool, RestError>>;

    /// Ends it; false if it has ended.
    fn end_sample_reading(&self, owner: &str) -> impl Future<Output = Result<bool, RestError>>;

    /// Adds to the tokens that models have used today, in India; how many those are now.
    fn note_model_tokens(&self, tokens: u64) -> impl Future<Output = Result<u64, RestError>>;

    /// Returns whether that user is an administrator.
    fn is_admin(&self, user: &str) -> impl Future<Output = Result<bool, RestError>>;
}

impl<T: Transport> Wallet for RestClient<'_, T> {
    async fn claim(&self, request: ClaimRequest<'_>) -> Result<Claim, RestError> {
        read_claim(self.rpc("claim_generation", &json!(request)).await?)
    }

    async fn refuse(&self, owner: &str, tool: &str) -> Result<bool, RestError> {
        let arguments = json!({ "owner": owner, "tool": tool });
        self.rpc("refuse_call", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn extend_lease(&self, generation_id: &str) -> Result<bool, RestError> {
        let arguments = json!({ "generation_id": generation_id });
        self.rpc("prolong_generation", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn complete(&self, generation_id: &str, result: &Value) -> Result<bool, RestError> {
        let arguments = json!({ "generation_id": generation_id, "result": result });
        self.rpc("complete_generation", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn fail(&self, generation_id: &str, reason: &str) -> Result<bool, RestError> {
        let arguments = json!({ "generation_id": generation_id, "reason": reason });
        self.rpc("fail_generation", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn fail_claim(&self, owner: &str, claim_id: &str, reason: &str) -> Result<bool, RestError> {
        let arguments = json!({ "owner": owner, "claim_id": claim_id, "reason": reason });
        self.rpc("fail_claim", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn note_refusal(&self, owner: &str, tool: &str, body_hash: &str) -> Result<u64, RestError> {
        let arguments = json!({ "owner": owner, "tool": tool, "body_hash": body_hash });
        self.rpc("note_refusal", &arguments).await?.as_u64().ok_or(RestError::Shape)
    }

    async fn begin_sample_reading(&self, owner: &str) -> Result<bool, RestError> {
        let arguments = json!({ "owner": owner });
        self.rpc("begin_sample_reading", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn end_sample_reading(&self, owner: &str) -> Result<bool, RestError> {
        let arguments = json!({ "owner": owner });
        self.rpc("end_sample_reading", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }

    async fn note_model_tokens(&self, tokens: u64) -> Result<u64, RestError> {
        let arguments = json!({ "tokens": tokens });
        self.rpc("note_model_tokens", &arguments).await?.as_u64().ok_or(RestError::Shape)
    }

    async fn is_admin(&self, user: &str) -> Result<bool, RestError> {
        let arguments = json!({ "user_id_param": user });
        self.rpc("is_admin_user", &arguments).await?.as_bool().ok_or(RestError::Shape)
    }
}

#[derive(Deserialize)]
struct ClaimRow {
    outcome: String,
    #[serde(default)]
    generation_id: Option<String>,
    #[serde(default)]
    attempt: Option<u64>,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    retry_after: Option<u64>,
}

/// A function that returns one row answers as an object, one that returns a table as an array of
/// one.
fn read_claim(answer: Value) -> Result<Claim, RestError> {
    let row = match answer {
        Value::Array(rows) => rows.into_iter().next().ok_or(RestError::Shape)?,
        other => other,
    };
    let row: ClaimRow = serde_json::from_value(row).map_err(|_| RestError::Shape)?;
    match row.outcome.as_str() {
        "claimed" => Ok(Claim::Claimed {
            generation_id: row.generation_id.ok_or(RestError::Shape)?,
            attempt: row.attempt.unwrap_or(1),
        }),
        "replayed" => row.result.map(Claim::Replayed).ok_or(RestError::Shape),
        "running" => Ok(Claim::Running),
        "ended" => Ok(Claim::Ended),
        "failed" => Ok(Claim::Failed),
        "busy" => Ok(Claim::Busy),
        "other_body" => Ok(Claim::OtherBody),
        "insufficient" => Ok(Claim::Insufficient),
        "rate_limited" => Ok(Claim::RateLimited { retry_after: row.retry_after }),
        _ => Err(RestError::Shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_from_a_row_or_a_table_of_one_row() {
        let row = json!({ "outcome": "claimed", "generation_id": "g", "attempt": 2, "result": null });
        let claimed = Claim::Claimed { generation_id: "g".to_owned(), attempt: 2 };
        assert_eq!(read_claim(row.clone()).unwrap(), claimed);
        assert_eq!(read_claim(json!([row])).unwrap(), claimed);
    }

    #[test]
    fn a_limit_is_passed_on_with_its_waiting_time() {
        let row =
            json!({ "outcome": "rate_limited", "generation_id": null, "attempt": null, "retry_after": 12 });
        assert_eq!(read_claim(json!([row])).unwrap(), Claim::RateLimited { retry_after: Some(12) });
    }

    #[test]
    fn what_was_claimed_and_has_ended_is_neither_work_nor_an_error() {
        let row = json!({ "outcome": "ended", "generation_id": "g", "attempt": 1, "result": null });
        assert_eq!(read_claim(json!([row])).unwrap(), Claim::Ended);
        let row = json!({ "outcome": "failed", "generation_id": "g", "attempt": 1, "result": null });
        assert_eq!(read_claim(json!([row])).unwrap(), Claim::Failed);
    }

    #[test]
    fn an_unknown_outcome_is_an_error_not_a_licence_to_work() {
        for answer in [json!([]), json!({ "outcome": "fine" }), json!({ "outcome": "claimed" }), json!(null)]
        {
            assert!(matches!(read_claim(answer), Err(RestError::Shape)));
        }
    }
}
