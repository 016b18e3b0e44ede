//! `GET /reauthenticate`: sends a code to who changes the password (CONTRACT.md H22, U11, U15).

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::{
    audit::{self, Action},
    bearer::Bearer,
    codes::{self, Shown, Standing},
    error::{AccountError, AuthError, PasswordError},
    mails::Kind,
    phone::Phone,
    request::Context,
    sms::{self, SmsDispatch},
    state::Inner,
    store::{
        one_time_tokens::{self, Pending, Slot},
        users::User,
    },
};

/// Sends a code to the user's address, or number where there is no address; `PUT /user` takes it as `nonce`.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
) -> Result<axum::Json<Value>, AuthError> {
    let mut transaction = inner.begin(&context).await?;
    let db = &mut *transaction;
    let user = bearer.lock(db, context.now).await?;
    let answer = send(&inner, db, &context, &user).await?;
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
            let mail = (Kind::Reauthentication, address.as_str());
            codes::allow_own(inner, db, context, slot.sent_at(user), &[(mail.1, Standing::Trusted)]).await?;
            codes::mail(inner, db, context, user, mail, None).await?;
            Ok(json!({}))
        }
        (None, Some(_)) if user.phone_confirmed_at.is_none() => Err(AccountError::PhoneNotVerified.into()),
        (None, Some(phone)) => {
            let phone = Phone::parse(&phone)?;
            codes::allow_own_message(
                inner,
                db,
                context,
                slot.sent_at(user),
                (phone.as_str(), Standing::Trusted),
            )
            .await?;
            let dispatch = SmsDispatch { slot, phone: &phone, sms_type: "reauthentication" };
            sms::send(inner, db, context, user, &dispatch).await?;
            let action = Action::UserReauthenticateRequested;
            audit::add(db, inner.new_id(), action, user, context).await?;
            Ok(sms::answer(inner, &phone, context.now))
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
    let slots = [Slot::Reauthentication.name().to_owned()];
    let sent = codes::guess(inner, context, (&address, nonce), &slots).await?;
    let fresh =
        |sent: &Pending| codes::is_fresh(inner, user, Slot::Reauthentication, &sent.sent_to, context.now);
    let own = sent.map(|(sent, _)| sent).filter(|sent| sent.user_id == user.id && fresh(sent));
    let mut connection = inner.pool.acquire().await?;
    let accepted = match own {
        Some(sent) => one_time_tokens::take(&mut connection, sent.id).await?,
        None => false,
    };
    if !accepted {
        return Err(PasswordError::NonceInvalid.into());
    }
    Ok(codes::entered(inner, &mut connection, &address, context, Shown::Typed).await?)
}
