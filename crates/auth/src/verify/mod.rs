//! `/verify`: turns a code or a link into a session (CONTRACT.md V1 to V14).

/// `POST /verify`: for applications.
pub(crate) mod post;

/// `GET /verify`: for links in mails.
pub(crate) mod get;

/// The usual sign-in by a code that was typed in.
mod at_once;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    accounts, address_changes,
    audit::{self, Action},
    codes,
    error::{AccountError, AuthError},
    first_proof::{self, Proof},
    mails::{Kind, News},
    notices, passwords,
    request::Context,
    sessions::{self, Opening},
    state::Inner,
    store::{
        self,
        one_time_tokens::{self, Pending, Slot},
        users::{self, User},
    },
};

/// The slots in which a code of a type may be (CONTRACT.md V3).
///
/// # Errors
/// 400 `validation_failed` for a type that no e-mail code has.
fn slots_of(kind: &str) -> Result<Vec<String>, AuthError> {
    let slots: &[Slot] = match kind {
        "signup" | "invite" => &[Slot::Confirmation],
        "magiclink" | "recovery" => &[Slot::Recovery],
        "email" => &[Slot::Confirmation, Slot::Recovery],
        "email_change" => &[Slot::EmailChangeCurrent, Slot::EmailChangeNew],
        "sms" => &[Slot::Confirmation],
        "phone_change" => &[Slot::PhoneChange],
        "" => return Err(AuthError::validation("Verify requires a verification type")),
        _ => return Err(AuthError::validation("Invalid email verification type")),
    };
    Ok(slots.iter().map(|slot| slot.name().to_owned()).collect())
}

/// The code that a link's token stands for. Tokens of the reference's form, which an imported database may hold, say nothing
/// of the server's key: they count for clients that few wrong ones come from.
///
/// # Errors
/// 403 `otp_expired`.
async fn of_link(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    token: &str,
    slots: &[String],
) -> Result<Pending, AuthError> {
    let hashes = codes::stored_forms_of_link(inner, token);
    let Some(pending) = one_time_tokens::by_hash(db, &hashes, slots).await? else {
        inner.limits.wrong_link(&context.client_key(), context.now);
        return Err(AuthError::LinkRefused);
    };
    let is_of_reference = pending.token_hash == token;
    if is_of_reference && !inner.limits.takes_links_of_reference(&context.client_key(), context.now) {
        return Err(AuthError::LinkRefused);
    }
    Ok(pending)
}

/// What a right code led to.
enum Proven {
    /// The user is who they say.
    SignedIn(Uuid),
    /// The first of two addresses agreed to a change (CONTRACT.md V10).
    HalfChanged,
}

/// Text of the first of two confirmations.
const HALF_CHANGED: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// Uses a right code up and does what it was for (CONTRACT.md V4). The code must have been compared
/// before.
///
/// # Errors
/// `refused` when the code is too old or was used meanwhile, 403 `user_banned`, or what the project's triggers say.
async fn redeem(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    pending: &Pending,
    refused: fn() -> AuthError,
) -> Result<Proven, AuthError> {
    let slot = Slot::parse(&pending.slot).ok_or_else(refused)?;
    let user = users::by_id_for_update(db, pending.user_id).await?.ok_or_else(refused)?;
    if !codes::is_fresh(inner, &user, slot, &pending.sent_to, context.now)
        || !is_still_meant(&user, slot, pending)
        || !take(inner, db, context, slot, pending).await?
    {
        return Err(refused());
    }
    if user.is_banned(context.now) {
        return Err(AuthError::BearerBanned);
    }
    match slot {
        Slot::Confirmation if is_number_of(&user, pending) => {
            sign_in_by_phone(inner, db, context, user).await
        }
        Slot::Confirmation | Slot::Recovery => sign_in(inner, db, context, user).await,
        Slot::EmailChangeCurrent | Slot::EmailChangeNew => change_email(inner, db, context, user).await,
        Slot::PhoneChange => change_phone(inner, db, context, user).await,
        // Only `PUT /user` takes it.
        Slot::Reauthentication => Err(refused()),
    }
}

/// Takes a code, with all others of its account; the owners of two addresses have one each, and what the first agreed to is
/// over with the code of its time, however often the other's was sent again.
async fn take(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    slot: Slot,
    pending: &Pending,
) -> Result<bool, sqlx::Error> {
    match slot {
        Slot::EmailChangeCurrent | Slot::EmailChangeNew => {
            let since = codes::fresh_since(inner, &pending.sent_to, context.now);
            one_time_tokens::take_begun_since(db, pending.id, since).await
        }
        _ => one_time_tokens::take_with_others(db, pending.id, pending.user_id).await,
    }
}

/// Whether a code went to an address or number that the account still has, or is still to have: an admin may have changed it
/// since, and who reads the former one proves nothing of the present one.
fn is_still_meant(user: &User, slot: Slot, pending: &Pending) -> bool {
    let is = |field: &Option<String>| {
        field.as_deref().is_some_and(|own| !own.is_empty() && own.eq_ignore_ascii_case(&pending.sent_to))
    };
    match slot {
        Slot::Confirmation | Slot::Recovery | Slot::Reauthentication => is(&user.email) || is(&user.phone),
        Slot::EmailChangeCurrent => is(&user.email),
        Slot::EmailChangeNew => is(&user.email_change),
        Slot::PhoneChange => is(&user.phone_change),
    }
}

/// Whether a code went to the number of an account and not to its address.
fn is_number_of(user: &User, pending: &Pending) -> bool {
    user.phone.as_deref().is_some_and(|phone| !phone.is_empty() && phone == pending.sent_to)
}

async fn sign_in_by_phone(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
) -> Result<Proven, AuthError> {
    let action = if user.phone_confirmed_at.is_none() { Action::UserSignedUp } else { Action::Login };
    if user.phone_confirmed_at.is_none() {
        first_proof::by_code(inner, db, context, &user, Proof::Phone).await?;
    }
    audit::add(db, inner.new_id(), action, &user, context).await?;
    Ok(Proven::SignedIn(user.id))
}

/// The owner reads messages to the new number (CONTRACT.md U9).
async fn change_phone(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
) -> Result<Proven, AuthError> {
    let new = user.phone_change.clone().filter(|phone| !phone.is_empty()).ok_or(AuthError::CodeRefused)?;
    if users::is_phone_taken(&mut *db, &new, user.id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    address_changes::apply_phone(inner, db, context, &user, &new).await?;
    audit::add(db, inner.new_id(), Action::UserModified, &user, context).await?;
    Ok(Proven::SignedIn(user.id))
}

async fn sign_in(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
) -> Result<Proven, AuthError> {
    let is_first = user.email_confirmed_at.is_none();
    let action = if is_first { Action::UserSignedUp } else { Action::Login };
    if is_first {
        first_proof::by_code(inner, db, context, &user, Proof::Email).await?;
    }
    if is_first && user.invited_at.is_some() || lacks_password_of_invitation(&user) {
        // The application asks for one next; until then nobody knows it, nor the one that was there
        // (CONTRACT.md V4).
        let hash = passwords::hash_of_nothing_known(&inner.random(), &inner.random());
        let saved = store::passwords::set(db, user.id, &hash, context.now).await;
        saved.map_err(|error| AuthError::saving(error, inner.explains))?;
    }
    audit::add(db, inner.new_id(), action, &user, context).await?;
    Ok(Proven::SignedIn(user.id))
}

/// Whether an account that was invited has no password yet.
fn lacks_password_of_invitation(user: &User) -> bool {
    user.invited_at.is_some() && !user.has_password
}

/// One address agreed; the change is made when no other has to (CONTRACT.md U2, U4, U6).
async fn change_email(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
) -> Result<Proven, AuthError> {
    let both = inner.settings.double_confirm_changes
        && user.email.as_deref().is_some_and(|current| !current.is_empty());
    if both && user.email_change_confirm_status.unwrap_or_default() == 0 {
        users::email_change_half_confirmed(db, user.id, context.now)
            .await
            .map_err(|error| AuthError::saving(error, inner.explains))?;
        return Ok(Proven::HalfChanged);
    }
    let new =
        user.email_change.clone().filter(|address| !address.is_empty()).ok_or(AuthError::CodeRefused)?;
    if users::is_taken(&mut *db, &new, user.id).await? {
        return Err(AuthError::EmailExists);
    }
    accounts::change_email(inner, db, user.id, &new, context.now).await?;
    one_time_tokens::clear(db, user.id).await?;
    audit::add(db, inner.new_id(), Action::UserModified, &user, context).await?;
    let changed = accounts::load(db, user.id).await?;
    if let Some(old) = user.email.as_deref().filter(|old| !old.is_empty()) {
        let news = News { old_email: old, ..News::default() };
        notices::send(inner, db, context, &changed, Kind::EmailChanged, news).await?;
    }
    Ok(Proven::SignedIn(user.id))
}

/// How a session is signed in that a proof earns (CONTRACT.md T14).
const METHOD: &str = "otp";

/// Opens the session that a proof earns.
async fn open_session(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: Uuid,
) -> Result<Opening, AuthError> {
    sessions::open(inner, db, context, user, METHOD).await
}
