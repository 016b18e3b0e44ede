//! Accounts: made, confirmed, shown.

use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    email::Email,
    error::AuthError,
    factors::FactorBody,
    first_proof::{self, Hand},
    hooks,
    phone::Phone,
    request::Context,
    state::Inner,
    store::{
        flow_states,
        identities::{self, Identity, NewIdentity},
        one_time_tokens,
        users::{self, NewUser, User},
    },
};

/// Makes an account with its identities, in the steps that triggers on `auth.users` expect (auth.md Z4): the row with
/// its metadata first, then its role, then what confirms it. None when its address or id was taken meanwhile.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no; 400 for metadata that is too large.
pub(crate) async fn create(
    inner: &Inner,
    db: &mut PgConnection,
    new: NewAccount<'_>,
    context: &Context,
) -> Result<Option<User>, AuthError> {
    let now = context.now;
    let id = new.id.unwrap_or_else(|| inner.new_id());
    let app_metadata = merged(&new.providers(), new.app_metadata)?;
    let given = Value::Object(new.user_metadata.cloned().unwrap_or_default());
    let metadata =
        if new.describes_itself { merged(&new.own_claims(id), new.user_metadata)? } else { given.clone() };
    let metadata = merged(&metadata, None)?;
    if !new.by_admin && !new.agreed {
        let shown = serde_json::to_value(new.shown(id, &app_metadata, &metadata, now)).unwrap_or_default();
        hooks::before_user_created(inner, Some(db), context, &shown).await?;
    }
    let row = NewUser {
        id,
        aud: new.aud.unwrap_or("authenticated"),
        email: new.email.map(Email::as_str),
        phone: new.phone.map(Phone::as_str),
        encrypted_password: new.password_hash.unwrap_or_default(),
        app_metadata: &app_metadata,
        user_metadata: &given,
        is_anonymous: new.is_anonymous,
        is_sso_user: new.is_sso_user,
    };
    let refused = |error| AuthError::saving(error, inner.explains);
    if !users::insert(db, &row, now).await.map_err(refused)? {
        return Ok(None);
    }
    add_identities(inner, db, id, &new, now).await.map_err(refused)?;
    users::set_role_and_metadata(db, id, new.role, &metadata, now).await.map_err(refused)?;
    confirm_new(inner, db, id, &new, now).await?;
    let user = load(db, id).await?;
    if inner.settings.hooks.after_user_created.is_some() && !new.by_admin {
        let shown = serde_json::to_value(show(&mut *db, user.clone()).await?).unwrap_or_default();
        hooks::after_user_created(inner, db, context, &shown).await?;
    }
    Ok(Some(user))
}

/// Asks the hook that judges new accounts, where it is elsewhere, before there is a transaction: the id that the account
/// then has. None when it is asked as the account is made, or nobody is.
///
/// # Errors
/// What the hook says, or that it could not be asked.
pub(crate) async fn agree(
    inner: &Inner,
    new: &NewAccount<'_>,
    context: &Context,
) -> Result<Option<Uuid>, AuthError> {
    if !hooks::judges_accounts_elsewhere(&inner.settings) {
        return Ok(None);
    }
    let id = inner.new_id();
    let app = merged(&new.providers(), new.app_metadata)?;
    let own = merged(&new.own_claims(id), new.user_metadata)?;
    let shown = serde_json::to_value(new.shown(id, &app, &own, context.now)).unwrap_or_default();
    hooks::before_user_created(inner, None, context, &shown).await?;
    Ok(Some(id))
}

/// Confirms what counts at once; of an account without that is kept whose hand made it.
async fn confirm_new(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    new: &NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    if new.email_confirmed {
        confirm(inner, db, id, now).await?;
    }
    if new.phone_confirmed {
        confirm_phone(inner, db, id, now).await?;
    }
    match new.hand {
        Some(hand) if !new.email_confirmed && !new.phone_confirmed => {
            Ok(first_proof::made_by(db, id, hand).await?)
        }
        _ => Ok(()),
    }
}

/// What a new account is made of; begin with [`NewAccount::new`].
pub(crate) struct NewAccount<'a> {
    /// None draws one.
    pub(crate) id: Option<Uuid>,
    /// None means `authenticated`.
    pub(crate) aud: Option<&'a str>,
    pub(crate) role: &'a str,
    pub(crate) email: Option<&'a Email>,
    pub(crate) phone: Option<&'a Phone>,
    /// None: the account has no password.
    pub(crate) password_hash: Option<&'a str>,
    /// An identity at a provider. It takes the place of those of address and number.
    pub(crate) external: Option<ExternalIdentity<'a>>,
    pub(crate) app_metadata: Option<&'a Map<String, Value>>,
    pub(crate) user_metadata: Option<&'a Map<String, Value>>,
    /// Whether the user metadata also says address, number and id, as after a sign-up (auth.md O13).
    pub(crate) describes_itself: bool,
    pub(crate) email_confirmed: bool,
    pub(crate) phone_confirmed: bool,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
    /// Whether the holder of a service key makes it: hooks are not asked about that (auth.md HK10).
    pub(crate) by_admin: bool,
    /// Whether the hook that judges new accounts agreed already ([`agree`]).
    pub(crate) agreed: bool,
    /// Whose hand it is of; none means that the first proof of its address strips it.
    pub(crate) hand: Option<Hand>,
}

/// Who somebody is at a provider.
pub(crate) struct ExternalIdentity<'a> {
    /// Such as `google`.
    pub(crate) provider: &'a str,
    /// The id there.
    pub(crate) provider_id: &'a str,
    pub(crate) identity_data: &'a Value,
}

impl<'a> NewAccount<'a> {
    /// An account without address, password and metadata, for role `authenticated`.
    pub(crate) fn new() -> Self {
        Self {
            id: None,
            aud: None,
            role: "authenticated",
            email: None,
            phone: None,
            password_hash: None,
            external: None,
            app_metadata: None,
            user_metadata: None,
            describes_itself: false,
            email_confirmed: false,
            phone_confirmed: false,
            is_anonymous: false,
            is_sso_user: false,
            by_admin: false,
            agreed: false,
            hand: None,
        }
    }

    /// The account as it will be, for who is asked whether it may be (auth.md HK10).
    fn shown(&self, id: Uuid, app: &Value, own: &Value, now: OffsetDateTime) -> UserBody {
        let user = User {
            id,
            aud: Some(self.aud.unwrap_or("authenticated").to_owned()),
            role: Some(self.role.to_owned()),
            email: self.email.map(|email| email.as_str().to_owned()),
            phone: self.phone.map(|phone| phone.as_str().to_owned()),
            raw_app_meta_data: Some(app.clone()),
            raw_user_meta_data: Some(own.clone()),
            created_at: Some(now),
            updated_at: Some(now),
            is_anonymous: self.is_anonymous,
            is_sso_user: self.is_sso_user,
            ..User::default()
        };
        body(user, Some(Vec::new()))
    }

    /// An account that its owner signs up for with an address.
    pub(crate) fn sign_up(email: &'a Email, data: Option<&'a Map<String, Value>>) -> Self {
        Self { email: Some(email), user_metadata: data, describes_itself: true, ..Self::new() }
    }

    /// `provider` and `providers` of the app metadata (auth.md O12); empty without an identity.
    fn providers(&self) -> Value {
        let mut names = Vec::new();
        match &self.external {
            Some(identity) => names.push(identity.provider),
            None => {
                names.extend(self.email.map(|_| "email"));
                names.extend(self.phone.map(|_| "phone"));
            }
        }
        names.first().map_or_else(|| json!({}), |first| json!({"provider": first, "providers": names}))
    }

    /// What the identity of address or number says of its owner.
    fn own_claims(&self, id: Uuid) -> Value {
        let mut claims = json!({"sub": id, "email_verified": false, "phone_verified": false});
        if let Some(email) = self.email {
            claims["email"] = json!(email.as_str());
        }
        if let Some(phone) = self.phone {
            claims["phone"] = json!(phone.as_str());
        }
        claims
    }
}

async fn add_identities(
    inner: &Inner,
    db: &mut PgConnection,
    user: Uuid,
    new: &NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    if let Some(external) = &new.external {
        let identity = NewIdentity {
            id: inner.new_id(),
            user_id: user,
            provider: external.provider,
            provider_id: external.provider_id,
            identity_data: external.identity_data,
        };
        return identities::insert(db, &identity, now).await;
    }
    if let Some(email) = new.email {
        identities::put_email(db, inner.new_id(), user, email.as_str(), false, now).await?;
    }
    if let Some(phone) = new.phone {
        identities::put_phone(db, inner.new_id(), user, phone.as_str(), false, now).await?;
    }
    Ok(())
}

/// Notes that the owner of the account reads its address.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn confirm(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    users::confirm_email(db, id, now).await.map_err(refused)?;
    identities::verify_email(db, id, now).await.map_err(refused)
}

/// Notes that the owner of the account reads messages to its number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn confirm_phone(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    users::confirm_phone(db, id, now).await.map_err(refused)?;
    identities::verify_phone(db, id, now).await.map_err(refused)
}

/// Gives the account another, confirmed address: the user, its e-mail identity, which is made if it is missing, and the
/// list of its providers (auth.md U6). An anonymous user is none from then on (AN2).
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_email(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    email: &str,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    users::change_email(db, id, email, now).await.map_err(refused)?;
    identities::put_email(db, inner.new_id(), id, email, true, now).await.map_err(refused)?;
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// As [`change_email`], for the number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_phone(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    users::change_phone(db, id, phone, now).await.map_err(refused)?;
    identities::put_phone(db, inner.new_id(), id, phone, true, now).await.map_err(refused)?;
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// Voids what was begun for an account and is not trusted any more: codes and links that are out, changes of address and
/// number, and flows whose code could still be exchanged.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn void_pending(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    one_time_tokens::clear(db, id).await?;
    flow_states::end_of_user(db, id).await?;
    users::void_changes(db, id, now).await.map_err(|error| AuthError::saving(error, inner.explains))
}

/// The account as it is now.
pub(crate) async fn load(db: &mut PgConnection, id: Uuid) -> Result<User, AuthError> {
    users::by_id(db, id).await?.ok_or(AuthError::UserNotFound)
}

/// Most bytes of either metadata as JSON: both travel in every access token, which is refused beyond 16 KiB.
const LARGEST_METADATA: usize = 5 * 1024;

/// `base` with the entries of `changes`; a null removes an entry (auth.md U1).
///
/// # Errors
/// [`AuthError::Validation`] when the result is too large for a token, or holds U+0000, which PostgreSQL cannot keep.
pub(crate) fn merged(base: &Value, changes: Option<&Map<String, Value>>) -> Result<Value, AuthError> {
    let mut result = base.as_object().cloned().unwrap_or_default();
    for (key, value) in changes.into_iter().flatten() {
        if value.is_null() {
            result.remove(key);
        } else {
            result.insert(key.clone(), value.clone());
        }
    }
    let result = Value::Object(result);
    let text = result.to_string();
    if text.len() > LARGEST_METADATA {
        return Err(AuthError::validation(format!("Metadata may have {LARGEST_METADATA} bytes at most")));
    }
    if text.contains("\\u0000") {
        return Err(AuthError::validation("Metadata cannot hold the character U+0000"));
    }
    Ok(result)
}

/// The user object of answers (auth.md section 4).
#[derive(Debug, Serialize)]
pub(crate) struct UserBody {
    id: Uuid,
    aud: String,
    role: String,
    email: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    email_confirmed_at: Option<OffsetDateTime>,
    phone: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    phone_confirmed_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    confirmation_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    confirmed_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    recovery_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    email_change_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    phone_change_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    reauthentication_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    invited_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_sign_in_at: Option<OffsetDateTime>,
    app_metadata: Value,
    user_metadata: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    factors: Vec<FactorBody>,
    identities: Option<Vec<IdentityBody>>,
    #[serde(with = "time::serde::rfc3339::option")]
    created_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    updated_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    banned_until: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    deleted_at: Option<OffsetDateTime>,
    is_anonymous: bool,
}

impl UserBody {
    /// The account without what it says of its owner.
    pub(crate) fn without_particulars(self) -> Self {
        Self { user_metadata: json!({}), identities: Some(Vec::new()), ..self }
    }
}

/// The identity object of answers.
#[derive(Debug, Serialize)]
pub(crate) struct IdentityBody {
    identity_id: Uuid,
    id: String,
    user_id: Uuid,
    identity_data: Value,
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_sign_in_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    created_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    updated_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
}

/// Shows an account with its identities.
pub(crate) async fn show(executor: impl sqlx::PgExecutor<'_>, user: User) -> Result<UserBody, AuthError> {
    let identities = identities::of_user(executor, user.id).await?;
    Ok(body(user, Some(identities)))
}

/// Shows an account; lists leave the identities out (auth.md O14).
pub(crate) fn body(user: User, identities: Option<Vec<Identity>>) -> UserBody {
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let object = |value: Option<Value>| value.filter(Value::is_object).unwrap_or_else(|| json!({}));
    UserBody {
        id: user.id,
        aud: user.aud.unwrap_or_default(),
        role: user.role.unwrap_or_default(),
        email: user.email.unwrap_or_default(),
        email_confirmed_at: user.email_confirmed_at,
        phone: user.phone.unwrap_or_default(),
        phone_confirmed_at: user.phone_confirmed_at,
        confirmation_sent_at: user.confirmation_sent_at,
        confirmed_at: user.confirmed_at,
        recovery_sent_at: user.recovery_sent_at,
        new_email: given(user.email_change),
        email_change_sent_at: user.email_change_sent_at,
        new_phone: given(user.phone_change),
        phone_change_sent_at: user.phone_change_sent_at,
        reauthentication_sent_at: user.reauthentication_sent_at,
        invited_at: user.invited_at,
        last_sign_in_at: user.last_sign_in_at,
        app_metadata: object(user.raw_app_meta_data),
        user_metadata: object(user.raw_user_meta_data),
        factors: user.factors.0.into_iter().map(FactorBody::from).collect(),
        identities: identities.map(|all| all.into_iter().map(identity_body).collect()),
        created_at: user.created_at,
        updated_at: user.updated_at,
        banned_until: user.banned_until,
        deleted_at: user.deleted_at,
        is_anonymous: user.is_anonymous,
    }
}

/// What somebody who signs up with a known address is shown: an account that does not exist (auth.md M17).
pub(crate) fn made_up(
    inner: &Inner,
    new: &NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<UserBody, AuthError> {
    let user = User {
        id: inner.new_id(),
        aud: Some(new.aud.unwrap_or("authenticated").to_owned()),
        email: new.email.map(|email| email.as_str().to_owned()),
        phone: new.phone.map(|phone| phone.as_str().to_owned()),
        confirmation_sent_at: Some(now),
        raw_app_meta_data: Some(new.providers()),
        raw_user_meta_data: Some(merged(&json!({}), new.user_metadata)?),
        created_at: Some(now),
        updated_at: Some(now),
        ..User::default()
    };
    Ok(body(user, Some(Vec::new())))
}

fn identity_body(identity: Identity) -> IdentityBody {
    IdentityBody {
        identity_id: identity.id,
        id: identity.provider_id,
        user_id: identity.user_id,
        identity_data: identity.identity_data,
        provider: identity.provider,
        last_sign_in_at: identity.last_sign_in_at,
        created_at: identity.created_at,
        updated_at: identity.updated_at,
        email: identity.email,
    }
}
