use std::sync::Arc;

use axum::extract::State;

use super::AccountInput;
use crate::{
    accounts::{self, NewAccount, UserBody},
    bearer::Admin,
    email::Email,
    error::AuthError,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        users,
    },
};

/// `POST /admin/users` (auth.md H41, D4, D5): makes an account with an address; no mail is sent.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    context: Context,
    Json(input): Json<AccountInput>,
) -> Result<axum::Json<UserBody>, AuthError> {
    input.refuse_what_is_not_offered()?;
    let address = input.email.as_deref().filter(|email| !email.is_empty());
    let address = address
        .ok_or_else(|| AuthError::validation("Cannot create a user without either an email or phone"))?;
    let email = Email::parse(address)?;
    let ban = input.ban(context.now)?;
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let new = NewAccount {
        id: input.id,
        email: &email,
        role: input.role().unwrap_or("authenticated"),
        app_metadata: input.app_metadata.as_ref(),
        user_metadata: input.user_metadata.as_ref(),
        confirmed: input.email_confirm == Some(true),
    };
    let user = accounts::create(&inner, db, new, context.now).await?.ok_or(AuthError::EmailExists)?;
    if ban.is_some() {
        users::set_by_admin(db, user.id, None, ban, context.now).await?;
    }
    audit::add(db, inner.new_id(), Action::UserSignedUp, &user, &context).await?;
    let user = accounts::load(db, user.id).await?;
    let body = accounts::show(&mut *db, user).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(body))
}
