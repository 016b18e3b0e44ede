//! `POST /otp`: sends a sign-in code (CONTRACT.md H8, M10-M14).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::{
    accounts::{self, NewAccount},
    audit::{self, Action},
    codes,
    email::{Address, AddressInput},
    error::AuthError,
    first_hand::{self, Hand},
    mails::Kind,
    pkce::{Challenge, ChallengeInput},
    quiet,
    rate_limit::Limit,
    request::{Context, Json},
    sms::{self, SmsDispatch},
    state::Inner,
    store::{
        flights,
        one_time_tokens::Slot,
        users::{self, User},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    #[serde(flatten)]
    address: AddressInput,
    create_user: Option<bool>,
    data: Option<Map<String, Value>>,
    channel: Option<String>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// Answers 200 `{}` for known and unknown addresses alike, when new accounts may be made. When they may not, an unknown
/// address is 422 `otp_disabled`, or answered alike too where the project hides who has an account
/// (CONTRACT.md M12, C12).
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    send_limited(inner, context, input, Limit::Otp).await
}

/// `POST /magiclink` (CONTRACT.md H9): the older name, with a limit of its own.
pub(crate) async fn magiclink(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    send_limited(inner, context, input, Limit::Magiclink).await
}

async fn send_limited(
    inner: Arc<Inner>,
    context: Context,
    input: Input,
    limit: Limit,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    let within_limit = inner.limits.take(limit, &context.client_key(), context.now);
    let challenge = input.challenge.check()?;
    let address = input.address.check()?;
    let asker = (&address, challenge.as_ref());
    refusal(&inner, began, first_hand::noted(&inner, asker, within_limit).await).await?;
    match &address {
        Address::Email(_) if !inner.settings.email_enabled => return Err(AuthError::EmailDisabled),
        Address::Phone(_) => sms::check_channel(&inner, input.channel.as_deref())?,
        Address::Email(_) => {}
    }
    let answer = match &address {
        Address::Phone(phone) => sms::answer(&inner, phone, context.now),
        Address::Email(_) => json!({}),
    };
    let allowed = codes::allow(&inner, &context, &address).await;
    refusal(&inner, began, first_hand::noted(&inner, asker, allowed).await).await?;
    let work = Box::pin(code(Arc::clone(&inner), context, Request { address, input, challenge }));
    if inner.settings.hide_unknown_users {
        quiet::answer(&inner, began, work).await?
    } else {
        work.await?
    }
    Ok(axum::Json(answer))
}

/// The outcome of what is noted at the account: where that is hidden, a refusal comes after the time of an answer.
async fn refusal(inner: &Inner, began: Instant, outcome: Result<(), AuthError>) -> Result<(), AuthError> {
    if inner.settings.hide_unknown_users { quiet::refusal(began, outcome).await } else { outcome }
}

/// A request that was read.
struct Request {
    address: Address,
    input: Input,
    challenge: Option<Challenge>,
}

/// Sends the code. That somebody asked is noted in any case.
async fn code(inner: Arc<Inner>, context: Context, request: Request) -> Result<(), AuthError> {
    let sent = match send_at_once(&inner, &context, &request).await {
        Ok(true) => return Ok(()),
        Ok(false) => send_by_steps(&inner, &context, &request).await,
        Err(error) => Err(error),
    };
    first_hand::noted(&inner, (&request.address, request.challenge.as_ref()), sent).await
}

/// The usual case in two flights: an address that is confirmed, and no challenge. False leaves it to the slower way.
async fn send_at_once(inner: &Inner, context: &Context, request: &Request) -> Result<bool, AuthError> {
    let Request { address: Address::Email(email), challenge: None, .. } = request else { return Ok(false) };
    let known = flights::by_email(&inner.database, email.as_str()).await?;
    let Some(known) = known.filter(|known| known.user.email_confirmed_at.is_some()) else { return Ok(false) };
    codes::mail_at_once(inner, context, &known, email.as_str()).await
}

async fn send_by_steps(inner: &Inner, context: &Context, request: &Request) -> Result<(), AuthError> {
    let mut transaction = inner.begin(context).await?;
    loop {
        match prepare(inner, &mut transaction, context, request).await {
            Ok(()) => return inner.commit(transaction).await,
            Err(error) => match inner.begin_anew(context, transaction, error).await {
                Ok(anew) => transaction = anew,
                Err(error) => return nothing_sent(inner, context, request, error).await,
            },
        }
    }
}

/// Which fault it was is told, unless that is hidden; so whether the code was counted tells no more, and it is not.
async fn nothing_sent(
    inner: &Inner,
    context: &Context,
    request: &Request,
    error: AuthError,
) -> Result<(), AuthError> {
    if !inner.settings.hide_unknown_users {
        codes::give_back(inner, context, &request.address).await?;
    }
    Err(error)
}

async fn prepare(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    request: &Request,
) -> Result<(), AuthError> {
    match account(inner, db, context, request).await? {
        Found::Account(user) => {
            send(inner, db, context, &user, &request.address, request.challenge.as_ref()).await
        }
        Found::Refused(_) if inner.settings.hide_unknown_users => Ok(()),
        Found::Refused(why) => Err(why),
    }
}

/// Sends what fits the account: confirmation while the address is not confirmed, else the sign-in code. Where addresses count
/// at once it is always that; one that was not confirmed before is by the code, not by who asks for it.
async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    address: &Address,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    match address {
        Address::Email(email) => {
            // An invitation stays as it is beside the code.
            let confirmed = user.email_confirmed_at.is_some() || user.has_open_invitation();
            let confirmed = confirmed || !inner.settings.confirm_email;
            let kind = if confirmed { Kind::MagicLink } else { Kind::Confirmation };
            codes::mail(inner, db, context, user, (kind, email.as_str()), challenge).await
        }
        Address::Phone(phone) => {
            audit::add(db, inner.new_id(), Action::UserRecoveryRequested, user, context).await?;
            let dispatch = SmsDispatch { slot: Slot::Confirmation, phone, sms_type: "sms" };
            sms::send(inner, db, context, user, &dispatch).await
        }
    }
}

/// Who is behind an address.
enum Found {
    Account(Box<User>),
    /// Nobody who may sign in, and why.
    Refused(AuthError),
}

/// The account of the address, a new one where that is wanted and allowed.
async fn account(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    request: &Request,
) -> Result<Found, AuthError> {
    let Request { address, input, challenge } = request;
    if let Some(user) = known(db, address).await? {
        if !may_go_on(inner, db, address, &user).await? {
            return Ok(Found::Refused(AuthError::SignupDisabled));
        }
        first_hand::asked_from(inner, db, &user, challenge.as_ref()).await?;
        return Ok(Found::Account(Box::new(user)));
    }
    if input.create_user == Some(false) {
        return Ok(Found::Refused(AuthError::OtpDisabled));
    }
    if !inner.settings.enable_signup {
        return Ok(Found::Refused(AuthError::SignupDisabled));
    }
    let new = new_account(inner, address, input.data.as_ref());
    match accounts::create(inner, db, new, context).await? {
        Some(user) => {
            audit::add(db, inner.new_id(), Action::UserSignedUp, &user, context).await?;
            Ok(Found::Account(Box::new(user)))
        }
        // Another request made it first.
        None => {
            let user = known(db, address).await?.ok_or(AuthError::UserNotFound)?;
            first_hand::asked_from(inner, db, &user, challenge.as_ref()).await?;
            Ok(Found::Account(Box::new(user)))
        }
    }
}

/// The account that a code to an unknown address makes (CONTRACT.md M11, M13).
fn new_account<'a>(
    inner: &Inner,
    address: &'a Address,
    data: Option<&'a Map<String, Value>>,
) -> NewAccount<'a> {
    match address {
        Address::Email(email) => {
            let email_confirmed = !inner.settings.confirm_email;
            NewAccount { email_confirmed, hand: Some(Hand::Code), ..NewAccount::sign_up(email, data) }
        }
        Address::Phone(phone) => NewAccount {
            phone: Some(phone),
            phone_confirmed: !inner.settings.sms.confirm,
            user_metadata: data,
            describes_itself: true,
            hand: Some(Hand::Code),
            ..NewAccount::new()
        },
    }
}

async fn known(db: &mut PgConnection, address: &Address) -> Result<Option<User>, sqlx::Error> {
    match address {
        Address::Email(email) => users::by_email_for_update(db, email.as_str()).await,
        Address::Phone(phone) => users::by_phone_for_update(db, phone.as_str()).await,
    }
}

/// An account that is not confirmed is a sign-up that goes on (CONTRACT.md M11): where sign-ups are
/// off, only what an admin made or invited does.
async fn may_go_on(
    inner: &Inner,
    db: &mut PgConnection,
    address: &Address,
    user: &User,
) -> Result<bool, sqlx::Error> {
    let is_confirmed = match address {
        Address::Email(_) => user.email_confirmed_at.is_some(),
        Address::Phone(_) => user.phone_confirmed_at.is_some(),
    };
    Ok(is_confirmed || inner.settings.enable_signup || first_hand::is_of_admin(db, user).await?)
}
