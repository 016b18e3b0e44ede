//! Sessions and the answer that carries their tokens (CONTRACT.md O26 to O31, S1).

/// Access tokens.
pub(crate) mod access_token;

/// Refresh tokens.
pub(crate) mod refresh_token;

/// How long a session lives.
pub(crate) mod lifetime;

use axum::response::{IntoResponse, Response};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::Serialize;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        accounts::{self, UserBody},
        audit_log::Action,
        sessions::access_token::UnsignedToken,
    },
    store::{
        audit,
        pipelines::{Account, SessionWithAccount},
        sessions::{self, Method, NewSession},
        users::{self, User},
    },
    tx::Tx,
    wire::{
        error::{AuthError, Weakness},
        redirect::Pairs,
        request::RequestContext,
    },
};

/// A session with its tokens, as an answer hands it out.
///
/// It has no `Serialize` on purpose. It leaves by [`IntoResponse`] or by [`IssuedSession::pairs`],
/// so no endpoint can write it without its headers (CONTRACT.md W9).
#[derive(Debug)]
pub(crate) struct IssuedSession {
    body: SessionBody,
    user: Uuid,
    session: Uuid,
}

/// The session object of answers.
#[derive(Debug, Serialize)]
struct SessionBody {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    expires_at: i64,
    refresh_token: String,
    user: UserBody,
    /// The provider's own tokens, right after a sign-in with it (CONTRACT.md O31).
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_refresh_token: Option<String>,
    /// A warning when the password no longer meets the rules (CONTRACT.md O32).
    #[serde(skip_serializing_if = "Option::is_none")]
    weak_password: Option<Weakness>,
}

impl IssuedSession {
    pub(crate) fn refresh_token(&self) -> &str {
        &self.body.refresh_token
    }

    pub(crate) fn with_refresh_token(mut self, refresh_token: String) -> Self {
        self.body.refresh_token = refresh_token;
        self
    }

    pub(crate) fn with_weak_password(mut self, weakness: Option<Weakness>) -> Self {
        self.body.weak_password = weakness;
        self
    }

    /// The session as a browser takes it along in a fragment (CONTRACT.md V6, G6). `kind` is what a
    /// link was for.
    pub(crate) fn pairs(self, kind: Option<&str>) -> Pairs {
        let body = self.body;
        let mut pairs = vec![
            ("access_token", body.access_token),
            ("token_type", body.token_type.to_owned()),
            ("expires_in", body.expires_in.to_string()),
            ("expires_at", body.expires_at.to_string()),
            ("refresh_token", body.refresh_token),
        ];
        pairs.extend(body.provider_token.map(|token| ("provider_token", token)));
        pairs.extend(body.provider_refresh_token.map(|token| ("provider_refresh_token", token)));
        pairs.extend(kind.map(|kind| ("type", kind.to_owned())));
        pairs.push(("sb", String::new()));
        pairs
    }

    fn ids(&self) -> (Uuid, Uuid) {
        (self.user, self.session)
    }

    /// Whose session the answer carries, and that no cache may keep it (CONTRACT.md W9).
    fn headers(&self) -> HeaderMap {
        let id = |id: Uuid| HeaderValue::try_from(id.to_string()).expect("a UUID is a header value");
        HeaderMap::from_iter([
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (HeaderName::from_static("sb-auth-user-id"), id(self.user)),
            (HeaderName::from_static("sb-auth-session-id"), id(self.session)),
        ])
    }
}

impl IntoResponse for IssuedSession {
    fn into_response(self) -> Response {
        (self.headers(), axum::Json(self.body)).into_response()
    }
}

/// A session whose access token is not signed yet. It is written in a transaction or a pipeline. A
/// hook that may change its claims is asked after the commit, when nothing is locked and no
/// connection is held, unless it is in the database and there is a transaction.
pub(crate) struct UnsignedSession {
    issued: IssuedSession,
    token: UnsignedToken,
    /// What is undone if it cannot be signed.
    scope: UndoScope,
}

/// What is undone of a session that gets no token.
#[derive(Debug, Clone, Copy)]
enum UndoScope {
    /// Nothing: the owner has an older token of the session.
    Nothing,
    /// The session.
    Session,
    /// The account, which the same request created.
    Account,
}

impl UnsignedSession {
    /// Adds the tokens of the provider by which the user signed in.
    pub(crate) fn with_tokens_of_provider(
        mut self,
        (access, refresh): (Option<String>, Option<String>),
    ) -> Self {
        self.issued.body.provider_token = access;
        self.issued.body.provider_refresh_token = refresh;
        self
    }

    /// Signs the access token. Call it after the commit. A hook is asked even if the client hangs
    /// up; then the session ends, because nobody gets its token.
    ///
    /// # Errors
    /// What the hook says, or that it could not be asked.
    pub(crate) async fn sign(
        self,
        service: &ServiceContext,
        context: &RequestContext,
    ) -> Result<IssuedSession, AuthError> {
        if !self.token.has_pending_hook() {
            return self.sign_now(service, context).await;
        }
        let service = service.weak_self.upgrade().expect("who is borrowed here is not dropped");
        let (context, (give, taken)) = (context.clone(), oneshot::channel());
        tokio::spawn(Box::pin(async move {
            // The shutdown waits for these permits.
            let _permit = service.after_commit_permits.try_acquire();
            let (ids, ends) = (self.issued.ids(), !matches!(self.scope, UndoScope::Nothing));
            if give.send(self.sign_now(&service, &context).await).is_err() && ends {
                undo(&service, &context, ids, UndoScope::Session).await;
            }
        }));
        taken.await.unwrap_or(Err(AuthError::Timeout))
    }

    async fn sign_now(
        self,
        service: &ServiceContext,
        context: &RequestContext,
    ) -> Result<IssuedSession, AuthError> {
        let Self { mut issued, token, scope } = self;
        match access_token::sign(service, context, issued.user, token).await {
            Ok(token) => {
                issued.body.access_token = token;
                Ok(issued)
            }
            Err(error) => {
                undo(service, context, issued.ids(), scope).await;
                Err(error)
            }
        }
    }
}

/// Takes back what was committed before its token was refused. An account that the request created
/// is deleted, unless somebody else has signed in to it or rows of the project refer to it.
async fn undo(
    service: &ServiceContext,
    context: &RequestContext,
    (user, session): (Uuid, Uuid),
    scope: UndoScope,
) {
    let without_account = match scope {
        UndoScope::Nothing => return,
        UndoScope::Session => false,
        UndoScope::Account => users::delete_unused(&service.pool, user, session).await.unwrap_or(false),
    };
    if let Err(error) = undo_rest(service, context, (user, session), without_account).await {
        tracing::error!(%error, session.id = %session, "a session that nobody has a token of could not be undone");
    }
}

/// Deletes the session, unless it went with the account, and the audit entries of both.
async fn undo_rest(
    service: &ServiceContext,
    context: &RequestContext,
    (user, session): (Uuid, Uuid),
    without_account: bool,
) -> Result<(), sqlx::Error> {
    if without_account {
        tracing::info!(user.id = %user, "an account was taken back: its token was refused");
    } else {
        sessions::delete(&service.pool, session).await?;
        tracing::info!(user.id = %user, session.id = %session, "a session was taken back: nobody has a token of it");
    }
    // Nobody signed in. If the account is gone, nothing else was done either.
    let notes = context.after_commit.committed().into_iter();
    let void = notes.filter(|note| without_account || matches!(note.action, Action::Login));
    let void: Vec<Uuid> = void.map(|note| note.id).collect();
    if void.is_empty() { Ok(()) } else { audit::take_back(&service.pool, &void).await }
}

/// Opens a session for a user who just proved who they are by `method` (CONTRACT.md S1, T13).
///
/// # Errors
/// [`AuthError::Refused`] when a trigger of the project on `auth.users` says no.
pub(crate) async fn open(tx: &mut Tx<'_>, user: Uuid, method: &str) -> Result<UnsignedSession, AuthError> {
    let fresh = NewSessionKey::new(tx.service);
    sessions::insert(tx.db, &fresh.row(tx.service, tx.context, user, method), tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))?;
    let user = accounts::load(tx.db, user).await?;
    let (id, token) = (fresh.id, fresh.refresh_token());
    let methods = [Method { name: method.to_owned(), at: tx.context.now }];
    let scope = if tx.context.created.includes(user.id) { UndoScope::Account } else { UndoScope::Session };
    Ok(UnsignedSession { scope, ..prepare(tx, user, (id, "aal1", &methods), token).await? })
}

/// Id and key of a new session.
pub(crate) struct NewSessionKey {
    id: Uuid,
    key: [u8; 32],
    encoded: String,
}

impl NewSessionKey {
    pub(crate) fn new(service: &ServiceContext) -> Self {
        let key = service.random();
        Self { id: service.new_id(), key, encoded: URL_SAFE_NO_PAD.encode(key) }
    }

    pub(crate) fn row<'a>(
        &'a self,
        service: &ServiceContext,
        context: &'a RequestContext,
        user: Uuid,
        method: &'a str,
    ) -> NewSession<'a> {
        NewSession {
            id: self.id,
            user_id: user,
            user_agent: context.user_agent.as_deref(),
            ip: context.client,
            hmac_key: &self.encoded,
            method: (service.new_id(), method),
        }
    }

    /// Ends the session, because nobody gets its token.
    pub(crate) async fn take_back(&self, service: &ServiceContext, context: &RequestContext, user: Uuid) {
        undo(service, context, (user, self.id), UndoScope::Session).await;
    }

    fn refresh_token(&self) -> String {
        refresh_token::encode(self.id, 0, &self.key)
    }
}

/// The answer for a session that a pipeline opened.
pub(crate) fn opened(
    service: &ServiceContext,
    context: &RequestContext,
    fresh: &NewSessionKey,
    Account { user, identities }: Account,
    method: &str,
) -> UnsignedSession {
    let methods = [Method { name: method.to_owned(), at: context.now }];
    let token = access_token::collect(service, context, &user, (fresh.id, "aal1"), &methods);
    let (ids, user) = ((user.id, fresh.id), accounts::body(user, Some(identities)));
    let issued = issued(service, context, ids, (String::new(), fresh.refresh_token()), user);
    UnsignedSession { issued, token, scope: UndoScope::Session }
}

/// The answer for a session that a factor is about to raise to aal2. The caller adds the refresh
/// token.
pub(crate) async fn answer_raised(
    tx: &mut Tx<'_>,
    user: User,
    session: Uuid,
    method: &str,
) -> Result<UnsignedSession, AuthError> {
    let mut methods = vec![Method { name: method.to_owned(), at: tx.context.now }];
    methods
        .extend(sessions::methods(&mut *tx.db, session).await?.into_iter().filter(|one| one.name != method));
    prepare(tx, user, (session, "aal2", &methods), String::new()).await
}

async fn prepare(
    tx: &mut Tx<'_>,
    user: User,
    (session, aal, methods): (Uuid, &str, &[Method]),
    refresh_token: String,
) -> Result<UnsignedSession, AuthError> {
    let token = access_token::prepare(tx, &user, (session, aal), methods).await?;
    let ids = (user.id, session);
    let user = accounts::show(&mut *tx.db, user).await?;
    let issued = issued(tx.service, tx.context, ids, (String::new(), refresh_token), user);
    Ok(UnsignedSession { issued, token, scope: UndoScope::Nothing })
}

/// The answer for an existing session, as a pipeline read it.
pub(crate) fn answer_read(
    service: &ServiceContext,
    context: &RequestContext,
    read: SessionWithAccount,
    refresh_token: String,
) -> UnsignedSession {
    let SessionWithAccount { session, methods, account: Account { user, identities }, .. } = read;
    let aal = session.aal.as_deref().unwrap_or("aal1");
    let token = access_token::collect(service, context, &user, (session.id, aal), &methods);
    let (ids, user) = ((user.id, session.id), accounts::body(user, Some(identities)));
    let issued = issued(service, context, ids, (String::new(), refresh_token), user);
    UnsignedSession { issued, token, scope: UndoScope::Nothing }
}

fn issued(
    service: &ServiceContext,
    context: &RequestContext,
    (of_user, session): (Uuid, Uuid),
    (access_token, refresh_token): (String, String),
    user: UserBody,
) -> IssuedSession {
    let expires_in = access_token::expiry_seconds(service);
    let body = SessionBody {
        access_token,
        token_type: "bearer",
        expires_in,
        expires_at: context.now.unix_timestamp() + expires_in,
        refresh_token,
        user,
        provider_token: None,
        provider_refresh_token: None,
        weak_password: None,
    };
    IssuedSession { body, user: of_user, session }
}
