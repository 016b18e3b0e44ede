use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Json, MaybeAt, OwnFactor, User, select_user};

/// Which accounts an admin lists, and how.
pub(crate) struct Listing<'a> {
    /// A part of the address or the full name.
    pub(crate) filter: Option<&'a str>,
    /// Whether the oldest come first.
    pub(crate) ascending: bool,
    /// Most accounts of a page.
    pub(crate) limit: i64,
}

/// A page of accounts.
pub(crate) async fn page(
    executor: impl PgExecutor<'_>,
    listing: &Listing<'_>,
    offset: i64,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')
        order by
            case when $2 then created_at end,
            case when not $2 then created_at end desc,
            id
        limit $3
        offset $4",
        listing.filter,
        listing.ascending,
        listing.limit,
        offset,
    )
    .fetch_all(executor)
    .await
}

/// Accounts after one of them in the order of their making, without counting what comes before
/// (CONTRACT.md D3). The time is the one that was read, not the one that the table holds
/// ([`crate::store::times`]).
pub(crate) async fn page_after(
    executor: impl PgExecutor<'_>,
    listing: &Listing<'_>,
    after: Option<(OffsetDateTime, Uuid)>,
) -> Result<Vec<User>, sqlx::Error> {
    let (at, id) = after.unzip();
    select_user!(
        "cross join lateral (
            select least(greatest(created_at, '0001-01-01T00:00:00Z'), '9999-12-31T00:00:00Z')
        ) as made (at)
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')
            and ($3::timestamptz is null
                or ($2 and (made.at, id) > ($3, $4::uuid))
                or (not $2 and (made.at < $3 or (made.at = $3 and id > $4::uuid))))
        order by
            case when $2 then made.at end,
            case when not $2 then made.at end desc,
            id
        limit $5",
        listing.filter,
        listing.ascending,
        at,
        id,
        listing.limit,
    )
    .fetch_all(executor)
    .await
}

pub(crate) async fn count(executor: impl PgExecutor<'_>, filter: Option<&str>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
        from auth.users
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')"#,
        filter,
    )
    .fetch_one(executor)
    .await
}

/// The accounts of an address in lower case; more than one only with single sign-on. An index finds
/// them.
pub(crate) async fn by_exact_email(
    executor: impl PgExecutor<'_>,
    email: &str,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000' and lower(email) = $1 and aud = 'authenticated'
        order by created_at desc, id
        limit 100",
        email,
    )
    .fetch_all(executor)
    .await
}

/// The account of a number. An index finds it.
pub(crate) async fn by_exact_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!("where phone = $1 and aud = 'authenticated'", phone).fetch_all(executor).await
}
