use serde::Serialize;
use serde_json::{Value, json};
use time::{OffsetDateTime, UtcOffset};
use uuid::Uuid;

use super::{NewAccount, merged};
use crate::{
    context::ServiceContext,
    store::{
        factors::{Factor, OwnFactor},
        identities::{self, Identity},
        times,
        users::User,
    },
    wire::error::AuthError,
};

/// The user object of answers (CONTRACT.md O1 to O18).
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

/// The factor object of answers (CONTRACT.md O24, O25).
#[derive(Debug, Serialize)]
pub(crate) struct FactorBody {
    id: Uuid,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    friendly_name: Option<String>,
    factor_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_challenged_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    web_authn_aaguid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_webauthn_challenge_data: Option<Value>,
}

impl From<OwnFactor> for FactorBody {
    fn from(factor: OwnFactor) -> Self {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            id: factor.id,
            created_at: factor.created_at.to_offset(UtcOffset::UTC),
            updated_at: factor.updated_at.to_offset(UtcOffset::UTC),
            status: factor.status,
            friendly_name: given(factor.friendly_name),
            factor_type: factor.factor_type,
            phone: given(factor.phone),
            last_challenged_at: factor.last_challenged_at.map(|at| at.to_offset(UtcOffset::UTC)),
            web_authn_aaguid: factor.web_authn_aaguid,
            last_webauthn_challenge_data: factor.last_webauthn_challenge_data,
        }
    }
}

impl From<Factor> for FactorBody {
    fn from(factor: Factor) -> Self {
        Self::from(OwnFactor {
            id: factor.id,
            friendly_name: factor.friendly_name,
            factor_type: factor.kind,
            status: factor.status,
            created_at: factor.created_at,
            updated_at: factor.updated_at,
            phone: factor.phone,
            last_challenged_at: factor.last_challenged_at,
            web_authn_aaguid: factor.web_authn_aaguid,
            last_webauthn_challenge_data: factor.last_webauthn_challenge_data,
        })
    }
}

/// Shows an account with its identities.
pub(crate) async fn show(executor: impl sqlx::PgExecutor<'_>, user: User) -> Result<UserBody, AuthError> {
    let identities = identities::of_user(executor, user.id).await?;
    Ok(body(user, Some(identities)))
}

/// Shows an account; lists leave the identities out (CONTRACT.md O14).
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
        // What no answer could show was over before anybody was.
        banned_until: user.banned_until.filter(|until| *until > times::FIRST),
        deleted_at: user.deleted_at,
        is_anonymous: user.is_anonymous,
    }
}

/// What somebody who signs up with a known address is shown: an account that does not exist
/// (CONTRACT.md M17).
pub(crate) fn decoy(
    service: &ServiceContext,
    new: &NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<UserBody, AuthError> {
    let user = User {
        id: service.new_id(),
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
