//! One-time codes: made, hashed, sent and compared (auth.md section 9).

use sha2::{Digest, Sha224};
use sqlx::PgConnection;
use subtle::ConstantTimeEq;

use crate::{
    email,
    accounts,
    error::AuthError,
    hooks,
    mails::{self, Kind, Letter, News},
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
    PhoneChange,
    Reauthentication,
}

impl Slot {
    const ALL: [Self; 6] = [
        Self::Confirmation,
        Self::Recovery,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
        Self::PhoneChange,
        Self::Reauthentication,
    ];

    /// The name in the enum `auth.one_time_token_type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::EmailChangeCurrent => "email_change_token_current",
            Self::EmailChangeNew => "email_change_token_new",
            Self::PhoneChange => "phone_change_token",
            Self::Reauthentication => "reauthentication_token",
        }
    }

    /// The slot of a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.name() == name)
    }

    /// When a code was last put into the slot; expiry is measured from it (auth.md M4).
    pub(crate) fn sent_at(self, user: &User) -> Option<time::OffsetDateTime> {
        match self {
            Self::Confirmation => user.confirmation_sent_at,
            Self::Recovery => user.recovery_sent_at,
            Self::EmailChangeCurrent | Self::EmailChangeNew => user.email_change_sent_at,
            Self::PhoneChange => user.phone_change_sent_at,
            Self::Reauthentication => user.reauthentication_sent_at,
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

/// A code, and the token of a link that stands for it.
pub(crate) struct Code {
    pub(crate) digits: String,
    pub(crate) link: String,
}

/// Makes a code and stores its hash; whoever called has to tell it to its reader. Tries for the address begin anew;
/// `asker` is the client whose tries are its own.
pub(crate) async fn issue(
    inner: &Inner,
    db: &mut PgConnection,
    user: &User,
    (slot, address, pkce): (Slot, &str, bool),
    asker: Option<&Context>,
    now: time::OffsetDateTime,
) -> Result<Code, AuthError> {
    let digits = draw(inner, inner.settings.otp.length);
    let link = link_token(inner, address, &digits, pkce);
    let stored = stored_form(inner, &link);
    one_time_tokens::put(db, inner.new_id(), user.id, slot, &stored, address, now).await?;
    tries::begin(inner, db, address, asker, now).await?;
    Ok(Code { digits, link })
}

/// Makes a code, stores its hash, and queues its mail, all in the caller's transaction (auth.md M22).
pub(crate) async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    dispatch: &Dispatch<'_>,
) -> Result<(), AuthError> {
    email::check_domain(&inner.settings.refused_domains, dispatch.address)?;
    if inner.settings.confirm_email {
        inner.limits.take(Limit::Mail, "", context.now)?;
    }
    let place = (dispatch.slot, dispatch.address, dispatch.challenge.is_some());
    let code = issue(inner, db, user, place, Some(context), context.now).await?;
    begin_flow(inner, db, context, user, (dispatch.kind, &code.link), dispatch.challenge).await?;
    let letter = Letter {
        kind: dispatch.kind,
        user,
        to: dispatch.address,
        new_email: dispatch.new_email,
        digits: &code.digits,
        link_token: &code.link,
        redirect_to: &redirects::choose(&inner.settings, context),
        languages: context.languages.as_deref(),
        expires_at: Some(context.now + inner.settings.otp.expiry),
        news: News::default(),
    };
    mails::post(inner, db, &letter, context).await
}

/// Begins the flow of a link whose request had a challenge: each link has its own, so that a request of another browser
/// changes nothing for it (auth.md K7).
async fn begin_flow(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    (kind, link): (Kind, &str),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let Some(challenge) = challenge else { return Ok(()) };
    flow_states::forget(db, user.id, context.now - inner.settings.otp.expiry).await?;
    let ids = (flow_of(inner, link), inner.new_id());
    let challenge = (challenge.value.as_str(), challenge.method.name());
    flow_states::begin(db, ids, user.id, challenge, kind.authentication_method(), context.now).await?;
    Ok(())
}

/// Has the hook that sends mails tell both owners of an address change their codes, in one call (auth.md HK8). What the
/// hook calls `token_hash` belongs to the new address, and `token_hash_new` to the current one, as in the reference.
pub(crate) async fn send_change_by_hook(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    (current, new): (&str, &str),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if inner.settings.confirm_email {
        inner.limits.take(Limit::Mail, "", context.now)?;
    }
    let pkce = challenge.is_some();
    let place = (Slot::EmailChangeCurrent, current, pkce);
    let to_current = issue(inner, db, user, place, Some(context), context.now).await?;
    let place = (Slot::EmailChangeNew, new, pkce);
    let to_new = issue(inner, db, user, place, Some(context), context.now).await?;
    for link in [&to_current.link, &to_new.link] {
        begin_flow(inner, db, context, user, (Kind::EmailChange, link), challenge).await?;
    }
    let letter = Letter {
        kind: Kind::EmailChange,
        user,
        to: new,
        new_email: Some(new),
        digits: &to_current.digits,
        link_token: &to_new.link,
        redirect_to: &redirects::choose(&inner.settings, context),
        languages: None,
        expires_at: None,
        news: News::default(),
    };
    let mut data = mails::email_data(&inner.settings, &letter);
    data["token_new"] = to_new.digits.as_str().into();
    data["token_hash_new"] = to_current.link.as_str().into();
    let user = serde_json::to_value(accounts::show(&mut *db, user.clone()).await?).unwrap_or_default();
    hooks::send_email(inner, db, context, &user, &data).await.map(drop)
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
        Slot::Reauthentication => users::reauthentication_sent(db, user.id, now).await,
        // A change notes the time together with the new address or number.
        Slot::EmailChangeCurrent | Slot::EmailChangeNew | Slot::PhoneChange => Ok(()),
    }
}

/// Whether the code of a slot still counts.
pub(crate) fn is_fresh(inner: &Inner, user: &User, slot: Slot, now: time::OffsetDateTime) -> bool {
    let life =
        if slot == Slot::PhoneChange { inner.settings.sms.otp_expiry } else { inner.settings.otp.expiry };
    slot.sent_at(user).is_some_and(|sent_at| now <= sent_at + life)
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

/// The flow of a link, made from its token: nothing has to be kept beside the two.
pub(crate) fn flow_of(inner: &Inner, link: &str) -> uuid::Uuid {
    let hash = inner.keyed_hash("auth flow of link", &[link.as_bytes()]);
    let bytes = hash[..16].try_into().expect("the hash has 32 bytes");
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Whether a stored hash belongs to a request with a code challenge.
pub(crate) fn is_pkce(token: &str) -> bool {
    token.starts_with(PKCE_PREFIX)
}

/// Decimal digits, each combination equally likely (auth.md M1).
pub(crate) fn draw(inner: &Inner, length: u8) -> String {
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
pub(crate) fn link_token(inner: &Inner, address: &str, digits: &str, pkce: bool) -> String {
    let hash = hex(&inner.keyed_hash("auth one-time link", &[address.as_bytes(), digits.as_bytes()]));
    format!("{}{}", if pkce { PKCE_PREFIX } else { "" }, &hash[..LINK_LENGTH])
}

/// What the table holds: 64 characters that are of no use to whoever reads them there.
pub(crate) fn stored_form(inner: &Inner, link: &str) -> String {
    let prefix = if is_pkce(link) { PKCE_PREFIX } else { "" };
    format!("{prefix}{}", hex(&inner.keyed_hash("auth one-time stored", &[link.as_bytes()])))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
