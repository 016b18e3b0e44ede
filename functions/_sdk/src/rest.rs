//! Calls to the project's own REST API.

use std::time::Duration;

use http::{HeaderMap, Method};
use serde_json::Value;

use crate::env::Env;
pub use crate::project::ApiError as RestError;
use crate::project::{Access, Allowance, segment, send_for_json};
use crate::transport::Transport;

/// One call; the answer may be a whole document, with room to spare.
const CALL: Allowance =
    Allowance { time: Duration::from_secs(10), answer: 8 * 1024 * 1024, status_in_body: false };

/// The project's REST API.
#[derive(Debug)]
pub struct RestClient<'a, T> {
    transport: &'a T,
    access: Access,
}

impl<'a, T: Transport> RestClient<'a, T> {
    /// As `service_role`, with address and key from the environment.
    ///
    /// # Errors
    /// [`RestError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, RestError> {
        Ok(Self { transport, access: Access::service(env)? })
    }

    /// As whoever called the function: row-level security holds for them as without it.
    ///
    /// # Errors
    /// [`RestError::NotConfigured`] when address or key is missing.
    pub fn as_caller(transport: &'a T, env: &Env, headers: &HeaderMap) -> Result<Self, RestError> {
        Ok(Self { transport, access: Access::caller(env, headers)? })
    }

    /// Calls the SQL function `name`, which never leads to another path, with named `arguments`.
    ///
    /// # Errors
    /// See [`RestError`].
    pub async fn rpc(&self, name: &str, arguments: &Value) -> Result<Value, RestError> {
        let name = segment(name).ok_or(RestError::Argument("function name"))?;
        let request = self.access.json(Method::POST, &format!("/rest/v1/rpc/{name}"), arguments)?;
        send_for_json(self.transport, request, CALL).await
    }
}
