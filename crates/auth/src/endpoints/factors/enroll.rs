use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{UNVERIFIED_LIFE, is_aal2, session_of, totp};
use crate::{
    context::ServiceContext,
    domain::audit_log::{self, Action},
    guards::bearer::Bearer,
    model::factor_kind::FactorKind,
    store::factors::{self, NewFactor},
    tx::Tx,
    wire::{
        error::{AuthError, FactorError},
        phone::Phone,
        request::{Json, RequestContext},
    },
};

/// Most verified factors of a user (CONTRACT.md F2).
const MOST_VERIFIED: usize = 10;
/// Most characters of a name.
const LONGEST_NAME: usize = 120;

/// Body of the request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    factor_type: String,
    friendly_name: Option<String>,
    issuer: Option<String>,
    phone: Option<String>,
}

/// `POST /factors` (CONTRACT.md H30, F1, F2): a factor that counts once it is verified.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    session_of(&bearer)?;
    let kind = FactorKind::parse(&input.factor_type)
        .ok_or_else(|| AuthError::validation("factor_type needs to be totp, phone, or webauthn"))?;
    if !kind.switches(&service.settings).enroll {
        return Err(FactorError::EnrollOff(kind).into());
    }
    let name = input.friendly_name.as_deref().unwrap_or_default();
    if name.chars().count() > LONGEST_NAME {
        return Err(AuthError::validation("friendly_name must be 120 characters or less"));
    }
    let phone = phone(kind, &input)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    // Factors of one user are added one after the other, or their number would not be bounded.
    bearer.lock(tx.db, context.now).await?;
    let wanted = Wanted { kind, name, issuer: input.issuer.as_deref(), phone: phone.as_ref() };
    check_may_enroll(tx, &bearer, &wanted).await?;
    let mut body = add(tx, &bearer, &wanted).await?;
    if phone.is_some() {
        body["phone"] = json!(input.phone);
    }
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

fn phone(kind: FactorKind, input: &Input) -> Result<Option<Phone>, AuthError> {
    if kind != FactorKind::Phone {
        return Ok(None);
    }
    let number = input.phone.as_deref().filter(|number| !number.is_empty());
    let number =
        number.ok_or_else(|| AuthError::validation("Phone number required to enroll Phone factor"))?;
    Phone::parse(number).map(Some)
}

/// A factor that a user asks for.
struct Wanted<'a> {
    kind: FactorKind,
    name: &'a str,
    issuer: Option<&'a str>,
    phone: Option<&'a Phone>,
}

/// Removes what was begun and left, and checks that one more factor may be added.
async fn check_may_enroll(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    &Wanted { name, phone, .. }: &Wanted<'_>,
) -> Result<(), AuthError> {
    let (user, session) = (bearer.user.id, session_of(bearer)?);
    factors::delete_unverified(tx.db, user, None, Some(tx.context.now - UNVERIFIED_LIFE)).await?;
    let mut existing = factors::of_user(tx.db, user).await?;
    if let Some(phone) = phone {
        let same = |number: &Option<String>| number.as_deref() == Some(phone.as_str());
        for factor in existing.iter().filter(|factor| same(&factor.phone)) {
            if factor.is_verified() {
                return Err(FactorError::PhoneTaken.into());
            }
            factors::delete(tx.db, factor.id).await?;
        }
        existing.retain(|factor| !same(&factor.phone));
    }
    if existing.iter().any(|factor| !name.trim().is_empty() && factor.friendly_name.as_deref() == Some(name))
    {
        return Err(FactorError::NameTaken(name.to_owned()).into());
    }
    let verified = existing.iter().filter(|factor| factor.is_verified()).count();
    if existing.len() >= tx.service.settings.mfa.max_enrolled_factors as usize || verified >= MOST_VERIFIED {
        return Err(FactorError::TooMany.into());
    }
    if verified > 0 && !is_aal2(tx.db, session).await? {
        return Err(FactorError::EnrollNeedsAal2.into());
    }
    Ok(())
}

async fn add(tx: &mut Tx<'_>, bearer: &Bearer, wanted: &Wanted<'_>) -> Result<Value, AuthError> {
    let &Wanted { kind, name, issuer, phone } = wanted;
    let id = tx.service.new_id();
    let mut body = json!({"id": id, "type": kind.name(), "friendly_name": name});
    let mut secret = None;
    if kind == FactorKind::Totp {
        let host = site_host(tx.service);
        let issuer = issuer.filter(|issuer| !issuer.is_empty()).unwrap_or(&host);
        let key =
            totp::Key::new(tx.service.random(), issuer, bearer.user.email.as_deref().unwrap_or_default());
        body["totp"] = json!({"qr_code": key.qr_code()?, "secret": key.secret, "uri": key.uri});
        secret = Some(key.secret);
    }
    let factor = NewFactor {
        id,
        user_id: bearer.user.id,
        friendly_name: name,
        kind: kind.name(),
        secret: secret.as_deref(),
        phone: phone.map(Phone::as_str),
    };
    factors::insert(tx.db, &factor, tx.context.now).await?;
    let traits = json!({"factor_id": id, "factor_type": kind.name()});
    audit_log::add_with(tx, Action::FactorInProgress, &bearer.user, traits).await?;
    Ok(body)
}

/// What an authenticator shows beside the codes when the application gives no other name
/// (CONTRACT.md F1).
fn site_host(service: &ServiceContext) -> String {
    let url = url::Url::parse(&service.settings.site_url).ok();
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    });
    host.unwrap_or_else(|| service.settings.site_url.clone())
}
