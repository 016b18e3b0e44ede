/// New accounts, and their end.
mod new;

/// Accounts as admins look for them.
mod list;

/// Changes of one account.
mod changes;

/// What accounts lose: addresses, pending changes, all that somebody else may have put there.
mod removals;

use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use self::changes::set;
pub(crate) use self::{
    changes::{
        AdminChange, Metadata, change_email, change_phone, confirm_email, confirm_phone,
        email_change_half_confirmed, email_change_sent, invited, phone_change_sent, set_by_admin, set_email,
        set_metadata, set_named, set_phone, set_providers_from_identities, set_user_metadata,
    },
    list::{Listing, by_exact_email, by_exact_phone, count, page, page_after},
    new::{NewUser, NewUserDetails, complete, delete, delete_unused, insert},
    removals::{Remains, clear_phone, give_email, strip, void_changes},
};
use super::{factors::OwnFactor, times::MaybeAt};

/// A row of `auth.users`, without what never leaves the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) aud: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) email_confirmed_at: Option<OffsetDateTime>,
    pub(crate) invited_at: Option<OffsetDateTime>,
    pub(crate) confirmation_sent_at: Option<OffsetDateTime>,
    pub(crate) recovery_sent_at: Option<OffsetDateTime>,
    pub(crate) email_change: Option<String>,
    pub(crate) email_change_sent_at: Option<OffsetDateTime>,
    pub(crate) last_sign_in_at: Option<OffsetDateTime>,
    pub(crate) raw_app_meta_data: Option<Value>,
    pub(crate) raw_user_meta_data: Option<Value>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) updated_at: Option<OffsetDateTime>,
    pub(crate) phone: Option<String>,
    pub(crate) phone_confirmed_at: Option<OffsetDateTime>,
    pub(crate) phone_change: Option<String>,
    pub(crate) phone_change_sent_at: Option<OffsetDateTime>,
    pub(crate) confirmed_at: Option<OffsetDateTime>,
    pub(crate) banned_until: Option<OffsetDateTime>,
    pub(crate) reauthentication_sent_at: Option<OffsetDateTime>,
    pub(crate) deleted_at: Option<OffsetDateTime>,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
    /// How many of two addresses agreed to a change: 0 or 1.
    pub(crate) email_change_confirm_status: Option<i16>,
    pub(crate) has_password: bool,
    /// Second factors, verified or not.
    pub(crate) factors: Json<Vec<OwnFactor>>,
}

impl User {
    /// Whether the account may not be used now.
    pub(crate) fn is_banned(&self, now: OffsetDateTime) -> bool {
        self.banned_until.is_some_and(|until| until > now)
    }

    /// Whether the newest code of confirmation is that of an invitation: both were noted at one
    /// moment.
    pub(crate) fn has_open_invitation(&self) -> bool {
        self.invited_at.is_some() && self.invited_at == self.confirmation_sent_at
    }
}

macro_rules! select_user {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            User,
            r#"select id, aud, role, email, email_confirmed_at as "email_confirmed_at!: MaybeAt",
                invited_at as "invited_at!: MaybeAt", confirmation_sent_at as "confirmation_sent_at!: MaybeAt",
                recovery_sent_at as "recovery_sent_at!: MaybeAt", email_change,
                email_change_sent_at as "email_change_sent_at!: MaybeAt", last_sign_in_at as "last_sign_in_at!: MaybeAt",
                raw_app_meta_data, raw_user_meta_data, created_at as "created_at!: MaybeAt",
                updated_at as "updated_at!: MaybeAt", phone, phone_confirmed_at as "phone_confirmed_at!: MaybeAt",
                phone_change, phone_change_sent_at as "phone_change_sent_at!: MaybeAt", confirmed_at as "confirmed_at!: MaybeAt",
                banned_until as "banned_until!: MaybeAt", reauthentication_sent_at as "reauthentication_sent_at!: MaybeAt",
                deleted_at as "deleted_at!: MaybeAt", is_anonymous, is_sso_user, email_change_confirm_status,
                coalesce(encrypted_password, '') <> '' as "has_password!",
                coalesce(
                    (select json_agg(f order by f.created_at, f.id)
                    from (
                        select id, friendly_name, factor_type, status, created_at, updated_at, phone, last_challenged_at,
                            web_authn_aaguid, last_webauthn_challenge_data
                        from auth.mfa_factors
                        where user_id = users.id
                    ) as f),
                    '[]') as "factors!: Json<Vec<OwnFactor>>"
            from auth.users "# + $tail
            $(, $argument)*
        )
    };
}
use select_user;

pub(crate) async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<User>, sqlx::Error> {
    select_user!("where id = $1", id).fetch_optional(executor).await
}

pub(crate) async fn by_id_for_update(db: &mut PgConnection, id: Uuid) -> Result<Option<User>, sqlx::Error> {
    select_user!("where id = $1 for update", id).fetch_optional(db).await
}

/// Locks an account without a look at it, nor a word to the triggers on it.
pub(crate) async fn lock(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("select from auth.users where id = $1 for update", id).execute(db).await.map(drop)
}

/// The account of an address in lower case; accounts of single sign-on have their own addresses.
pub(crate) async fn by_email_for_update(
    db: &mut PgConnection,
    email: &str,
) -> Result<Option<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and lower(email) = $1
            and aud = 'authenticated'
            and is_sso_user = false
        for update",
        email,
    )
    .fetch_optional(db)
    .await
}

/// The account of a number.
pub(crate) async fn by_phone_for_update(
    db: &mut PgConnection,
    phone: &str,
) -> Result<Option<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and phone = $1
            and aud = 'authenticated'
            and is_sso_user = false
        for update",
        phone,
    )
    .fetch_optional(db)
    .await
}

/// Whether an address belongs to another account than `id`.
pub(crate) async fn is_taken(
    executor: impl PgExecutor<'_>,
    email: &str,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
            select
            from auth.users
            where instance_id = '00000000-0000-0000-0000-000000000000'
                and lower(email) = $1
                and aud = 'authenticated'
                and is_sso_user = false
                and id <> $2
        ) as "taken!""#,
        email,
        id,
    )
    .fetch_one(executor)
    .await
}

/// Whether a number belongs to another account than `id`.
pub(crate) async fn is_phone_taken(
    executor: impl PgExecutor<'_>,
    phone: &str,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from auth.users where phone = $1 and id <> $2) as "taken!""#,
        phone,
        id,
    )
    .fetch_one(executor)
    .await
}
