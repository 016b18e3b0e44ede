//! One-time codes: made, hashed, sent and compared (CONTRACT.md M1 to M6).

/// Sends codes by mail.
mod send;

use sha2::{Digest, Sha224};
use subtle::ConstantTimeEq;

pub(crate) use self::send::{change_address, change_address_again, mail, mail_to_confirmed};
use crate::{
    context::ServiceContext,
    domain::limits::otp_attempts,
    store::{
        code_clients::Guessed,
        one_time_tokens::{self, NewToken, Pending, TokenType},
        pipelines::AccountVersion,
        times,
        users::User,
    },
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// Prefix of a token whose request had a code challenge (CONTRACT.md M2).
const PKCE_PREFIX: &str = "pkce_";
/// Characters of a link token.
const LINK_LENGTH: usize = 56;

/// A code, and the token of a link that stands for it.
#[derive(Default)]
pub(crate) struct Code {
    pub(crate) digits: String,
    pub(crate) link: String,
}

/// Makes a code, and stores its hash and time. The caller sends it.
///
/// # Errors
/// What the project's SQL says.
pub(crate) async fn issue(
    tx: &mut Tx<'_>,
    user: &User,
    (token_type, address, pkce): (TokenType, &str, bool),
) -> Result<Code, AuthError> {
    let code = make(tx.service, address, pkce);
    let stored = stored_form(tx.service, &code.link);
    let id = tx.service.new_id();
    let token = NewToken { id, user: user.id, token_type, token_hash: &stored, sent_to: address };
    one_time_tokens::put(tx.db, &token, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))?;
    Ok(code)
}

fn make(service: &ServiceContext, address: &str, pkce: bool) -> Code {
    let digits = draw(service, service.settings.otp.length);
    let link = link_token(service, address, &digits, pkce);
    Code { digits, link }
}

/// Whether a code of a type, sent to `sent_to`, still counts. Codes to addresses and numbers have
/// their own lifetimes.
pub(crate) fn is_fresh(
    service: &ServiceContext,
    user: &User,
    token_type: TokenType,
    sent_to: &str,
    now: time::OffsetDateTime,
) -> bool {
    token_type
        .sent_at(user)
        .is_some_and(|sent_at| times::is_since(sent_at, fresh_since(service, sent_to, now)))
}

/// A code that was sent to `sent_to` before this time does not count.
pub(crate) fn fresh_since(
    service: &ServiceContext,
    sent_to: &str,
    now: time::OffsetDateTime,
) -> time::OffsetDateTime {
    let life =
        if sent_to.contains('@') { service.settings.otp.expiry } else { service.settings.sms.otp_expiry };
    now - life
}

/// What the code `digits`, sent to `address`, may be stored as.
///
/// A database that comes from the reference holds hashes of its form: these are known by their
/// length and still count (CONTRACT.md M3).
fn stored_forms_of_code(service: &ServiceContext, address: &str, digits: &str) -> Vec<String> {
    let reference = hex::encode(Sha224::digest(format!("{address}{digits}")));
    vec![
        stored_form(service, &link_token(service, address, digits, false)),
        stored_form(service, &link_token(service, address, digits, true)),
        format!("{PKCE_PREFIX}{reference}"),
        reference,
    ]
}

/// Counts a guess, and returns the code that `digits`, sent to `address`, name, with its account.
/// None if no guess is left. The code is compared once more here, in constant time, also if there
/// is none.
pub(crate) async fn guess(
    service: &ServiceContext,
    context: &RequestContext,
    (address, digits): (&str, &str),
    token_types: &[String],
) -> Result<Option<(Pending, AccountVersion)>, AuthError> {
    let forms = stored_forms_of_code(service, address, digits);
    let fresh_since = fresh_since(service, address, context.now);
    let guessed = Guessed { sent_to: address, hashes: &forms, token_types, fresh_since };
    let sent = otp_attempts::guess(service, context, &guessed).await?;
    let stored = sent.as_ref().map_or("", |(code, _)| code.token_hash.as_str());
    let equal = |form: &String| form.as_bytes().ct_eq(stored.as_bytes());
    let equal = forms.iter().fold(subtle::Choice::from(0), |found, form| found | equal(form));
    Ok(sent.filter(|_| equal.into()))
}

/// What a link token may be stored as.
pub(crate) fn stored_forms_of_link(service: &ServiceContext, link: &str) -> Vec<String> {
    let bare = link.strip_prefix(PKCE_PREFIX).unwrap_or(link);
    if bare.len() != LINK_LENGTH || !bare.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Vec::new();
    }
    // The reference stores the link token itself, in 56 characters; ours never has that length.
    vec![stored_form(service, link), link.to_owned()]
}

/// The flow of a link. Its id is derived from the token, so nothing else is stored.
pub(crate) fn flow_of(service: &ServiceContext, link: &str) -> uuid::Uuid {
    let hash = service.keyed_hash("auth flow of link", &[link.as_bytes()]);
    let bytes = hash[..16].try_into().expect("the hash has 32 bytes");
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Whether a stored hash belongs to a request with a code challenge.
pub(crate) fn is_pkce(token: &str) -> bool {
    token.starts_with(PKCE_PREFIX)
}

/// Decimal digits, each combination equally likely (CONTRACT.md M1).
pub(crate) fn draw(service: &ServiceContext, length: u8) -> String {
    let combinations = 10_u64.pow(u32::from(length));
    let end = u64::MAX - u64::MAX % combinations;
    loop {
        let number = u64::from_be_bytes(service.random());
        if number < end {
            return format!("{:0width$}", number % combinations, width = usize::from(length));
        }
    }
}

/// The token of a link: nobody without the server's key can make it from the address and the code.
pub(crate) fn link_token(service: &ServiceContext, address: &str, digits: &str, pkce: bool) -> String {
    let hash =
        hex::encode(service.keyed_hash("auth one-time link", &[address.as_bytes(), digits.as_bytes()]));
    format!("{}{}", if pkce { PKCE_PREFIX } else { "" }, &hash[..LINK_LENGTH])
}

/// The form in the table: 64 characters that are of no use to its reader.
pub(crate) fn stored_form(service: &ServiceContext, link: &str) -> String {
    let prefix = if is_pkce(link) { PKCE_PREFIX } else { "" };
    format!("{prefix}{}", hex::encode(service.keyed_hash("auth one-time stored", &[link.as_bytes()])))
}
