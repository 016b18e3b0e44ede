use time::Duration;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
        limits::password_attempts,
        security_notifications,
    },
    endpoints::reauthenticate,
    guards::bearer::Bearer,
    mails::{Kind, NoticeDetails},
    store::{passwords, sessions, users::User},
    tx::Tx,
    wire::{
        error::{AuthError, PasswordError},
        request::RequestContext,
    },
};

/// Age of a session after which a new password needs a nonce, if the project wants that
/// (CONTRACT.md U11).
const RECENT: Duration = Duration::hours(24);

/// Methods of sessions that a code or link opened: `/verify` calls every one of them `otp`
/// (CONTRACT.md T14).
const BY_MAIL: [&str; 3] = ["otp", "magiclink", "recovery"];

/// A request for a new password.
pub(super) struct PasswordChange {
    pub(super) new: String,
    pub(super) current: Option<String>,
    pub(super) nonce: Option<String>,
    /// Whether the request changes an address or number, too.
    pub(super) with_address: bool,
}

/// A new hash, and the one that it replaces.
pub(super) struct Replacement {
    old: String,
    new: String,
}

/// A user who changes the password. It is checked outside of any transaction (CONTRACT.md PW8).
pub(super) struct PasswordCheck<'a> {
    pub(super) service: &'a ServiceContext,
    pub(super) context: &'a RequestContext,
    pub(super) bearer: &'a Bearer,
    pub(super) change: &'a PasswordChange,
}

impl PasswordCheck<'_> {
    /// Checks that the user may have the password, and hashes it.
    ///
    /// # Errors
    /// Those of CONTRACT.md U10 to U12 and of the password rules.
    pub(super) async fn run(self) -> Result<Replacement, AuthError> {
        let Self { service, bearer, change, .. } = self;
        service.passwords.check(&change.new).await?;
        let old = passwords::of_user(&service.pool, bearer.user.id).await?;
        let current = self.current(&old).await?;
        // The nonce comes before any comparison: its refusal must not depend on what was guessed.
        self.check_recent().await?;
        if let Some(current) = current {
            self.check_current(current, &old).await?;
        }
        if !old.is_empty() && service.passwords.verify(Some(&old), &change.new).await?.right {
            return Err(PasswordError::Same.into());
        }
        let new = service.passwords.hash(&change.new, service.random()).await?;
        Ok(Replacement { old, new })
    }

    /// The current password, if the project asks for it. A user who signed in by mail may have
    /// forgotten it (CONTRACT.md U12).
    async fn current(&self, old: &str) -> Result<Option<&str>, AuthError> {
        if old.is_empty()
            || !self.service.settings.passwords.require_current
            || is_recovery(self.service, self.bearer).await?
        {
            return Ok(None);
        }
        self.change.current.as_deref().map(Some).ok_or(PasswordError::CurrentRequired.into())
    }

    /// Compares the current password; wrong ones are counted with those of sign-ins
    /// (CONTRACT.md PW1).
    async fn check_current(&self, current: &str, old: &str) -> Result<(), AuthError> {
        let &Self { service, context, bearer, .. } = self;
        let account = attempts_key(&bearer.user);
        password_attempts::count(service, context, &account).await?;
        if !service.passwords.verify(Some(old), current).await?.right {
            return Err(PasswordError::CurrentInvalid.into());
        }
        Ok(password_attempts::give_back(service, &service.pool, context, &account).await?)
    }

    /// An older session needs the nonce of `GET /reauthenticate`, if the project wants that.
    async fn check_recent(&self) -> Result<(), AuthError> {
        let &Self { service, context, bearer, change } = self;
        if !service.settings.passwords.require_reauthentication {
            return Ok(());
        }
        let opened = match bearer.session {
            Some(session) => sessions::opened_at(&service.pool, session).await?,
            None => None,
        };
        if opened.is_some_and(|opened| context.now <= opened + RECENT) {
            return Ok(());
        }
        let nonce = change.nonce.as_deref().ok_or(PasswordError::ReauthenticationNeeded)?;
        reauthenticate::redeem(service, context, &bearer.user, nonce).await
    }
}

/// The key that attempts are counted by: the address that signs in with the password, else the
/// account.
fn attempts_key(user: &User) -> String {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
    given(&user.email).or_else(|| given(&user.phone)).unwrap_or_else(|| user.id.to_string()).to_lowercase()
}

async fn is_recovery(service: &ServiceContext, bearer: &Bearer) -> Result<bool, AuthError> {
    let Some(session) = bearer.session else { return Ok(false) };
    let methods = sessions::methods(&service.pool, session).await?;
    Ok(methods.iter().any(|method| BY_MAIL.contains(&method.name.as_str())))
}

/// Stores the new hash and ends the user's other sessions (CONTRACT.md S10).
///
/// # Errors
/// 409 `conflict` if another request changed the password meanwhile.
pub(super) async fn store(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    user: &User,
    replacement: &Replacement,
) -> Result<(), AuthError> {
    if !passwords::is_unchanged(tx.db, user.id, &replacement.old).await? {
        return Err(PasswordError::ChangedMeanwhile.into());
    }
    passwords::set(tx.db, user.id, &replacement.new, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))?;
    sessions::delete_of_user(&mut *tx.db, user.id, bearer.session).await?;
    // What began under the old password is not trusted any more.
    accounts::void_pending(tx, user.id).await?;
    audit_log::add(tx, Action::UserUpdatedPassword, user).await?;
    security_notifications::send(tx, user, Kind::PasswordChanged, NoticeDetails::default()).await
}
