//! The page that asks a person whether an identity is to be linked.

use axum::response::{Html, IntoResponse, Response};
use banyan_web::escape_html;
use time::OffsetDateTime;

use crate::{
    store::users::User,
    wire::page::{frame, guard},
};

/// Most characters of a name on the page. No address is longer.
const LONGEST_NAME: usize = 254;

/// What the page shows about a link.
pub(crate) struct LinkConfirmation<'a> {
    /// Such as `google`.
    pub(crate) provider: &'a str,
    /// The user's name there.
    pub(crate) identity: &'a str,
    /// The account that would be linked.
    pub(crate) account: &'a AccountSummary,
    pub(crate) state: &'a str,
    pub(crate) token: &'a str,
    /// The target of the redirect after the form, as a source of a content security policy.
    pub(crate) leads_to: &'a str,
}

/// What the page shows of the account, so that its owner recognises it. Only somebody who began the
/// link, or was sent by that person, sees it.
pub(crate) struct AccountSummary {
    address: String,
    /// The name in its metadata.
    name: String,
    made: String,
}

impl AccountSummary {
    pub(crate) fn of(user: &User, now: OffsetDateTime) -> Self {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let phone = given(&user.phone).map(|phone| format!("+{phone}"));
        let said = |key| user.raw_user_meta_data.as_ref().and_then(|data| data.get(key)?.as_str());
        Self {
            address: given(&user.email).or(phone).unwrap_or_else(|| "none".to_owned()),
            name: plain(said("full_name").or(said("name")).unwrap_or_default()),
            made: user.created_at.map_or_else(|| "long ago".to_owned(), |at| age(at, now)),
        }
    }
}

/// A day, and how long ago it was.
fn age(at: OffsetDateTime, now: OffsetDateTime) -> String {
    let ago = match (now.date() - at.to_offset(now.offset()).date()).whole_days() {
        ..=0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    format!("{ago}, {} {} {}", at.day(), at.month(), at.year())
}

/// The start of a text, without characters that change the direction of what follows.
fn plain(text: &str) -> String {
    let is_turning = |c| match c {
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        c => ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c),
    };
    text.chars().filter(|c| !c.is_control() && !is_turning(*c)).take(LONGEST_NAME).collect()
}

/// Asks whether an identity is to be linked; the form goes to the page's own address.
pub(crate) fn confirm_link(question: &LinkConfirmation<'_>) -> Response {
    let (first, rest) = question.provider.split_at(question.provider.len().min(1));
    let provider = escape_html(&format!("{}{rest}", first.to_ascii_uppercase()));
    let identity = escape_html(&plain(question.identity));
    let AccountSummary { address, name, made } = question.account;
    let body = format!(
        "<p>{provider} says that you are <strong>{identity}</strong>. Linked, that signs in to this account from now on:</p>\n\
         <dl>\n<dt>Address</dt><dd><strong>{}</strong></dd>\n<dt>Calls itself</dt><dd>{}</dd>\n\
         <dt>Made</dt><dd>{}</dd>\n</dl>\n\
         <p>Is this not your account, or did you not ask for this just now? Then do not link: whoever sent you here \
         would have what you do from then on.</p>\n\
         <form method=\"post\" action=\"callback\">\n\
         <p><label><input type=\"checkbox\" name=\"mine\" value=\"yes\" required> \
         This is my account, and I asked to link it just now.</label></p>\n\
         <input type=\"hidden\" name=\"state\" value=\"{}\">\n\
         <input type=\"hidden\" name=\"link_token\" value=\"{}\">\n\
         <button name=\"answer\" value=\"link\">Link</button>\n\
         <button name=\"answer\" value=\"no\" formnovalidate>Do not link</button>\n</form>",
        escape_html(address),
        escape_html(name),
        escape_html(made),
        escape_html(question.state),
        escape_html(question.token),
    );
    let mut response = Html(frame(&format!("Link {provider} to your account?"), &body)).into_response();
    guard(&mut response, &format!("; form-action 'self' {}", question.leads_to));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_shown_with_its_whole_address_name_and_age() {
        let made = OffsetDateTime::from_unix_timestamp(1_790_000_000).unwrap();
        let of = |email: &str, phone: &str, name: &str, days| {
            let user = User {
                email: Some(email.into()),
                phone: Some(phone.into()),
                raw_user_meta_data: Some(serde_json::json!({"full_name": name})),
                created_at: Some(made),
                ..User::default()
            };
            let AccountSummary { address, name, made } =
                AccountSummary::of(&user, made + time::Duration::days(days));
            (address, name, made)
        };
        let whole = ("ravi@example.com".into(), "Ravi".into(), "today, 21 September 2026".into());
        assert_eq!(of("ravi@example.com", "919800000123", "Ravi", 0), whole);
        let (address, name, made) = of("", "919800000123", "\u{202e}evil\u{7}", 40);
        assert_eq!((address.as_str(), name.as_str()), ("+919800000123", "evil"));
        assert_eq!(made, "40 days ago, 21 September 2026");
        assert_eq!(of("", "", "", 1).0, "none");
    }
}
