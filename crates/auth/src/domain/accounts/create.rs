use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    bodies::{UserBody, body, show},
    confirm, confirm_phone, creation_hook, load, merged, put_email_identity, put_phone_identity,
};
use crate::{
    domain::account_origin::{self, AccountOrigin},
    hooks,
    store::{
        identities::{self, NewIdentity},
        users::{self, Metadata, NewUser, NewUserDetails, User},
    },
    tx::Tx,
    wire::{email::Email, error::AuthError, phone::Phone, pkce::Challenge},
};

/// Creates an account with its identities, in the steps that triggers on `auth.users` expect
/// (CONTRACT.md Z4): the row with its metadata first, then its role, then its confirmation. None if
/// its address or id was taken meanwhile.
///
/// # Errors
/// [`AuthError::Refused`] if a trigger or constraint of the project refuses it; 400 for metadata
/// that is too large; [`AuthError::NeedsApproval`] if a remote hook must approve it first, for
/// [`crate::context::ServiceContext::begin_again`].
pub(crate) async fn create(tx: &mut Tx<'_>, new: NewAccount<'_>) -> Result<Option<User>, AuthError> {
    let now = tx.context.now;
    let id = creation_hook::approved_id(tx, &new).await?;
    let metadata = new.metadata(id)?;
    let given = Value::Object(new.user_metadata.cloned().unwrap_or_default());
    let refused = |error| tx.service.save_error(error);
    if !users::insert(tx.db, &new.row(id, &metadata.app, &given), now).await.map_err(refused)? {
        return Ok(None);
    }
    tx.context.created.add(id);
    add_identities(tx, id, &new).await.map_err(refused)?;
    let details = NewUserDetails { role: new.role, user_metadata: &metadata.own };
    users::complete(tx.db, id, details, now).await.map_err(refused)?;
    confirm_new(tx, id, &new).await?;
    let user = load(tx.db, id).await?;
    if tx.service.settings.hooks.after_user_created.is_some() && !new.by_admin {
        let shown = serde_json::to_value(show(&mut *tx.db, user.clone()).await?).unwrap_or_default();
        hooks::after_user_created(tx, &shown).await?;
    }
    Ok(Some(user))
}

/// Confirms addresses that count at once. For other accounts it stores the origin.
async fn confirm_new(tx: &mut Tx<'_>, id: Uuid, new: &NewAccount<'_>) -> Result<(), AuthError> {
    if new.email_confirmed {
        confirm(tx, id).await?;
    }
    if new.phone_confirmed {
        confirm_phone(tx, id).await?;
    }
    match new.origin {
        Some(origin) if !new.email_confirmed && !new.phone_confirmed => {
            Ok(account_origin::record(tx, id, origin, new.challenge).await?)
        }
        _ => Ok(()),
    }
}

/// The data of a new account. Begin with [`NewAccount::new`].
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
    /// An identity at a provider, in place of those of address and number.
    pub(crate) external: Option<ExternalIdentity<'a>>,
    pub(crate) app_metadata: Option<&'a Map<String, Value>>,
    pub(crate) user_metadata: Option<&'a Map<String, Value>>,
    /// Whether the user metadata also says address, number and id, as after a sign-up
    /// (CONTRACT.md O13).
    pub(crate) describes_itself: bool,
    pub(crate) email_confirmed: bool,
    pub(crate) phone_confirmed: bool,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
    /// Whether an admin creates it. Hooks are not asked then (CONTRACT.md HK10).
    pub(crate) by_admin: bool,
    /// The kind of request that creates it. Without one, the first proof of its address strips it.
    pub(crate) origin: Option<AccountOrigin>,
    /// The code challenge of that request.
    pub(crate) challenge: Option<&'a Challenge>,
}

/// An identity at a provider.
pub(crate) struct ExternalIdentity<'a> {
    /// Such as `google`.
    pub(crate) provider: &'a str,
    /// The id there.
    pub(crate) provider_id: &'a str,
    pub(crate) identity_data: &'a Value,
}

impl<'a> NewAccount<'a> {
    /// Refuses what no account can hold, before the address is looked up.
    ///
    /// # Errors
    /// 400 for metadata that is too large, with what its identity adds.
    pub(crate) fn check(&self) -> Result<(), AuthError> {
        merged(&self.own_claims(Uuid::nil()), self.user_metadata).map(drop)
    }

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
            origin: None,
            challenge: None,
        }
    }

    /// The same, created by an admin.
    pub(crate) fn by_admin() -> Self {
        Self { by_admin: true, origin: Some(AccountOrigin::Admin), ..Self::new() }
    }

    /// App and user metadata of an account with this id.
    ///
    /// # Errors
    /// 400 when they are too large.
    pub(super) fn metadata(&self, id: Uuid) -> Result<Metadata, AuthError> {
        let app = merged(&self.providers(), self.app_metadata)?;
        let own = match self.describes_itself {
            true => merged(&self.own_claims(id), self.user_metadata)?,
            false => merged(&Value::Object(self.user_metadata.cloned().unwrap_or_default()), None)?,
        };
        Ok(Metadata { app, own })
    }

    /// The account as it will be, for the hook that approves it (CONTRACT.md HK10).
    pub(super) fn shown(&self, id: Uuid, metadata: Metadata, now: OffsetDateTime) -> UserBody {
        let user = User {
            id,
            aud: Some(self.aud.unwrap_or("authenticated").to_owned()),
            role: Some(self.role.to_owned()),
            email: self.email.map(|email| email.as_str().to_owned()),
            phone: self.phone.map(|phone| phone.as_str().to_owned()),
            raw_app_meta_data: Some(metadata.app),
            raw_user_meta_data: Some(metadata.own),
            created_at: Some(now),
            updated_at: Some(now),
            is_anonymous: self.is_anonymous,
            is_sso_user: self.is_sso_user,
            ..User::default()
        };
        body(user, Some(Vec::new()))
    }

    /// Its first row (CONTRACT.md Z4).
    fn row<'b>(&'b self, id: Uuid, app_metadata: &'b Value, user_metadata: &'b Value) -> NewUser<'b> {
        NewUser {
            id,
            aud: self.aud.unwrap_or("authenticated"),
            email: self.email.map(Email::as_str),
            phone: self.phone.map(Phone::as_str),
            encrypted_password: self.password_hash.unwrap_or_default(),
            app_metadata,
            user_metadata,
            is_anonymous: self.is_anonymous,
            is_sso_user: self.is_sso_user,
        }
    }

    /// An account that its owner signs up for with an address.
    pub(crate) fn sign_up(email: &'a Email, data: Option<&'a Map<String, Value>>) -> Self {
        Self { email: Some(email), user_metadata: data, describes_itself: true, ..Self::new() }
    }

    /// `provider` and `providers` of the app metadata (CONTRACT.md O12); empty without an identity.
    pub(super) fn providers(&self) -> Value {
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

async fn add_identities(tx: &mut Tx<'_>, user: Uuid, new: &NewAccount<'_>) -> Result<(), sqlx::Error> {
    if let Some(external) = &new.external {
        let identity = NewIdentity {
            id: tx.service.new_id(),
            user_id: user,
            provider: external.provider,
            provider_id: external.provider_id,
            identity_data: external.identity_data,
        };
        return identities::insert(tx.db, &identity, tx.context.now).await;
    }
    if let Some(email) = new.email {
        put_email_identity(tx, user, email.as_str(), false).await?;
    }
    if let Some(phone) = new.phone {
        put_phone_identity(tx, user, phone.as_str(), false).await?;
    }
    Ok(())
}
