//! `/verify`: turns a code or a link into a session (CONTRACT.md V1 to V14).

/// `POST /verify`: for applications.
pub(crate) mod post;

/// `GET /verify`: for links in mails.
pub(crate) mod get;

/// The sign-in to an account that is confirmed, in one pipeline.
mod sign_in;

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        accounts, address_changes,
        audit_log::{self, Action},
        codes,
        limits::{otp_attempts::CodeSource, otp_quota},
        ownership_proof::{self, ProvenAddress},
        security_notifications,
        sessions::{self, UnsignedSession},
    },
    mails::{Kind, NoticeDetails},
    passwords,
    store::{
        self,
        one_time_tokens::{self, Pending, TokenType},
        pipelines::AccountVersion,
        users::{self, User},
    },
    tx::Tx,
    wire::{
        error::{AccountError, AuthError},
        request::RequestContext,
    },
};

/// The token types of a `type` in a request (CONTRACT.md V3).
///
/// # Errors
/// 400 `validation_failed` for a type that no e-mail code has.
fn token_types_of(kind: &str) -> Result<Vec<String>, AuthError> {
    let token_types: &[TokenType] = match kind {
        "signup" | "invite" => &[TokenType::Confirmation],
        "magiclink" | "recovery" => &[TokenType::Recovery],
        "email" => &[TokenType::Confirmation, TokenType::Recovery],
        "email_change" => &[TokenType::EmailChangeCurrent, TokenType::EmailChangeNew],
        "sms" => &[TokenType::Confirmation],
        "phone_change" => &[TokenType::PhoneChange],
        "" => return Err(AuthError::validation("Verify requires a verification type")),
        _ => return Err(AuthError::validation("Invalid email verification type")),
    };
    Ok(token_types.iter().map(|token_type| token_type.name().to_owned()).collect())
}

/// The code of a link's token. An imported database may hold tokens of the reference's form, which
/// need no key of the server. Such a token is accepted only from clients with few wrong guesses.
///
/// # Errors
/// 403 `otp_expired`.
async fn of_link(
    service: &ServiceContext,
    executor: impl PgExecutor<'_>,
    context: &RequestContext,
    token: &str,
    token_types: &[String],
) -> Result<Pending, AuthError> {
    let hashes = codes::stored_forms_of_link(service, token);
    let Some(pending) = one_time_tokens::by_hash(executor, &hashes, token_types).await? else {
        service.limits.wrong_link(&context.client_key(), context.now);
        return Err(AuthError::LinkRefused);
    };
    let is_of_reference = pending.token_hash == token;
    if is_of_reference && !service.limits.takes_links_of_reference(&context.client_key(), context.now) {
        return Err(AuthError::LinkRefused);
    }
    Ok(pending)
}

/// The outcome of a right code.
enum Proven {
    /// The user signs in.
    SignedIn(Uuid),
    /// The first of two addresses confirmed a change (CONTRACT.md V10).
    HalfChanged,
}

/// Text of the first of two confirmations.
const HALF_CHANGED: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// A right code was used, and opened a session or is the first of two.
enum Redeemed {
    Session(Box<UnsignedSession>),
    HalfChanged,
}

/// Uses a right code up, does what it is for and opens the session (CONTRACT.md V4). The caller has
/// compared the code, and may have read its account.
///
/// # Errors
/// As [`redeem`].
async fn redeem_for_session(
    service: &ServiceContext,
    context: &RequestContext,
    (pending, known): (&Pending, Option<AccountVersion>),
    (source, refused): (CodeSource, fn() -> AuthError),
) -> Result<Redeemed, AuthError> {
    if let Some(session) = sign_in::open(service, context, (pending, known), (source, refused)).await? {
        return Ok(Redeemed::Session(Box::new(session)));
    }
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    let proven = redeem(tx, pending, refused).await?;
    otp_quota::entered(tx, &pending.sent_to, source).await?;
    let redeemed = match proven {
        Proven::SignedIn(user) => Redeemed::Session(Box::new(sessions::open(tx, user, METHOD).await?)),
        Proven::HalfChanged => Redeemed::HalfChanged,
    };
    service.commit(transaction).await?;
    Ok(redeemed)
}

/// Uses a right code up and does what it is for, in the caller's transaction.
///
/// # Errors
/// `refused` if the code is too old or was used meanwhile, 403 `user_banned`, or what the project's
/// triggers raise.
async fn redeem(tx: &mut Tx<'_>, pending: &Pending, refused: fn() -> AuthError) -> Result<Proven, AuthError> {
    let user = users::by_id_for_update(tx.db, pending.user_id).await?.ok_or_else(refused)?;
    let token_type = judge(tx.service, tx.context, &user, (pending, refused))?;
    if !take(tx, token_type, pending).await? {
        return Err(refused());
    }
    match token_type {
        TokenType::Confirmation if is_number_of(&user, pending) => sign_in_by_phone(tx, user).await,
        TokenType::Confirmation | TokenType::Recovery => sign_in_by_email(tx, user).await,
        TokenType::EmailChangeCurrent | TokenType::EmailChangeNew => change_email(tx, user).await,
        TokenType::PhoneChange => change_phone(tx, user).await,
        // Only `PUT /user` takes it.
        TokenType::Reauthentication => Err(refused()),
    }
}

/// The type of a code that still counts for its account.
///
/// # Errors
/// As [`redeem`].
fn judge(
    service: &ServiceContext,
    context: &RequestContext,
    user: &User,
    (pending, refused): (&Pending, fn() -> AuthError),
) -> Result<TokenType, AuthError> {
    let token_type = TokenType::parse(&pending.token_type).ok_or_else(refused)?;
    if !codes::is_fresh(service, user, token_type, &pending.sent_to, context.now)
        || !is_still_meant(user, token_type, pending)
    {
        return Err(refused());
    }
    if user.is_banned(context.now) { Err(AuthError::BearerBanned) } else { Ok(token_type) }
}

/// Uses up a code with all others of its account. For a change of address each owner has one; the
/// first confirmation ends with the code of its time, even if the other code was sent again.
async fn take(tx: &mut Tx<'_>, token_type: TokenType, pending: &Pending) -> Result<bool, sqlx::Error> {
    match token_type {
        TokenType::EmailChangeCurrent | TokenType::EmailChangeNew => {
            let since = codes::fresh_since(tx.service, &pending.sent_to, tx.context.now);
            one_time_tokens::take_begun_since(tx.db, pending.id, since).await
        }
        TokenType::Confirmation
        | TokenType::Recovery
        | TokenType::PhoneChange
        | TokenType::Reauthentication => {
            one_time_tokens::take_with_others(tx.db, pending.id, pending.user_id).await
        }
    }
}

/// Whether the account still has the address or number that the code went to, or is still to get
/// it. An admin may have changed it, and a code to the former one proves nothing about the present
/// one.
fn is_still_meant(user: &User, token_type: TokenType, pending: &Pending) -> bool {
    let is = |field: &Option<String>| {
        field.as_deref().is_some_and(|own| !own.is_empty() && own.eq_ignore_ascii_case(&pending.sent_to))
    };
    match token_type {
        TokenType::Confirmation | TokenType::Recovery | TokenType::Reauthentication => {
            is(&user.email) || is(&user.phone)
        }
        TokenType::EmailChangeCurrent => is(&user.email),
        TokenType::EmailChangeNew => is(&user.email_change),
        TokenType::PhoneChange => is(&user.phone_change),
    }
}

/// Whether a code went to the number of an account and not to its address.
fn is_number_of(user: &User, pending: &Pending) -> bool {
    user.phone.as_deref().is_some_and(|phone| !phone.is_empty() && phone == pending.sent_to)
}

async fn sign_in_by_phone(tx: &mut Tx<'_>, user: User) -> Result<Proven, AuthError> {
    let action = if user.phone_confirmed_at.is_none() { Action::UserSignedUp } else { Action::Login };
    if user.phone_confirmed_at.is_none() {
        ownership_proof::by_code(tx, &user, ProvenAddress::Phone).await?;
    }
    audit_log::add(tx, action, &user).await?;
    Ok(Proven::SignedIn(user.id))
}

/// Stores the new number, which its owner confirmed (CONTRACT.md U9).
async fn change_phone(tx: &mut Tx<'_>, user: User) -> Result<Proven, AuthError> {
    let new = user.phone_change.clone().filter(|phone| !phone.is_empty()).ok_or(AuthError::CodeRefused)?;
    if users::is_phone_taken(&mut *tx.db, &new, user.id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    address_changes::apply_phone(tx, &user, &new).await?;
    audit_log::add(tx, Action::UserModified, &user).await?;
    Ok(Proven::SignedIn(user.id))
}

async fn sign_in_by_email(tx: &mut Tx<'_>, user: User) -> Result<Proven, AuthError> {
    let is_first = user.email_confirmed_at.is_none();
    let action = if is_first { Action::UserSignedUp } else { Action::Login };
    if is_first {
        ownership_proof::by_code(tx, &user, ProvenAddress::Email).await?;
    }
    if is_first && user.invited_at.is_some() || lacks_password_of_invitation(&user) {
        // The application asks for a password next. Until then nobody knows it, nor the earlier one
        // (CONTRACT.md V4).
        let hash = passwords::unknowable_hash(&tx.service.random(), &tx.service.random());
        let saved = store::passwords::set(tx.db, user.id, &hash, tx.context.now).await;
        saved.map_err(|error| tx.service.save_error(error))?;
    }
    audit_log::add(tx, action, &user).await?;
    Ok(Proven::SignedIn(user.id))
}

/// Whether an invited account has no password yet.
fn lacks_password_of_invitation(user: &User) -> bool {
    user.invited_at.is_some() && !user.has_password
}

/// Stores that one address agreed, and changes the address if no other must agree (CONTRACT.md U2,
/// U4, U6).
async fn change_email(tx: &mut Tx<'_>, user: User) -> Result<Proven, AuthError> {
    let both = tx.service.settings.double_confirm_changes
        && user.email.as_deref().is_some_and(|current| !current.is_empty());
    if both && user.email_change_confirm_status.unwrap_or_default() == 0 {
        users::email_change_half_confirmed(tx.db, user.id, tx.context.now)
            .await
            .map_err(|error| tx.service.save_error(error))?;
        return Ok(Proven::HalfChanged);
    }
    let new =
        user.email_change.clone().filter(|address| !address.is_empty()).ok_or(AuthError::CodeRefused)?;
    if users::is_taken(&mut *tx.db, &new, user.id).await? {
        return Err(AuthError::EmailExists);
    }
    accounts::change_email(tx, user.id, &new).await?;
    one_time_tokens::clear(tx.db, user.id).await?;
    audit_log::add(tx, Action::UserModified, &user).await?;
    let changed = accounts::load(tx.db, user.id).await?;
    if let Some(old) = user.email.as_deref().filter(|old| !old.is_empty()) {
        let details = NoticeDetails { old_email: old, ..NoticeDetails::default() };
        security_notifications::send(tx, &changed, Kind::EmailChanged, details).await?;
    }
    Ok(Proven::SignedIn(user.id))
}

/// The method of a session after a right code (CONTRACT.md T14).
const METHOD: &str = "otp";
