//! Calls to the project's own REST API with the service key.

use std::time::Duration;

use http::{Method, Request, StatusCode};
use serde_json::Value;

use crate::env::Env;
use crate::transport::{Transport, TransportError, read_all, within};

/// Largest accepted answer: a stored result of one generation with room to spare.
const ANSWER_LIMIT: usize = 8 * 1024 * 1024;

/// Time for one call.
const CALL_TIME: Duration = Duration::from_secs(10);

/// Why a remote procedure gave no value.
#[derive(Debug, thiserror::Error)]
pub enum RestError {
    /// `SUPABASE_URL` or `SUPABASE_SERVICE_ROLE_KEY` is missing or unusable.
    #[error("the project's address or service key is not configured")]
    NotConfigured,
    /// No answer.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The database asked to slow down.
    #[error("rate limited")]
    RateLimited {
        /// Seconds from the `Retry-After` header.
        retry_after: Option<u64>,
    },
    /// An answer other than success.
    #[error("rpc answered {status} {code}")]
    Status {
        /// The HTTP status.
        status: StatusCode,
        /// The error code of the body, such as `PGRST202` or `42501`.
        code: String,
    },
    /// A success that is not what was agreed.
    #[error("unexpected answer")]
    Shape,
}

/// The project's REST API, called as `service_role`.
#[derive(Debug)]
pub struct RestClient<'a, T> {
    transport: &'a T,
    base: String,
    key: String,
}

impl<'a, T: Transport> RestClient<'a, T> {
    /// Reads address and key from the environment.
    ///
    /// # Errors
    /// [`RestError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, RestError> {
        let base = env.get("SUPABASE_URL").ok_or(RestError::NotConfigured)?;
        let key = env.get("SUPABASE_SERVICE_ROLE_KEY").ok_or(RestError::NotConfigured)?;
        Ok(Self { transport, base: base.trim_end_matches('/').to_owned(), key: key.to_owned() })
    }

    /// Calls the SQL function `name` with named `arguments`.
    ///
    /// # Errors
    /// See [`RestError`].
    pub async fn rpc(&self, name: &str, arguments: &Value) -> Result<Value, RestError> {
        let request = self.request(name, arguments)?;
        within(self.transport, CALL_TIME, self.exchange(request)).await?
    }

    fn request(&self, name: &str, arguments: &Value) -> Result<Request<Vec<u8>>, RestError> {
        Request::builder()
            .method(Method::POST)
            .uri(format!("{}/rest/v1/rpc/{name}", self.base))
            .header("apikey", &self.key)
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .body(arguments.to_string().into_bytes())
            .map_err(|_| RestError::NotConfigured)
    }

    async fn exchange(&self, request: Request<Vec<u8>>) -> Result<Value, RestError> {
        let mut response = self.transport.send(request).await?;
        let status = response.status();
        let retry_after =
            response.headers().get("retry-after").and_then(|v| v.to_str().ok()?.trim().parse().ok());
        let bytes = read_all(response.body_mut(), ANSWER_LIMIT).await?;
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(RestError::RateLimited { retry_after });
        }
        if status == StatusCode::NO_CONTENT {
            return Ok(Value::Null);
        }
        let body: Option<Value> = serde_json::from_slice(&bytes).ok();
        if status.is_success() {
            return body.ok_or(RestError::Shape);
        }
        let code = body.and_then(|body| Some(body.get("code")?.as_str()?.to_owned())).unwrap_or_default();
        Err(RestError::Status { status, code })
    }
}
