//! `/verify`: turns a code or a link into a session (auth.md section 10).

/// `POST /verify`: for applications.
pub(crate) mod post;

/// `GET /verify`: for links in mails.
pub(crate) mod get;

use sqlx::PgConnection;

use crate::{
    accounts,
    codes::Slot,
    error::AuthError,
    request::Context,
    sessions::{self, SessionBody},
    state::Inner,
    store::{
        audit::{self, Action},
        identities,
        one_time_tokens::{self, Pending},
        users::{self, User},
    },
    tries,
};

/// The slots in which a code of a type may be (auth.md V3).
///
/// # Errors
/// 400 `validation_failed` for a type that no e-mail code has.
fn slots_of(kind: &str) -> Result<Vec<String>, AuthError> {
    let slots: &[Slot] = match kind {
        "signup" | "invite" => &[Slot::Confirmation],
        "magiclink" | "recovery" => &[Slot::Recovery],
        "email" => &[Slot::Confirmation, Slot::Recovery],
        "email_change" => &[Slot::EmailChangeCurrent, Slot::EmailChangeNew],
        "" => return Err(AuthError::validation("Verify requires a verification type")),
        _ => return Err(AuthError::validation("Invalid email verification type")),
    };
    Ok(slots.iter().map(|slot| slot.name().to_owned()).collect())
}

/// What a right code led to.
enum Proven {
    /// The user is who they say.
    SignedIn(Box<User>),
    /// The first of two addresses agreed to a change (auth.md V10).
    HalfChanged,
}

/// Text of the first of two confirmations.
const HALF_CHANGED: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// Uses a right code up and does what it was for (auth.md V4). The code must have been compared before.
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
    if !crate::codes::is_fresh(inner, &user, slot, context.now)
        || !one_time_tokens::take(db, pending.id).await?
    {
        return Err(refused());
    }
    if user.is_banned(context.now) {
        return Err(AuthError::BearerBanned);
    }
    match slot {
        Slot::Confirmation | Slot::Recovery => sign_in(inner, db, context, user).await,
        Slot::EmailChangeCurrent | Slot::EmailChangeNew => change_email(inner, db, context, user, slot).await,
    }
}

async fn sign_in(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
) -> Result<Proven, AuthError> {
    one_time_tokens::clear(db, user.id).await?;
    let action = if user.email_confirmed_at.is_none() { Action::UserSignedUp } else { Action::Login };
    if user.email_confirmed_at.is_none() {
        accounts::confirm(inner, db, user.id, context.now).await?;
    }
    audit::add(db, inner.new_id(), action, &user, context).await?;
    Ok(Proven::SignedIn(Box::new(accounts::load(db, user.id).await?)))
}

/// One address agreed; the change is made when no other has to (auth.md U2, U4, U6).
async fn change_email(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: User,
    agreed: Slot,
) -> Result<Proven, AuthError> {
    let other = match agreed {
        Slot::EmailChangeNew => Slot::EmailChangeCurrent,
        _ => Slot::EmailChangeNew,
    };
    let saved = |error| AuthError::saving(error, inner.explains);
    if one_time_tokens::is_pending(db, user.id, other).await? {
        users::email_change_half_confirmed(db, user.id, context.now).await.map_err(saved)?;
        return Ok(Proven::HalfChanged);
    }
    let new =
        user.email_change.clone().filter(|address| !address.is_empty()).ok_or(AuthError::CodeRefused)?;
    if users::is_taken(&mut *db, &new, user.id).await? {
        return Err(AuthError::EmailExists);
    }
    users::change_email(db, user.id, &new, context.now).await.map_err(saved)?;
    identities::put_email(db, inner.new_id(), user.id, &new, true, context.now).await.map_err(saved)?;
    one_time_tokens::clear(db, user.id).await?;
    audit::add(db, inner.new_id(), Action::UserModified, &user, context).await?;
    Ok(Proven::SignedIn(Box::new(accounts::load(db, user.id).await?)))
}

/// Opens the session that a proof earns; its method is always `otp` (auth.md T14).
async fn open_session(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
) -> Result<SessionBody, AuthError> {
    if let Some(email) = &user.email {
        tries::begin(inner, db, &email.to_lowercase(), None, context.now).await?;
    }
    sessions::open(inner, db, context, user.id, "otp").await
}
