use banyan_db::RunError;
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use tracing::Instrument as _;

use super::{Code, flow_of, fresh_since, is_pkce, issue, make, stored_form};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        mail_dispatch, redirects,
    },
    mails::{EmailMessage, Kind, NoticeDetails},
    rate_limit::ProjectLimit,
    store::{
        flow_states::{self, NewFlow},
        one_time_tokens::{self, Stored, TokenType},
        pipelines::{self, AccountVersion, NewCode, PreparedSend},
        times,
        users::{self, User},
    },
    tx::Tx,
    wire::{
        email::Email,
        error::AuthError,
        pkce::{Challenge, Method},
        request::RequestContext,
    },
};

/// Mails a code to the address of an account: makes it, stores its hash, writes the audit entry and
/// queues the mail, all in the caller's transaction (CONTRACT.md M22). The quota was asked before
/// ([`crate::domain::limits::otp_quota::allow`]).
///
/// An invitation that is open stays one, whoever signs up with its address: it is sent again
/// (CONTRACT.md U17).
///
/// # Errors
/// What the project's SQL says; a mail that cannot be written.
pub(crate) async fn mail(
    tx: &mut Tx<'_>,
    user: &User,
    (kind, address): (Kind, &str),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    // A stranger's challenge would make the link of the invitation theirs alone.
    let (kind, challenge) = match kind {
        Kind::Confirmation if user.has_open_invitation() => (Kind::Invite, None),
        kind => (kind, challenge),
    };
    let (token_type, action) = purpose(kind);
    let begun_at = tx.context.now;
    let dispatch = Dispatch { kind, token_type, address, new_email: None, challenge, begun_at };
    post(tx, user, &dispatch).await?;
    if kind == Kind::Invite {
        users::invited(tx.db, user.id, tx.context.now).await.map_err(|error| tx.service.save_error(error))?;
    }
    Ok(audit_log::add(tx, action, user).await?)
}

/// Mails a sign-in code to a confirmed address, in one pipeline. False if the account has changed
/// since it was read; nothing was done then.
///
/// # Errors
/// As [`mail`].
pub(crate) async fn mail_to_confirmed(
    service: &ServiceContext,
    context: &RequestContext,
    known: &AccountVersion,
    address: &str,
) -> Result<bool, AuthError> {
    let (kind, user) = (Kind::MagicLink, &known.user);
    let (token_type, action) = purpose(kind);
    let begun_at = context.now;
    let dispatch = Dispatch { kind, token_type, address, new_email: None, challenge: None, begun_at };
    let (code, redirect_to) = (make(service, address, false), redirects::choose(&service.settings, context));
    let email_message = email_message(service, context, user, &dispatch, (&code, &redirect_to));
    let message = mail_dispatch::written(service, &email_message, context)?;
    let mail = message.single().expect("the mail of a code has one reader and no files");
    take_mail(service, context)?;
    let new = NewCode {
        id: service.new_id(),
        token_hash: &stored_form(service, &code.link),
        sent_to: address,
        mail,
        note: audit_log::entry(action, user, context, Value::Null).map(|entry| (service.new_id(), entry)),
    };
    let sent = send_to_the_end(service, pipelines::send(known, new, context)).await?;
    if sent {
        audit_log::log(action, user.id);
    }
    Ok(sent)
}

/// Sends a code, and waits for its end even if the client hangs up: only then it is known whether a
/// mail was sent or is given back.
async fn send_to_the_end(service: &ServiceContext, prepared: PreparedSend) -> Result<bool, AuthError> {
    let service = service.weak_self.upgrade().expect("who is borrowed here is not dropped");
    let shown = service.exposes_sql_errors;
    let sending = async move {
        let sent = prepared.sent(&service.database).await;
        match &sent {
            Ok(true) => service.mail.wake(),
            Err(error) if error.may_have_committed() => {}
            Ok(false) | Err(_) => give_mail_back(&service),
        }
        sent
    };
    let sent = tokio::spawn(sending.in_current_span()).await;
    let sent = sent.unwrap_or_else(|_| Err(RunError::Protocol("a code could not be sent".into())));
    sent.map_err(|error| AuthError::saving_in_pipeline(error, shown))
}

/// Sends the codes by which the owners of both addresses, or of the new one alone, agree to a
/// change (CONTRACT.md U2 to U5).
///
/// # Errors
/// As [`mail`].
pub(crate) async fn change_address(
    tx: &mut Tx<'_>,
    user: &User,
    (current, new): (Option<&str>, &Email),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let new = new.as_str();
    one_time_tokens::clear_types(tx.db, user.id, &[TokenType::EmailChangeCurrent]).await?;
    let asked = Approvers { current, new, open: None, challenge };
    ask_owners(tx, user, asked).await?;
    users::email_change_sent(tx.db, user.id, new, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))
}

/// As [`change_address`], for a change that is under way, whoever asks: only a mail with its code
/// takes the place of another. An address that agreed is not asked again while the other may agree
/// as well, and links keep the challenge of who began the change, or have none (CONTRACT.md U7,
/// M15). An agreement lasts as long as a code of its time, however often the other is sent again:
/// later, or without an other code, both addresses are asked anew.
///
/// # Errors
/// As [`mail`].
pub(crate) async fn change_address_again(
    tx: &mut Tx<'_>,
    user: &User,
    (current, new): (Option<&str>, &Email),
) -> Result<(), AuthError> {
    let mut codes = one_time_tokens::of_user(tx.db, user.id).await?;
    codes.retain(is_of_change);
    let challenged = codes.iter().any(|code| is_pkce(&code.token_hash));
    let challenge = if challenged { challenge_of_change(tx.db, user).await? } else { None };
    let since = fresh_since(tx.service, new.as_str(), tx.context.now);
    let half = user.email_change_confirm_status == Some(1);
    let open = codes.into_iter().find(|code| half && times::is_since(code.begun_at, since));
    let Some(open) = open else {
        return change_address(tx, user, (current, new), challenge.as_ref()).await;
    };
    let asked = Approvers { current, new: new.as_str(), open: Some(&open), challenge: challenge.as_ref() };
    ask_owners(tx, user, asked).await?;
    Ok(one_time_tokens::keep_begun(tx.db, user.id, &open).await?)
}

fn is_of_change(code: &Stored) -> bool {
    matches!(
        TokenType::parse(&code.token_type),
        Some(TokenType::EmailChangeCurrent | TokenType::EmailChangeNew)
    )
}

/// The challenge that a change of address was begun with.
async fn challenge_of_change(db: &mut PgConnection, user: &User) -> Result<Option<Challenge>, sqlx::Error> {
    let found = flow_states::challenge_of(db, user.id, Kind::EmailChange.authentication_method()).await?;
    Ok(found.and_then(|(value, method)| Some(Challenge { value, method: Method::parse(&method)? })))
}

/// Who is asked whether the address of an account becomes another one.
struct Approvers<'a> {
    /// The current address, where its owner has to agree.
    current: Option<&'a str>,
    new: &'a str,
    /// The code that is sent again, alone, where the owner of the other address agreed already.
    open: Option<&'a Stored>,
    challenge: Option<&'a Challenge>,
}

impl<'a> Approvers<'a> {
    /// The address for a type, if its owner is asked.
    fn address(&self, token_type: TokenType) -> Option<&'a str> {
        let address = if token_type == TokenType::EmailChangeCurrent { self.current } else { Some(self.new) };
        address.filter(|_| self.open.is_none_or(|open| open.token_type == token_type.name()))
    }
}

/// Sends a code to each who is asked.
async fn ask_owners(tx: &mut Tx<'_>, user: &User, asked: Approvers<'_>) -> Result<(), AuthError> {
    if asked.current.is_some() && tx.service.settings.hooks.send_email.is_some() {
        return change_by_hook(tx, user, &asked).await;
    }
    for token_type in [TokenType::EmailChangeCurrent, TokenType::EmailChangeNew] {
        let Some(address) = asked.address(token_type) else { continue };
        let (new_email, challenge) = (Some(asked.new), asked.challenge);
        let begun_at = asked.open.map_or(tx.context.now, |open| open.begun_at);
        let dispatch =
            Dispatch { kind: Kind::EmailChange, token_type, address, new_email, challenge, begun_at };
        post(tx, user, &dispatch).await?;
    }
    Ok(())
}

/// A code to send to an address.
struct Dispatch<'a> {
    kind: Kind,
    token_type: TokenType,
    /// Where the mail goes.
    address: &'a str,
    /// The address that the account shall have, where it changes.
    new_email: Option<&'a str>,
    challenge: Option<&'a Challenge>,
    /// When the code began to count, by which it ends.
    begun_at: OffsetDateTime,
}

/// Where the code of a mail is kept, and what is noted of it; sign-in and recovery share one place
/// (CONTRACT.md M6).
fn purpose(kind: Kind) -> (TokenType, Action) {
    match kind {
        Kind::MagicLink | Kind::Recovery => (TokenType::Recovery, Action::UserRecoveryRequested),
        Kind::Reauthentication => (TokenType::Reauthentication, Action::UserReauthenticateRequested),
        Kind::Invite => (TokenType::Confirmation, Action::UserInvited),
        Kind::Confirmation
        | Kind::EmailChange
        | Kind::PasswordChanged
        | Kind::EmailChanged
        | Kind::PhoneChanged
        | Kind::IdentityLinked
        | Kind::IdentityUnlinked
        | Kind::FactorEnrolled
        | Kind::FactorUnenrolled => (TokenType::Confirmation, Action::UserConfirmationRequested),
    }
}

/// Makes a code and queues its mail.
async fn post(tx: &mut Tx<'_>, user: &User, dispatch: &Dispatch<'_>) -> Result<(), AuthError> {
    let place = (dispatch.token_type, dispatch.address, dispatch.challenge.is_some());
    let code = issue(tx, user, place).await?;
    begin_flow(tx, user, (dispatch.kind, &code.link), dispatch.challenge).await?;
    let redirect_to = redirects::choose(&tx.service.settings, tx.context);
    let email_message = email_message(tx.service, tx.context, user, dispatch, (&code, &redirect_to));
    take_mail(tx.service, tx.context)?;
    mail_dispatch::post(tx, &email_message).await
}

/// The mail of a code.
fn email_message<'a>(
    service: &ServiceContext,
    context: &'a RequestContext,
    user: &'a User,
    dispatch: &Dispatch<'a>,
    (code, redirect_to): (&'a Code, &'a str),
) -> EmailMessage<'a> {
    EmailMessage {
        kind: dispatch.kind,
        user,
        to: dispatch.address,
        new_email: dispatch.new_email,
        digits: &code.digits,
        link_token: &code.link,
        redirect_to,
        languages: context.languages.as_deref(),
        expires_at: Some(dispatch.begun_at + service.settings.otp.expiry),
        details: NoticeDetails::default(),
    }
}

/// Counts a mail of the project that really goes out (CONTRACT.md M8).
fn take_mail(service: &ServiceContext, context: &RequestContext) -> Result<(), AuthError> {
    if service.settings.confirm_email {
        service.limits.take_for_project(ProjectLimit::Mail, context.now)
    } else {
        Ok(())
    }
}

/// Gives back what [`take_mail`] took for a mail that did not go.
fn give_mail_back(service: &ServiceContext) {
    if service.settings.confirm_email {
        service.limits.give_back_to_project(ProjectLimit::Mail);
    }
}

/// Begins the flow of a link whose request had a challenge: each link has its own, so that a
/// request of another browser changes nothing for it (CONTRACT.md K7).
async fn begin_flow(
    tx: &mut Tx<'_>,
    user: &User,
    (kind, link): (Kind, &str),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let Some(challenge) = challenge else { return Ok(()) };
    flow_states::forget(tx.db, user.id, tx.context.now - tx.service.settings.otp.expiry).await?;
    let flow = NewFlow {
        id: flow_of(tx.service, link),
        auth_code: tx.service.new_id(),
        user: user.id,
        challenge: &challenge.value,
        challenge_method: challenge.method.name(),
        authentication_method: kind.authentication_method(),
    };
    flow_states::begin(tx.db, &flow, tx.context.now).await?;
    Ok(())
}

/// Has the hook that sends mails tell the owners of an address change their codes, in one call
/// (CONTRACT.md HK8). What the hook calls `token_hash` belongs to the new address with `token_new`,
/// and `token_hash_new` to the current one with `token`, as in the reference; those of an owner who
/// is not asked are empty.
async fn change_by_hook(tx: &mut Tx<'_>, user: &User, asked: &Approvers<'_>) -> Result<(), AuthError> {
    let to_current = code_for_hook(tx, user, (asked, TokenType::EmailChangeCurrent)).await?;
    let to_new = code_for_hook(tx, user, (asked, TokenType::EmailChangeNew)).await?;
    let email_message = EmailMessage {
        kind: Kind::EmailChange,
        user,
        to: asked.new,
        new_email: Some(asked.new),
        digits: &to_current.digits,
        link_token: &to_new.link,
        redirect_to: &redirects::choose(&tx.service.settings, tx.context),
        languages: None,
        expires_at: None,
        details: NoticeDetails::default(),
    };
    let mut data = mail_dispatch::email_data(&tx.service.settings, &email_message);
    data["token_new"] = to_new.digits.as_str().into();
    data["token_hash_new"] = to_current.link.as_str().into();
    take_mail(tx.service, tx.context)?;
    mail_dispatch::post_by_hook(tx, &email_message, &data).await
}

/// The code of the owner of an address, with its flow; an empty one for who is not asked.
async fn code_for_hook(
    tx: &mut Tx<'_>,
    user: &User,
    (asked, token_type): (&Approvers<'_>, TokenType),
) -> Result<Code, AuthError> {
    let Some(address) = asked.address(token_type) else { return Ok(Code::default()) };
    let code = issue(tx, user, (token_type, address, asked.challenge.is_some())).await?;
    begin_flow(tx, user, (Kind::EmailChange, &code.link), asked.challenge).await?;
    Ok(code)
}
