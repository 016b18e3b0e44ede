//! `GET /reauthenticate`: sends a code to who changes the password (auth.md H22, U11, U15).

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::{
    bearer::Bearer,
    codes::{self, Dispatch, Slot},
    error::{AccountError, AuthError, PasswordError},
    mails::Kind,
    phone::Phone,
    request::Context,
    sms::{self, SmsDispatch},
    state::Inner,
    store::{
        audit::{self, Action},
        one_time_tokens,
        users::{self, User},
    },
    tries,
};

/// Sends a code to the user's address, or number where there is no address; `PUT /user` takes it as `nonce`.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
) -> Result<axum::Json<Value>, AuthError> {
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let user = users::by_id_for_update(db, bearer.user.id).await?.ok_or(AuthError::BearerUserNotFound)?;
    let answer = send(&inner, db, &context, &user).await?;
    audit::add(db, inner.new_id(), Action::UserReauthenticateRequested, &user, &context).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(answer))
}

async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
) -> Result<Value, AuthError> {
    let slot = Slot::Reauthentication;
    match (given(&user.email), given(&user.phone)) {
        (Some(_), _) if user.email_confirmed_at.is_none() => Err(AccountError::EmailNotVerified.into()),
        (Some(address), _) => {
            let address = address.as_str();
            codes::check_frequency(inner, user, slot, context.now)?;
            let dispatch =
                Dispatch { kind: Kind::Reauthentication, slot, address, new_email: None, challenge: None };
            codes::send(inner, db, context, user, &dispatch).await?;
            codes::note_sent(db, user, slot, context.now)
                .await
                .map_err(|error| AuthError::saving(error, inner.explains))?;
            Ok(json!({}))
        }
        (None, Some(_)) if user.phone_confirmed_at.is_none() => Err(AccountError::PhoneNotVerified.into()),
        (None, Some(phone)) => {
            let phone = Phone::parse(&phone)?;
            let dispatch = SmsDispatch { slot, phone: &phone, sms_type: "reauthentication" };
            sms::send(inner, db, context, user, &dispatch).await
        }
        (None, None) => Err(AuthError::validation(
            "Reauthentication requires the user to have an email or a phone number",
        )),
    }
}

fn given(field: &Option<String>) -> Option<String> {
    field.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase)
}

/// Uses a nonce up. Tries are counted before they are judged, and stay counted when the nonce is wrong.
///
/// # Errors
/// 422 `reauthentication_not_valid` for a wrong, used or old one, and after too many tries.
pub(crate) async fn redeem(
    inner: &Inner,
    context: &Context,
    user: &User,
    nonce: &str,
) -> Result<(), AuthError> {
    let address = given(&user.email).or(given(&user.phone)).unwrap_or_default();
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let may_try = tries::count(inner, db, &address, context).await?;
    let slots = [Slot::Reauthentication.name().to_owned()];
    let sent = one_time_tokens::sent_to(db, &address, &slots).await?;
    let is_right = |hash: &str| codes::is_code(inner, &address, nonce, hash);
    let found = sent.iter().find(|sent| sent.user_id == user.id && is_right(&sent.token_hash));
    let fresh = codes::is_fresh(inner, user, Slot::Reauthentication, context.now);
    let accepted = match found.filter(|_| may_try && fresh) {
        Some(pending) => one_time_tokens::take(db, pending.id).await?,
        None => false,
    };
    transaction.commit().await?;
    if accepted { Ok(()) } else { Err(PasswordError::NonceInvalid.into()) }
}
