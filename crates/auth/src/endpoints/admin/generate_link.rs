use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::users::given;
use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, AccountOrigin, CodeRequester},
        accounts::{self, NewAccount, UserBody},
        audit_log::{self, Action},
        codes::{self, Code},
        ownership_proof, redirects,
    },
    endpoints::invite,
    guards::bearer::Admin,
    mails, passwords,
    store::{
        one_time_tokens::{self, TokenType},
        users::{self, Metadata, User},
    },
    tx::Tx,
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        request::{Json, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    r#type: Option<String>,
    email: Option<String>,
    new_email: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
}

/// The account, and what a mail would have said.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    #[serde(flatten)]
    user: UserBody,
    action_link: String,
    email_otp: String,
    hashed_token: String,
    verification_type: &'static str,
    redirect_to: String,
}

/// What a link is for (CONTRACT.md D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkType {
    SignUp,
    Invite,
    MagicLink,
    Recovery,
    EmailChangeCurrent,
    EmailChangeNew,
}

impl LinkType {
    const ALL: [Self; 6] = [
        Self::SignUp,
        Self::Invite,
        Self::MagicLink,
        Self::Recovery,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::SignUp => "signup",
            Self::Invite => "invite",
            Self::MagicLink => "magiclink",
            Self::Recovery => "recovery",
            Self::EmailChangeCurrent => "email_change_current",
            Self::EmailChangeNew => "email_change_new",
        }
    }

    /// `type` of the link itself.
    fn in_link(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            Self::SignUp | Self::Invite | Self::MagicLink | Self::Recovery => self.name(),
        }
    }

    fn token_type(self) -> TokenType {
        match self {
            Self::SignUp | Self::Invite => TokenType::Confirmation,
            Self::MagicLink | Self::Recovery => TokenType::Recovery,
            Self::EmailChangeCurrent => TokenType::EmailChangeCurrent,
            Self::EmailChangeNew => TokenType::EmailChangeNew,
        }
    }
}

/// A request that was read and may go on.
struct Wanted {
    link_type: LinkType,
    email: Email,
    new_email: Option<Email>,
    password_hash: String,
    data: Option<Map<String, Value>>,
}

/// Makes the code and the link of a mail and sends none (CONTRACT.md H44, D10). `hashed_token` is
/// always the token of the link, also for the new address of a change (D11).
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Answer>, AuthError> {
    let redirect_to = redirect(&service, &context, given(&input.redirect_to));
    let wanted = read(&service, input).await?;
    let mut transaction = service.begin(&context).await?;
    let user = loop {
        match account(&mut transaction.tx(), &wanted).await {
            Ok(user) => break user,
            Err(error) => transaction = service.begin_again(&context, transaction, error).await?,
        }
    };
    let tx = &mut transaction.tx();
    let new_email = wanted.new_email.as_ref().filter(|_| wanted.link_type == LinkType::EmailChangeNew);
    let address = new_email.unwrap_or(&wanted.email);
    let place = (wanted.link_type.token_type(), address.as_str(), false);
    let Code { digits, link } = codes::issue(tx, &user, place).await?;
    let user = accounts::load(tx.db, user.id).await?;
    let answer = Answer {
        user: accounts::show(&mut *tx.db, user).await?,
        action_link: mails::link(
            &service.settings.external_url,
            wanted.link_type.in_link(),
            &link,
            &redirect_to,
        ),
        email_otp: digits,
        hashed_token: link,
        verification_type: wanted.link_type.name(),
        redirect_to,
    };
    service.commit(transaction).await?;
    Ok(axum::Json(answer))
}

/// The target in the body counts before that of header and query (CONTRACT.md W6).
fn redirect(service: &ServiceContext, context: &RequestContext, asked: Option<&str>) -> String {
    match asked.filter(|target| redirects::is_allowed(&service.settings, target)) {
        Some(target) => target.to_owned(),
        None => redirects::choose(&service.settings, context),
    }
}

/// Reads the request; a link for signing in becomes one for signing up where nobody has the
/// address.
async fn read(service: &ServiceContext, input: Input) -> Result<Wanted, AuthError> {
    let email = Email::parse(input.email.as_deref().unwrap_or_default())?;
    let name = input.r#type.as_deref().unwrap_or_default();
    let asked = LinkType::ALL.into_iter().find(|link_type| link_type.name() == name).ok_or_else(|| {
        let shown: String = name.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
        AuthError::validation(format!("Invalid email action link type requested: {shown}"))
    })?;
    let known = users::is_taken(&service.pool, email.as_str(), uuid::Uuid::nil()).await?;
    let link_type = match asked {
        LinkType::MagicLink if !known => LinkType::SignUp,
        LinkType::Recovery | LinkType::EmailChangeCurrent | LinkType::EmailChangeNew if !known => {
            return Err(AccountError::AddressUnknown.into());
        }
        asked => asked,
    };
    let password_hash = if asked == LinkType::SignUp && !known {
        let password = given(&input.password);
        let password = password.ok_or_else(|| AuthError::validation("Signup requires a valid password"))?;
        service.passwords.check(password).await?;
        service.passwords.hash(password, service.random()).await?
    } else {
        passwords::unknowable_hash(&service.random(), &service.random())
    };
    let new_email = new_email(service, link_type, input.new_email.as_deref())?;
    Ok(Wanted { link_type, email, new_email, password_hash, data: input.data })
}

fn new_email(
    service: &ServiceContext,
    link_type: LinkType,
    text: Option<&str>,
) -> Result<Option<Email>, AuthError> {
    match link_type {
        LinkType::EmailChangeCurrent if !service.settings.double_confirm_changes => {
            Err(AuthError::validation("Enable secure email change to generate link for current email"))
        }
        LinkType::EmailChangeCurrent | LinkType::EmailChangeNew => {
            Email::parse(text.unwrap_or_default()).map(Some)
        }
        LinkType::SignUp | LinkType::Invite | LinkType::MagicLink | LinkType::Recovery => Ok(None),
    }
}

/// The account that the link is for, prepared for its code.
async fn account(tx: &mut Tx<'_>, wanted: &Wanted) -> Result<User, AuthError> {
    let (email, now) = (&wanted.email, tx.context.now);
    if wanted.link_type == LinkType::Invite {
        let user = invite::invited(tx, email, wanted.data.as_ref()).await?;
        audit_log::add(tx, Action::UserInvited, &user).await?;
        return Ok(user);
    }
    if wanted.link_type == LinkType::SignUp {
        return external_user(tx, wanted).await;
    }
    let user =
        users::by_email_for_update(tx.db, email.as_str()).await?.ok_or(AccountError::AddressUnknown)?;
    match &wanted.new_email {
        None => {
            audit_log::add(tx, Action::UserRecoveryRequested, &user).await?;
            account_origin::code_requested(tx.db, &user, CodeRequester::Anybody).await?;
        }
        Some(new) => {
            if users::is_taken(&mut *tx.db, new.as_str(), user.id).await? {
                return Err(AuthError::EmailExists);
            }
            if user.email_change.as_deref() != Some(new.as_str()) {
                // Who agreed to another address does not agree to this one.
                one_time_tokens::clear_types(tx.db, user.id, &[TokenType::EmailChangeCurrent]).await?;
            }
            users::email_change_sent(tx.db, user.id, new.as_str(), now)
                .await
                .map_err(|error| tx.service.save_error(error))?;
        }
    }
    Ok(user)
}

/// Who signs up by the link: a new account, or one that is not confirmed yet.
async fn external_user(tx: &mut Tx<'_>, wanted: &Wanted) -> Result<User, AuthError> {
    let data = wanted.data.as_ref();
    match users::by_email_for_update(tx.db, wanted.email.as_str()).await? {
        Some(user) if user.email_confirmed_at.is_some() => Err(AuthError::EmailExists),
        Some(user) => {
            ownership_proof::take_over(tx, &user).await?;
            let user = accounts::load(tx.db, user.id).await?;
            let app = user.raw_app_meta_data.clone().unwrap_or_else(|| json!({}));
            let own = user.raw_user_meta_data.clone().unwrap_or_else(|| json!({}));
            let own = accounts::merged(&own, data)?;
            users::set_metadata(tx.db, user.id, &Metadata { app, own }, tx.context.now)
                .await
                .map_err(|error| tx.service.save_error(error))?;
            Ok(user)
        }
        None => {
            let new = NewAccount {
                email: Some(&wanted.email),
                password_hash: Some(&wanted.password_hash),
                user_metadata: data,
                origin: Some(AccountOrigin::Admin),
                ..NewAccount::new()
            };
            accounts::create(tx, new).await?.ok_or(AuthError::EmailExists)
        }
    }
}
