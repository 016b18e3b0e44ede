use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::given;
use crate::{
    accounts::{self, NewAccount, UserBody},
    audit::{self, Action},
    bearer::Admin,
    codes::{self, Code},
    email::Email,
    error::{AccountError, AuthError},
    first_hand::{self, Asker, Hand},
    first_proof, invite, mails, passwords, redirects,
    request::{Context, Json},
    state::Inner,
    store::{
        one_time_tokens::{self, Slot},
        users::{self, User},
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
            other => other.name(),
        }
    }

    fn slot(self) -> Slot {
        match self {
            Self::SignUp | Self::Invite => Slot::Confirmation,
            Self::MagicLink | Self::Recovery => Slot::Recovery,
            Self::EmailChangeCurrent => Slot::EmailChangeCurrent,
            Self::EmailChangeNew => Slot::EmailChangeNew,
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
    State(inner): State<Arc<Inner>>,
    _: Admin,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Answer>, AuthError> {
    let redirect_to = redirect(&inner, &context, given(&input.redirect_to));
    let wanted = read(&inner, input).await?;
    let mut transaction = inner.begin(&context).await?;
    let user = loop {
        match account(&inner, &mut transaction, &context, &wanted).await {
            Ok(user) => break user,
            Err(error) => transaction = inner.begin_anew(&context, transaction, error).await?,
        }
    };
    let db = &mut *transaction;
    let address = match (&wanted.new_email, wanted.link_type) {
        (Some(new), LinkType::EmailChangeNew) => new,
        _ => &wanted.email,
    };
    let place = (wanted.link_type.slot(), address.as_str(), false);
    let Code { digits, link } = codes::issue(&inner, db, &user, place, context.now).await?;
    let user = accounts::load(db, user.id).await?;
    let answer = Answer {
        user: accounts::show(&mut *db, user).await?,
        action_link: mails::link(
            &inner.settings.external_url,
            wanted.link_type.in_link(),
            &link,
            &redirect_to,
        ),
        email_otp: digits,
        hashed_token: link,
        verification_type: wanted.link_type.name(),
        redirect_to,
    };
    inner.commit(transaction).await?;
    Ok(axum::Json(answer))
}

/// The target in the body counts before that of header and query (CONTRACT.md W6).
fn redirect(inner: &Inner, context: &Context, asked: Option<&str>) -> String {
    match asked.filter(|target| redirects::is_allowed(&inner.settings, target)) {
        Some(target) => target.to_owned(),
        None => redirects::choose(&inner.settings, context),
    }
}

/// Reads the request; a link for signing in becomes one for signing up where nobody has the address.
async fn read(inner: &Inner, input: Input) -> Result<Wanted, AuthError> {
    let email = Email::parse(input.email.as_deref().unwrap_or_default())?;
    let name = input.r#type.as_deref().unwrap_or_default();
    let asked = LinkType::ALL.into_iter().find(|link_type| link_type.name() == name).ok_or_else(|| {
        let shown: String = name.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
        AuthError::validation(format!("Invalid email action link type requested: {shown}"))
    })?;
    let known = users::is_taken(&inner.pool, email.as_str(), uuid::Uuid::nil()).await?;
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
        inner.passwords.check(password).await?;
        inner.passwords.hash(password, inner.random()).await?
    } else {
        passwords::hash_of_nothing_known(&inner.random(), &inner.random())
    };
    let new_email = new_email(inner, link_type, input.new_email.as_deref())?;
    Ok(Wanted { link_type, email, new_email, password_hash, data: input.data })
}

fn new_email(inner: &Inner, link_type: LinkType, text: Option<&str>) -> Result<Option<Email>, AuthError> {
    match link_type {
        LinkType::EmailChangeCurrent if !inner.settings.double_confirm_changes => {
            Err(AuthError::validation("Enable secure email change to generate link for current email"))
        }
        LinkType::EmailChangeCurrent | LinkType::EmailChangeNew => {
            Email::parse(text.unwrap_or_default()).map(Some)
        }
        _ => Ok(None),
    }
}

/// The account that the link is for, prepared for its code.
async fn account(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    wanted: &Wanted,
) -> Result<User, AuthError> {
    let (email, now) = (&wanted.email, context.now);
    if wanted.link_type == LinkType::Invite {
        let user = invite::invited(inner, db, context, email, wanted.data.as_ref()).await?;
        audit::add(db, inner.new_id(), Action::UserInvited, &user, context).await?;
        return Ok(user);
    }
    if wanted.link_type == LinkType::SignUp {
        return newcomer(inner, db, context, wanted).await;
    }
    let user = users::by_email_for_update(db, email.as_str()).await?.ok_or(AccountError::AddressUnknown)?;
    match &wanted.new_email {
        None => {
            audit::add(db, inner.new_id(), Action::UserRecoveryRequested, &user, context).await?;
            first_hand::asked_by(db, &user, Asker::Anybody).await?;
        }
        Some(new) => {
            if users::is_taken(&mut *db, new.as_str(), user.id).await? {
                return Err(AuthError::EmailExists);
            }
            if user.email_change.as_deref() != Some(new.as_str()) {
                // Who agreed to another address does not agree to this one.
                one_time_tokens::clear_slots(db, user.id, &[Slot::EmailChangeCurrent]).await?;
            }
            users::email_change_sent(db, user.id, new.as_str(), now)
                .await
                .map_err(|error| AuthError::saving(error, inner.explains))?;
        }
    }
    Ok(user)
}

/// Who signs up by the link: a new account, or one that is not confirmed yet.
async fn newcomer(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    wanted: &Wanted,
) -> Result<User, AuthError> {
    let data = wanted.data.as_ref();
    match users::by_email_for_update(db, wanted.email.as_str()).await? {
        Some(user) if user.email_confirmed_at.is_some() => Err(AuthError::EmailExists),
        Some(user) => {
            first_proof::taken_over(inner, db, context, &user).await?;
            let user = accounts::load(db, user.id).await?;
            let app = user.raw_app_meta_data.clone().unwrap_or_else(|| json!({}));
            let own = user.raw_user_meta_data.clone().unwrap_or_else(|| json!({}));
            let own = accounts::merged(&own, data)?;
            users::set_metadata(db, user.id, &app, &own, context.now)
                .await
                .map_err(|error| AuthError::saving(error, inner.explains))?;
            Ok(user)
        }
        None => {
            let new = NewAccount {
                email: Some(&wanted.email),
                password_hash: Some(&wanted.password_hash),
                user_metadata: data,
                hand: Some(Hand::Admin),
                ..NewAccount::new()
            };
            accounts::create(inner, db, new, context).await?.ok_or(AuthError::EmailExists)
        }
    }
}
