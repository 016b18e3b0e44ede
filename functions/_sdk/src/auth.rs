//! Calls the project's own auth API: finds the user of a token, and manages accounts as an
//! administrator.

use std::{fmt, time::Duration};

use http::{HeaderMap, Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::caller::is_uuid;
use crate::env::Env;
use crate::project::{Access, Allowance, ApiError, send_for_json};
use crate::transport::Transport;

/// One call; the answer may be a page of a thousand accounts.
const CALL: Allowance =
    Allowance { time: Duration::from_secs(10), answer: 8 * 1024 * 1024, status_in_body: false };

/// An account. What else the API says of one is left out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Account {
    /// The user's id, a UUID in lower case.
    pub id: String,
    /// The e-mail address; empty without one.
    #[serde(default)]
    pub email: String,
    /// The phone number; empty without one.
    #[serde(default)]
    pub phone: String,
    /// When the address was confirmed.
    #[serde(default)]
    pub email_confirmed_at: Option<String>,
    /// Until when the account is banned.
    #[serde(default)]
    pub banned_until: Option<String>,
    /// When the user last signed in.
    #[serde(default)]
    pub last_sign_in_at: Option<String>,
    /// Metadata that only the service may write.
    #[serde(default)]
    pub app_metadata: Value,
    /// Metadata that the user may write. Do not trust it.
    #[serde(default)]
    pub user_metadata: Value,
}

/// Changes of an account. Fields that are none stay as they are.
#[derive(Clone, Default, Serialize)]
pub struct AccountChange {
    /// Another e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// `true`: the address counts as confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_confirm: Option<bool>,
    /// Another password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// For how long the account is banned, such as `24h`; `none` ends a ban.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ban_duration: Option<String>,
    /// Members that are set; those left out stay, `null` takes one away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_metadata: Option<Value>,
    /// Metadata that the user may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_metadata: Option<Value>,
}

/// Omits the password and the metadata.
impl fmt::Debug for AccountChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountChange").finish_non_exhaustive()
    }
}

/// The project's auth API.
#[derive(Debug)]
pub struct AuthClient<'a, T> {
    transport: &'a T,
    access: Access,
}

impl<'a, T: Transport> AuthClient<'a, T> {
    /// A client with the right of `service_role`; address and key come from the environment. For
    /// all calls but [`Self::user`].
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, ApiError> {
        Ok(Self { transport, access: Access::service(env)? })
    }

    /// A client with the caller's token, for [`Self::user`].
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when address or key is missing.
    pub fn as_caller(transport: &'a T, env: &Env, headers: &HeaderMap) -> Result<Self, ApiError> {
        Ok(Self { transport, access: Access::caller(env, headers)? })
    }

    /// The account behind the caller's token as it is now; nothing where there is none, as for an
    /// API key, or where the session has ended. [`crate::caller::user`] asks nobody, and knows
    /// less.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn user(&self) -> Result<Option<Account>, ApiError> {
        match self.account(Method::GET, "/auth/v1/user", &Value::Null).await {
            Ok(account) => Ok(Some(account)),
            Err(ApiError::Status { status: StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// An account by its id; nothing when there is none.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn find(&self, id: &str) -> Result<Option<Account>, ApiError> {
        match self.account(Method::GET, &of_admin(id)?, &Value::Null).await {
            Ok(account) => Ok(Some(account)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// One page of all accounts, counted from 1; a page behind the last one is empty.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn list(&self, page: u32, per_page: u32) -> Result<Vec<Account>, ApiError> {
        let path = format!("/auth/v1/admin/users?page={page}&per_page={per_page}");
        let mut answer = self.send(Method::GET, &path, &Value::Null).await?;
        serde_json::from_value(answer["users"].take()).map_err(|_| ApiError::Shape)
    }

    /// Changes an account and gives it as it is then.
    ///
    /// # Errors
    /// See [`ApiError`]; 404 `user_not_found` for an id that nobody has.
    pub async fn update(&self, id: &str, change: &AccountChange) -> Result<Account, ApiError> {
        let change = serde_json::to_value(change).map_err(|_| ApiError::Shape)?;
        self.account(Method::PUT, &of_admin(id)?, &change).await
    }

    async fn account(&self, method: Method, path: &str, body: &Value) -> Result<Account, ApiError> {
        let answer = self.send(method, path, body).await?;
        serde_json::from_value(answer).map_err(|_| ApiError::Shape)
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> Result<Value, ApiError> {
        let request = if body.is_null() {
            self.access.request(method, path).body(Vec::new()).map_err(|_| ApiError::NotConfigured)?
        } else {
            self.access.json(method, path, body)?
        };
        send_for_json(self.transport, request, CALL).await
    }
}

/// The path of an account; only an id may stand there.
fn of_admin(id: &str) -> Result<String, ApiError> {
    let id = id.to_ascii_lowercase();
    if is_uuid(&id) { Ok(format!("/auth/v1/admin/users/{id}")) } else { Err(ApiError::Argument("user id")) }
}
