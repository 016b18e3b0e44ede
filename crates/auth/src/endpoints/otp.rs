//! `POST /otp`: sends a sign-in code (CONTRACT.md H8, M10 to M14).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, AccountOrigin},
        accounts::{self, NewAccount},
        audit_log::{self, Action},
        codes, enumeration_guard,
        limits::otp_quota,
        sms::{self, SmsDispatch},
    },
    mails::Kind,
    rate_limit::Limit,
    store::{
        one_time_tokens::TokenType,
        pipelines,
        users::{self, User},
    },
    tx::Tx,
    wire::{
        email::{Address, AddressInput},
        error::AuthError,
        pkce::{Challenge, ChallengeInput},
        request::{Json, RequestContext},
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

/// Answers 200 `{}` for known and unknown addresses alike, if new accounts are allowed. If not, an
/// unknown address gets 422 `otp_disabled`, or the same answer if the project hides who has an
/// account (CONTRACT.md M12, C12).
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    send_limited(service, context, input, Limit::Otp).await
}

/// `POST /magiclink` (CONTRACT.md H9): the older name of `/otp`, with its own limit.
pub(crate) async fn magiclink(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    send_limited(service, context, input, Limit::Magiclink).await
}

async fn send_limited(
    service: Arc<ServiceContext>,
    context: RequestContext,
    input: Input,
    limit: Limit,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    let within_limit = service.limits.take(limit, &context.client_key(), context.now);
    let challenge = input.challenge.check()?;
    let address = input.address.check()?;
    let asker = (&address, challenge.as_ref());
    refusal(&service, began, account_origin::dispute_on_error(&service, asker, within_limit).await).await?;
    match &address {
        Address::Email(_) if !service.settings.email_enabled => return Err(AuthError::EmailDisabled),
        Address::Phone(_) => sms::check_channel(&service, input.channel.as_deref())?,
        Address::Email(_) => {}
    }
    let answer = match &address {
        Address::Phone(phone) => sms::answer(&service, phone, context.now),
        Address::Email(_) => json!({}),
    };
    let allowed = otp_quota::allow(&service, &context, &address).await;
    refusal(&service, began, account_origin::dispute_on_error(&service, asker, allowed).await).await?;
    let work = Box::pin(code(Arc::clone(&service), context, Request { address, input, challenge }));
    if service.settings.hide_unknown_users {
        enumeration_guard::answer(&service, began, work).await?
    } else {
        work.await?
    }
    Ok(axum::Json(answer))
}

/// Passes an outcome on. If the project hides who has an account, a refusal comes after the time of
/// an answer.
async fn refusal(
    service: &ServiceContext,
    began: Instant,
    outcome: Result<(), AuthError>,
) -> Result<(), AuthError> {
    if service.settings.hide_unknown_users {
        enumeration_guard::refusal(began, outcome).await
    } else {
        outcome
    }
}

/// A request that was read.
struct Request {
    address: Address,
    input: Input,
    challenge: Option<Challenge>,
}

/// Sends the code. A failure disputes the account.
async fn code(
    service: Arc<ServiceContext>,
    context: RequestContext,
    request: Request,
) -> Result<(), AuthError> {
    let sent = match send_to_confirmed(&service, &context, &request).await {
        Ok(true) => return Ok(()),
        Ok(false) => send_or_create(&service, &context, &request).await,
        // The mail may be on its way.
        Err(error) if error.may_have_committed() => Err(error),
        Err(error) => nothing_sent(&service, &context, &request, error).await,
    };
    account_origin::dispute_on_error(&service, (&request.address, request.challenge.as_ref()), sent).await
}

/// Sends the code to an address that is confirmed, in two pipelines. An account that changes
/// meanwhile is read anew, up to [`pipelines::MOST_TURNS`] times. False for everything that takes a
/// transaction ([`pipelines`]).
async fn send_to_confirmed(
    service: &ServiceContext,
    context: &RequestContext,
    request: &Request,
) -> Result<bool, AuthError> {
    let Request { address: Address::Email(email), challenge: None, .. } = request else { return Ok(false) };
    if service.settings.hooks.send_email.is_some() {
        return Ok(false);
    }
    for _ in 0..pipelines::MOST_TURNS {
        let known = pipelines::by_email(&service.database, email.as_str()).await?;
        let Some(known) = known.filter(|known| known.user.email_confirmed_at.is_some()) else {
            return Ok(false);
        };
        if codes::mail_to_confirmed(service, context, &known, email.as_str()).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sends the code in a transaction, and creates the account where that is wanted and allowed.
async fn send_or_create(
    service: &ServiceContext,
    context: &RequestContext,
    request: &Request,
) -> Result<(), AuthError> {
    let mut transaction = service.begin(context).await?;
    loop {
        match prepare(&mut transaction.tx(), request).await {
            Ok(()) => return service.commit(transaction).await,
            Err(error) => match service.begin_again(context, transaction, error).await {
                Ok(anew) => transaction = anew,
                Err(error) => return nothing_sent(service, context, request, error).await,
            },
        }
    }
}

/// The client learns of the failure, unless that is hidden. So giving the code back tells nothing
/// more.
async fn nothing_sent(
    service: &ServiceContext,
    context: &RequestContext,
    request: &Request,
    error: AuthError,
) -> Result<(), AuthError> {
    if !service.settings.hide_unknown_users {
        otp_quota::give_back(service, context, &request.address).await?;
    }
    Err(error)
}

async fn prepare(tx: &mut Tx<'_>, request: &Request) -> Result<(), AuthError> {
    match account(tx, request).await? {
        Found::Account(user) => send(tx, &user, &request.address, request.challenge.as_ref()).await,
        Found::Refused(_) if tx.service.settings.hide_unknown_users => Ok(()),
        Found::Refused(why) => Err(why),
    }
}

/// Sends the mail that fits the account: a confirmation while the address is unconfirmed, else the
/// sign-in code. If addresses count at once, it is always the sign-in code; an unconfirmed address
/// is then confirmed by the code, not by the request.
async fn send(
    tx: &mut Tx<'_>,
    user: &User,
    address: &Address,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    match address {
        Address::Email(email) => {
            // An open invitation stays as it is.
            let confirmed = user.email_confirmed_at.is_some() || user.has_open_invitation();
            let confirmed = confirmed || !tx.service.settings.confirm_email;
            let kind = if confirmed { Kind::MagicLink } else { Kind::Confirmation };
            codes::mail(tx, user, (kind, email.as_str()), challenge).await
        }
        Address::Phone(phone) => {
            audit_log::add(tx, Action::UserRecoveryRequested, user).await?;
            let dispatch = SmsDispatch { token_type: TokenType::Confirmation, phone, sms_type: "sms" };
            sms::send(tx, user, &dispatch).await
        }
    }
}

/// Whose address it is.
enum Found {
    Account(Box<User>),
    /// Nobody may sign in, for this reason.
    Refused(AuthError),
}

/// The account of the address. A new one if that is wanted and allowed.
async fn account(tx: &mut Tx<'_>, request: &Request) -> Result<Found, AuthError> {
    let Request { address, input, challenge } = request;
    if let Some(user) = known(tx.db, address).await? {
        if !may_go_on(tx.service, tx.db, address, &user).await? {
            return Ok(Found::Refused(AuthError::SignupDisabled));
        }
        account_origin::code_requested_with(tx, &user, challenge.as_ref()).await?;
        return Ok(Found::Account(Box::new(user)));
    }
    if input.create_user == Some(false) {
        return Ok(Found::Refused(AuthError::OtpDisabled));
    }
    if !tx.service.settings.enable_signup {
        return Ok(Found::Refused(AuthError::SignupDisabled));
    }
    let new = new_account(tx.service, address, input.data.as_ref());
    match accounts::create(tx, new).await? {
        Some(user) => {
            audit_log::add(tx, Action::UserSignedUp, &user).await?;
            Ok(Found::Account(Box::new(user)))
        }
        // Another request created it first.
        None => {
            let user = known(tx.db, address).await?.ok_or(AuthError::UserNotFound)?;
            account_origin::code_requested_with(tx, &user, challenge.as_ref()).await?;
            Ok(Found::Account(Box::new(user)))
        }
    }
}

/// The account that a code to an unknown address creates (CONTRACT.md M11, M13).
fn new_account<'a>(
    service: &ServiceContext,
    address: &'a Address,
    data: Option<&'a Map<String, Value>>,
) -> NewAccount<'a> {
    match address {
        Address::Email(email) => {
            let email_confirmed = !service.settings.confirm_email;
            NewAccount {
                email_confirmed,
                origin: Some(AccountOrigin::Code),
                ..NewAccount::sign_up(email, data)
            }
        }
        Address::Phone(phone) => NewAccount {
            phone: Some(phone),
            phone_confirmed: !service.settings.sms.confirm,
            user_metadata: data,
            describes_itself: true,
            origin: Some(AccountOrigin::Code),
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

/// An unconfirmed account is an unfinished sign-up (CONTRACT.md M11). If sign-ups are off, only
/// accounts from an admin may go on.
async fn may_go_on(
    service: &ServiceContext,
    db: &mut PgConnection,
    address: &Address,
    user: &User,
) -> Result<bool, sqlx::Error> {
    let is_confirmed = match address {
        Address::Email(_) => user.email_confirmed_at.is_some(),
        Address::Phone(_) => user.phone_confirmed_at.is_some(),
    };
    Ok(is_confirmed || service.settings.enable_signup || account_origin::is_by_admin(db, user).await?)
}
