//! One-time codes: made, hashed, sent and compared (auth.md section 9).

use sha2::{Digest, Sha224};
use sqlx::PgConnection;
use subtle::ConstantTimeEq;

use crate::{
    error::AuthError,
    mails::{Kind, Letter},
    pkce::Challenge,
    rate_limit::Limit,
    redirects,
    request::Context,
    state::Inner,
    store::{
        flow_states, one_time_tokens,
        users::{self, User},
    },
    tries,
};

/// Mark of a token whose request had a code challenge (auth.md M2).
const PKCE_PREFIX: &str = "pkce_";
/// Characters of a link token.
const LINK_LENGTH: usize = 56;

/// Where a pending code is kept; a user has one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Confirmation,
    Recovery,
    EmailChangeCurrent,
    EmailChangeNew,
}

impl Slot {
    /// The name in the enum `auth.one_time_token_type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::EmailChangeCurrent => "email_change_token_current",
            Self::EmailChangeNew => "email_change_token_new",
        }
    }

    /// The slot of a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Confirmation, Self::Recovery, Self::EmailChangeCurrent, Self::EmailChangeNew]
            .into_iter()
            .find(|slot| slot.name() == name)
    }

    /// When a code was last put into the slot; expiry is measured from it (auth.md M4).
    pub(crate) fn sent_at(self, user: &User) -> Option<time::OffsetDateTime> {
        match self {
            Self::Confirmation => user.confirmation_sent_at,
            Self::Recovery => user.recovery_sent_at,
            Self::EmailChangeCurrent | Self::EmailChangeNew => user.email_change_sent_at,
        }
    }
}

/// A code on its way to an address.
pub(crate) struct Dispatch<'a> {
    pub(crate) kind: Kind,
    pub(crate) slot: Slot,
    /// Where the mail goes.
    pub(crate) address: &'a str,
    /// The address that the account shall have, where it changes.
    pub(crate) new_email: Option<&'a str>,
    pub(crate) challenge: Option<&'a Challenge>,
}

/// Makes a code, stores its hash, and queues its mail, all in the caller's transaction (auth.md M22).
pub(crate) async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    dispatch: &Dispatch<'_>,
) -> Result<(), AuthError> {
    if inner.settings.confirm_email {
        inner.limits.take(Limit::Mail, "", context.now)?;
    }
    let digits = draw(inner, inner.settings.otp.length);
    let link = link_token(inner, dispatch.address, &digits, dispatch.challenge.is_some());
    let stored = stored_form(inner, &link);
    one_time_tokens::put(db, inner.new_id(), user.id, dispatch.slot, &stored, dispatch.address, context.now)
        .await?;
    tries::begin(inner, db, dispatch.address, Some(context), context.now).await?;
    if let Some(challenge) = dispatch.challenge {
        let ids = (inner.new_id(), inner.new_id());
        let method = dispatch.kind.authentication_method();
        let challenge = (challenge.value.as_str(), challenge.method.name());
        flow_states::begin(db, ids, user.id, challenge, method, context.now).await?;
    }
    let letter = Letter {
        kind: dispatch.kind,
        user,
        to: dispatch.address,
        new_email: dispatch.new_email,
        digits: &digits,
        link_token: &link,
        redirect_to: &redirects::choose(&inner.settings, context),
        expires_at: context.now + inner.settings.otp.expiry,
    };
    let message = inner.mails.write(&inner.settings, &letter)?;
    inner.mail.enqueue(&mut *db, &message, context.now).await?;
    Ok(())
}

/// Refuses a second mail to a slot within the shortest time between two (auth.md M7).
///
/// # Errors
/// 429 `over_email_send_rate_limit` with the seconds to wait.
pub(crate) fn check_frequency(
    inner: &Inner,
    user: &User,
    slot: Slot,
    now: time::OffsetDateTime,
) -> Result<(), AuthError> {
    let Some(sent_at) = slot.sent_at(user) else { return Ok(()) };
    let left = sent_at + inner.settings.otp.max_frequency - now;
    if left.is_positive() {
        let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
        return Err(AuthError::TooSoon(seconds));
    }
    Ok(())
}

/// Notes when a code was sent.
pub(crate) async fn note_sent(
    db: &mut PgConnection,
    user: &User,
    slot: Slot,
    now: time::OffsetDateTime,
) -> Result<(), sqlx::Error> {
    match slot {
        Slot::Confirmation => users::confirmation_sent(db, user.id, now).await,
        Slot::Recovery => users::recovery_sent(db, user.id, now).await,
        // The address change notes the time together with the new address.
        Slot::EmailChangeCurrent | Slot::EmailChangeNew => Ok(()),
    }
}

/// Whether the code of a slot still counts.
pub(crate) fn is_fresh(inner: &Inner, user: &User, slot: Slot, now: time::OffsetDateTime) -> bool {
    slot.sent_at(user).is_some_and(|sent_at| now <= sent_at + inner.settings.otp.expiry)
}

/// Whether `digits`, sent to `address`, is the code stored as `token_hash`. Takes the same time for every wrong code.
///
/// A database that comes from the reference holds hashes of its form: these are known by their length and still count
/// (auth.md M3).
pub(crate) fn is_code(inner: &Inner, address: &str, digits: &str, token_hash: &str) -> bool {
    let reference = hex(&Sha224::digest(format!("{address}{digits}")));
    let accepted = [
        stored_form(inner, &link_token(inner, address, digits, false)),
        stored_form(inner, &link_token(inner, address, digits, true)),
        format!("{PKCE_PREFIX}{reference}"),
        reference,
    ];
    let equal = |form: &String| form.as_bytes().ct_eq(token_hash.as_bytes());
    accepted.iter().fold(subtle::Choice::from(0), |found, form| found | equal(form)).into()
}

/// What a link token may be stored as.
pub(crate) fn stored_forms_of_link(inner: &Inner, link: &str) -> Vec<String> {
    let bare = link.strip_prefix(PKCE_PREFIX).unwrap_or(link);
    if bare.len() != LINK_LENGTH || !bare.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Vec::new();
    }
    // The reference stores the link token itself, in 56 characters; ours never has that length.
    vec![stored_form(inner, link), link.to_owned()]
}

/// Whether a stored hash belongs to a request with a code challenge.
pub(crate) fn is_pkce(token: &str) -> bool {
    token.starts_with(PKCE_PREFIX)
}

/// Decimal digits, each combination equally likely (auth.md M1).
fn draw(inner: &Inner, length: u8) -> String {
    let combinations = 10_u64.pow(u32::from(length));
    let end = u64::MAX - u64::MAX % combinations;
    loop {
        let number = u64::from_be_bytes(inner.random());
        if number < end {
            return format!("{:0width$}", number % combinations, width = usize::from(length));
        }
    }
}

/// The token of a link: nobody without the server's key can make it from the address and the code.
fn link_token(inner: &Inner, address: &str, digits: &str, pkce: bool) -> String {
    let hash = hex(&inner.keyed_hash("auth one-time link", &[address.as_bytes(), digits.as_bytes()]));
    format!("{}{}", if pkce { PKCE_PREFIX } else { "" }, &hash[..LINK_LENGTH])
}

/// What the table holds: 64 characters that are of no use to whoever reads them there.
fn stored_form(inner: &Inner, link: &str) -> String {
    let prefix = if is_pkce(link) { PKCE_PREFIX } else { "" };
    format!("{prefix}{}", hex(&inner.keyed_hash("auth one-time stored", &[link.as_bytes()])))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
