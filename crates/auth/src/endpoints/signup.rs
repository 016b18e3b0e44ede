//! `POST /signup`: accounts with a password, and anonymous ones (CONTRACT.md H6, H7, M17,
//! M18, AN1).

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, AccountOrigin, CodeRequester},
        accounts::{self, NewAccount},
        audit_log::{self, Action},
        codes, enumeration_guard,
        limits::otp_quota,
        sessions::{self, UnsignedSession},
        sms::{self, SmsDispatch},
        transaction::RequestTransaction,
    },
    mails::Kind,
    passwords,
    rate_limit::Limit,
    store::{
        one_time_tokens::TokenType,
        passwords as stored,
        users::{self, User},
    },
    tx::Tx,
    wire::{
        email::{Address, AddressInput, Email},
        error::{AccountError, AuthError},
        phone::Phone,
        pkce::{Challenge, ChallengeInput},
        request::{Json, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    #[serde(flatten)]
    address: AddressInput,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// A sign-up that was read and passed its checks.
struct SignUp {
    address: Address,
    password: String,
    password_hash: String,
    data: Option<Map<String, Value>>,
    challenge: Option<Challenge>,
}

/// Creates an account. Answers with a session if its address counts at once, else with the bare
/// user (CONTRACT.md O33).
///
/// A confirmed address of somebody is answered with 422 `user_already_exists` if addresses count at
/// once. If they are confirmed by mail, the answer is a made-up user, after the same time, and
/// nothing is sent (M17).
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<Response, AuthError> {
    let began = Instant::now();
    if input.address.is_empty() {
        return Box::pin(anonymous(&service, &context, &input)).await;
    }
    if let Err(refused) = service.limits.take(Limit::SignUp, &context.client_key(), context.now) {
        return refuse_beyond_limit(&service, began, &input, refused).await;
    }
    let sign_up = read(&service, input).await?;
    accounts::approve(&service, &sign_up.account(&service), &context).await?;
    let answer = Box::pin(with_password(&service, &context, &sign_up)).await;
    if !sign_up.counts_at_once(&service) {
        passwords::wait_for_equal_time(began).await;
    }
    answer
}

/// Refuses a sign-up beyond the limit, and disputes the account. If answers come after a fixed
/// time, so does the refusal.
async fn refuse_beyond_limit(
    service: &ServiceContext,
    began: Instant,
    input: &Input,
    refused: AuthError,
) -> Result<Response, AuthError> {
    let (Ok(address), Ok(challenge)) = (address(service, &input.address), input.challenge.check()) else {
        return Err(refused);
    };
    let refused =
        account_origin::dispute_on_error(service, (&address, challenge.as_ref()), Err(refused)).await;
    if !counts_at_once(service, &address) {
        passwords::wait_for_equal_time(began).await;
    }
    refused
}

/// Signs in somebody without an address (CONTRACT.md AN1).
async fn anonymous(
    service: &ServiceContext,
    context: &RequestContext,
    input: &Input,
) -> Result<Response, AuthError> {
    if !service.settings.enable_anonymous_sign_ins {
        return Err(AuthError::AnonymousDisabled);
    }
    service.limits.take(Limit::Anonymous, &context.client_key(), context.now)?;
    if !service.settings.enable_signup {
        return Err(AuthError::SignupDisabled);
    }
    if input.password.as_deref().is_some_and(|password| !password.is_empty()) {
        return Err(AccountError::AnonymousPassword.into());
    }
    let new = NewAccount { is_anonymous: true, user_metadata: input.data.as_ref(), ..NewAccount::new() };
    accounts::approve(service, &new, context).await?;
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    let user = accounts::create(tx, new).await?.ok_or(AuthError::UserNotFound)?;
    audit_log::add(tx, Action::UserSignedUp, &user).await?;
    let unsigned = sessions::open(tx, user.id, "anonymous").await?;
    service.commit(transaction).await?;
    Ok(unsigned.sign(service, context).await?.into_response())
}

/// Checks everything that does not depend on the account, and hashes the password, before a
/// connection is taken (PW8).
async fn read(service: &ServiceContext, input: Input) -> Result<SignUp, AuthError> {
    if !service.settings.enable_signup {
        return Err(AuthError::SignupDisabled);
    }
    service.passwords.check_enabled()?;
    let password = input.password.filter(|password| !password.is_empty());
    let password = password.ok_or_else(|| AuthError::validation("Signup requires a valid password"))?;
    let address = address(service, &input.address)?;
    let challenge = input.challenge.check()?;
    if challenge.is_some() && matches!(address, Address::Phone(_)) {
        return Err(AuthError::validation("PKCE not supported for phone signups"));
    }
    let password_hash = String::new();
    let sign_up = SignUp { address, password, password_hash, data: input.data, challenge };
    sign_up.account(service).check()?;
    service.passwords.check(&sign_up.password).await?;
    let password_hash = service.passwords.hash(&sign_up.password, service.random()).await?;
    Ok(SignUp { password_hash, ..sign_up })
}

fn address(service: &ServiceContext, input: &AddressInput) -> Result<Address, AuthError> {
    match (input.given_email(), input.given_phone()) {
        (Some(_), Some(_)) => {
            Err(AuthError::validation("Only an email address or phone number should be provided on signup."))
        }
        (None, Some(_)) if !service.settings.sms.enabled => Err(AccountError::PhoneSignupsDisabled.into()),
        (None, Some(phone)) => Phone::parse(phone).map(Address::Phone),
        _ if !service.settings.email_enabled => Err(AccountError::EmailSignupsDisabled.into()),
        (email, None) => Email::parse(email.unwrap_or_default()).map(Address::Email),
    }
}

fn counts_at_once(service: &ServiceContext, address: &Address) -> bool {
    match address {
        Address::Email(_) => !service.settings.confirm_email,
        Address::Phone(_) => !service.settings.sms.confirm,
    }
}

impl SignUp {
    fn counts_at_once(&self, service: &ServiceContext) -> bool {
        counts_at_once(service, &self.address)
    }

    fn is_confirmed(&self, user: &User) -> bool {
        match self.address {
            Address::Email(_) => user.email_confirmed_at.is_some(),
            Address::Phone(_) => user.phone_confirmed_at.is_some(),
        }
    }

    fn account(&self, service: &ServiceContext) -> NewAccount<'_> {
        let new = NewAccount {
            password_hash: Some(&self.password_hash),
            user_metadata: self.data.as_ref(),
            describes_itself: true,
            origin: Some(AccountOrigin::SignUp),
            challenge: self.challenge.as_ref(),
            ..NewAccount::new()
        };
        let confirmed = self.counts_at_once(service);
        match &self.address {
            Address::Email(email) => NewAccount { email: Some(email), email_confirmed: confirmed, ..new },
            Address::Phone(phone) => NewAccount { phone: Some(phone), phone_confirmed: confirmed, ..new },
        }
    }

    async fn known(&self, db: &mut PgConnection) -> Result<Option<User>, sqlx::Error> {
        match &self.address {
            Address::Email(email) => users::by_email_for_update(db, email.as_str()).await,
            Address::Phone(phone) => users::by_phone_for_update(db, phone.as_str()).await,
        }
    }
}

/// The outcome of a sign-up.
enum Outcome {
    Answer(Response),
    /// The address counts at once.
    SignedIn(Box<UnsignedSession>),
    /// Somebody has the address.
    Repeated,
}

/// The outcome of one transaction.
enum Attempt {
    Done(Outcome),
    /// An unconfirmed account has the address. Its hash must be compared with the password first.
    NeedsApproval(String),
}

/// A stored hash, and whether it is that of the sign-up's password.
struct ComparedPassword {
    hash: String,
    is_same: bool,
}

/// Counts the code that a sign-up sends, and signs up.
async fn with_password(
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    sign_up: &SignUp,
) -> Result<Response, AuthError> {
    let refused = match sign_up.counts_at_once(service) {
        true => None,
        false => otp_quota::allow(service, context, &sign_up.address).await.err(),
    };
    let outcome = attempts(service, context, sign_up, refused.is_none()).await;
    let nothing_sent = outcome.as_ref().is_err_and(|error| !error.may_have_committed());
    let outcome =
        account_origin::dispute_on_error(service, (&sign_up.address, sign_up.challenge.as_ref()), outcome)
            .await;
    if let Some(refused) = refused {
        return Err(refused);
    }
    if nothing_sent && !sign_up.counts_at_once(service) {
        otp_quota::give_back(service, context, &sign_up.address).await?;
    }
    match outcome? {
        Outcome::Answer(answer) => Ok(answer),
        Outcome::SignedIn(unsigned) => Ok(unsigned.sign(service, context).await?.into_response()),
        Outcome::Repeated if sign_up.counts_at_once(service) => Err(AccountError::AlreadyRegistered.into()),
        Outcome::Repeated => {
            let nobody = accounts::decoy(service, &sign_up.account(service), context.now)?;
            Ok(axum::Json(nobody).into_response())
        }
    }
}

/// Signs up in one transaction. The password is compared outside of it (CONTRACT.md PW8), in
/// advance. If another request created the account just then, the sign-up starts again with its
/// hash.
async fn attempts(
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    sign_up: &SignUp,
    allowed: bool,
) -> Result<Outcome, AuthError> {
    let mut compared_password = compare_password(service, sign_up).await?;
    loop {
        let mut transaction = service.begin(context).await?;
        match attempt(&mut transaction.tx(), sign_up, compared_password.as_ref(), allowed).await? {
            Attempt::NeedsApproval(hash) => {
                transaction.roll_back();
                let verdict = service.passwords.verify(Some(&hash), &sign_up.password).await?;
                compared_password = Some(ComparedPassword { hash, is_same: verdict.right });
            }
            Attempt::Done(outcome) => {
                finish(service, transaction, sign_up).await?;
                return Ok(outcome);
            }
        }
    }
}

/// Compares the password with that of an unconfirmed account. Without such an account the same work
/// is done, and refused in the same way if there is no time for it. So neither tells whether one
/// exists (CONTRACT.md C12).
async fn compare_password(
    service: &ServiceContext,
    sign_up: &SignUp,
) -> Result<Option<ComparedPassword>, AuthError> {
    if sign_up.counts_at_once(service) {
        return Ok(None);
    }
    let unconfirmed_hash = unconfirmed_hash(service, sign_up).await?;
    let verdict = service.passwords.verify(unconfirmed_hash.as_deref(), &sign_up.password).await?;
    Ok(unconfirmed_hash.map(|hash| ComparedPassword { hash, is_same: verdict.right }))
}

/// The hash of an unconfirmed account with this address.
async fn unconfirmed_hash(service: &ServiceContext, sign_up: &SignUp) -> Result<Option<String>, sqlx::Error> {
    let mut db = service.pool.acquire().await?;
    match sign_up.known(&mut db).await? {
        Some(user) if !sign_up.is_confirmed(&user) => {
            let hash = stored::of_user(&mut *db, user.id).await?;
            Ok(Some(hash).filter(|hash| !hash.is_empty()))
        }
        _ => Ok(None),
    }
}

/// Commits. If the answer must not tell whether the address is new, a hook that sends the code is
/// not waited for.
async fn finish(
    service: &Arc<ServiceContext>,
    transaction: RequestTransaction<'_>,
    sign_up: &SignUp,
) -> Result<(), AuthError> {
    if sign_up.counts_at_once(service) {
        return service.commit(transaction).await;
    }
    let after_commit = service.commit_without_hooks(transaction).await?;
    enumeration_guard::detach(service, async move |service| service.call_hooks(&after_commit).await);
    Ok(())
}

/// Signs up, if a code may be sent to the address now. Else it only disputes the account.
async fn attempt(
    tx: &mut Tx<'_>,
    sign_up: &SignUp,
    compared_password: Option<&ComparedPassword>,
    allowed: bool,
) -> Result<Attempt, AuthError> {
    let known = sign_up.known(tx.db).await?;
    let made = match &known {
        Some(_) => None,
        None if !allowed => return Ok(Attempt::Done(Outcome::Repeated)),
        None => accounts::create(tx, sign_up.account(tx.service)).await?,
    };
    if let Some(user) = made {
        return Ok(Attempt::Done(finish_new_account(tx, sign_up, &user).await?));
    }
    // Somebody has the address, or another request just took it.
    let user = match known {
        Some(user) => user,
        None => sign_up.known(tx.db).await?.ok_or(AccountError::AlreadyRegistered)?,
    };
    if sign_up.is_confirmed(&user) || sign_up.counts_at_once(tx.service) {
        audit_log::add(tx, Action::UserRepeatedSignUp, &user).await?;
        return Ok(Attempt::Done(Outcome::Repeated));
    }
    // Nobody can tell whether this is the same person as the first time, so password and metadata
    // stay (CONTRACT.md M18).
    let hash = stored::of_user(&mut *tx.db, user.id).await?;
    let is_same = compared_password
        .is_some_and(|compared_password| compared_password.is_same && compared_password.hash == hash);
    match compared_password {
        Some(_) if is_same => {
            account_origin::code_requested(tx.db, &user, CodeRequester::SamePassword).await?;
        }
        None if !hash.is_empty() => return Ok(Attempt::NeedsApproval(hash)),
        _ => account_origin::code_requested(tx.db, &user, CodeRequester::Anybody).await?,
    }
    if !allowed {
        return Ok(Attempt::Done(Outcome::Repeated));
    }
    ask_to_confirm(tx, sign_up, &user).await?;
    // Strangers do not see the account either. They get the answer of a confirmed one.
    let outcome = if is_same { Outcome::Answer(shown(tx.db, &user).await?) } else { Outcome::Repeated };
    Ok(Attempt::Done(outcome))
}

async fn finish_new_account(tx: &mut Tx<'_>, sign_up: &SignUp, user: &User) -> Result<Outcome, AuthError> {
    if !sign_up.counts_at_once(tx.service) {
        ask_to_confirm(tx, sign_up, user).await?;
        return Ok(Outcome::Answer(shown(tx.db, user).await?));
    }
    audit_log::add(tx, Action::UserSignedUp, user).await?;
    audit_log::add(tx, Action::Login, user).await?;
    let unsigned = sessions::open(tx, user.id, "password").await?;
    Ok(Outcome::SignedIn(Box::new(unsigned)))
}

/// The account as it is now. A sign-up with an invited address does not see the data of the
/// invitation.
async fn shown(db: &mut PgConnection, user: &User) -> Result<Response, AuthError> {
    let user = accounts::load(db, user.id).await?;
    let invited = user.invited_at.is_some();
    let body = accounts::show(db, user).await?;
    Ok(axum::Json(if invited { body.without_particulars() } else { body }).into_response())
}

async fn ask_to_confirm(tx: &mut Tx<'_>, sign_up: &SignUp, user: &User) -> Result<(), AuthError> {
    match &sign_up.address {
        Address::Email(email) => {
            let (mail, challenge) = ((Kind::Confirmation, email.as_str()), sign_up.challenge.as_ref());
            codes::mail(tx, user, mail, challenge).await
        }
        Address::Phone(phone) => {
            audit_log::add(tx, Action::UserConfirmationRequested, user).await?;
            let dispatch = SmsDispatch { token_type: TokenType::Confirmation, phone, sms_type: "sms" };
            sms::send(tx, user, &dispatch).await
        }
    }
}
