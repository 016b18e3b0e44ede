//! Where a browser may be sent (CONTRACT.md A1 to A6).

use banyan_config::Auth;
use url::{Host, Url};

use crate::wire::request::RequestContext;

/// Longest target considered.
const LONGEST: usize = 2048;

/// The target of a request: what it asks for if allowed, else its `Referer` if allowed, else the
/// site.
pub(crate) fn choose(settings: &Auth, context: &RequestContext) -> String {
    let asked = context.redirect_to.as_deref();
    if let Some(target) = asked {
        if is_allowed(settings, target) {
            return target.to_owned();
        }
        let told = &target[..target.floor_char_boundary(LONGEST)];
        tracing::warn!(redirect.to = told, "a redirect target is not in the allow-list; the site is used");
    }
    match context.referer.as_deref() {
        Some(referer) if asked.is_some() && is_allowed(settings, referer) => referer.to_owned(),
        _ => settings.site_url.clone(),
    }
}

/// Whether a browser may be sent to `target`.
pub(crate) fn is_allowed(settings: &Auth, target: &str) -> bool {
    if target.len() > LONGEST || target.chars().any(|c| c.is_control() || c == '\\') {
        return false;
    }
    let Ok(url) = Url::parse(target) else { return false };
    is_safe_host(&url, target)
        && names_its_host(&url, target)
        // A user name before the host makes an address look like another's.
        && (url.username().is_empty() && url.password().is_none() || !url.has_authority())
        && (is_site(settings, &url) || {
            let text = path_begun(target.split('#').next().unwrap_or_default());
            is_path_as_written(&text) && settings.redirect_urls.iter().any(|pattern| matches(pattern, &text))
        })
}

/// Whether the origin of a page is that of the site or of an address in the redirect list.
///
/// Pages run scripts, so patterns are stricter here than for redirects: a pattern must write out
/// its scheme and the last two labels of its host. A pattern for any host, such as `**` or
/// `https://*`, allows no page.
#[must_use]
pub fn is_page_of_project(settings: &Auth, origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    url.has_host()
        && (is_site(settings, &url) || settings.redirect_urls.iter().any(|pattern| is_page_of(pattern, &url)))
}

/// Whether a page has the host of a pattern. The path says nothing about an origin.
fn is_page_of(pattern: &str, page: &Url) -> bool {
    let Some((scheme, rest)) = pattern.split_once("://") else { return false };
    let authority = authority_of(rest).to_ascii_lowercase();
    if scheme != page.scheme() || authority.contains('@') {
        return false;
    }
    let same = |listed: Url| {
        listed.host() == page.host() && listed.port_or_known_default() == page.port_or_known_default()
    };
    if Url::parse(&format!("{scheme}://{authority}")).is_ok_and(same) {
        return true;
    }
    let host = page.host_str().unwrap_or_default();
    let port = page.port_or_known_default().map(|port| format!("{host}:{port}"));
    let is_default = page.port().is_none();
    names_its_domain(&authority)
        && (is_default && matches(&authority, host) || port.is_some_and(|named| matches(&authority, &named)))
}

/// Whether the last two labels of a host, and perhaps its port, stand there without a wildcard.
fn names_its_domain(authority: &str) -> bool {
    let is_written_out =
        |label: &str| !label.is_empty() && !label.contains(['*', '?', '[', ']', '{', '}', '\\', ',']);
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let mut labels = host.rsplit('.');
    labels.next().is_some_and(is_written_out) && labels.next().is_some_and(is_written_out)
}

/// Whether the text names the host as browsers read it, not in encoded characters.
fn names_its_host(url: &Url, target: &str) -> bool {
    let Some(host) = url.host_str() else { return true };
    let authority = target.split_once("://").map_or("", |(_, rest)| authority_of(rest)).to_ascii_lowercase();
    authority.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Whether browsers request the path as written. They resolve `.` and `..`, however encoded.
fn is_path_as_written(text: &str) -> bool {
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let path = path.replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    !path.split('/').any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
}

/// The part before path, query and fragment.
fn authority_of(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Adds the slash that browsers put between host and query. A star for a host must not reach into
/// the query.
fn path_begun(text: &str) -> std::borrow::Cow<'_, str> {
    match text.split_once("://") {
        Some((scheme, rest)) if rest[authority_of(rest).len()..].starts_with('?') => {
            let (authority, query) = rest.split_at(authority_of(rest).len());
            format!("{scheme}://{authority}/{query}").into()
        }
        _ => text.into(),
    }
}

/// The same scheme, host and port as the site; on localhost any port (CONTRACT.md A1).
fn is_site(settings: &Auth, url: &Url) -> bool {
    let Ok(site) = Url::parse(&settings.site_url) else { return false };
    let local = url.host_str() == Some("localhost");
    site.scheme() == url.scheme()
        && site.host() == url.host()
        && (local || site.port_or_known_default() == url.port_or_known_default())
}

/// Allows IP addresses of loopback only, and no host written as a number, which browsers read as an
/// address (CONTRACT.md A2).
fn is_safe_host(url: &Url, target: &str) -> bool {
    let loopback = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() && target.contains(&address.to_string()),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(domain)) => {
            !matches!(url.scheme(), "http" | "https")
                || domain.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        }
        None => !matches!(url.scheme(), "http" | "https" | "javascript" | "data" | "vbscript" | "file"),
    };
    loopback && !matches!(url.scheme(), "javascript" | "data" | "vbscript" | "file")
}

/// Matches a glob: `*` a run without `.` or `/`, `**` anything, `?` one character that is neither,
/// `[a-c]`, `[!a]`, `{a,b}` (CONTRACT.md A4).
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    glob(&pattern, &text, &mut 20_000)
}

fn is_separator(c: char) -> bool {
    c == '.' || c == '/'
}

/// `steps` bounds the work of a pattern with many stars.
fn glob(pattern: &[char], text: &[char], steps: &mut u32) -> bool {
    *steps = steps.saturating_sub(1);
    if *steps == 0 {
        return false;
    }
    match pattern {
        [] => text.is_empty(),
        ['*', '*', rest @ ..] => (0..=text.len()).any(|taken| glob(rest, &text[taken..], steps)),
        ['*', rest @ ..] => {
            let run = text.iter().take_while(|c| !is_separator(**c)).count();
            (0..=run).any(|taken| glob(rest, &text[taken..], steps))
        }
        ['?', rest @ ..] => text.first().is_some_and(|c| !is_separator(*c)) && glob(rest, &text[1..], steps),
        ['[', rest @ ..] => match rest.iter().position(|c| *c == ']') {
            Some(end) => {
                text.first().is_some_and(|c| in_class(&rest[..end], *c))
                    && glob(&rest[end + 1..], &text[1..], steps)
            }
            None => false,
        },
        ['{', rest @ ..] => match rest.iter().position(|c| *c == '}') {
            Some(end) => rest[..end].split(|c| *c == ',').any(|option| {
                text.starts_with(option) && glob(&rest[end + 1..], &text[option.len()..], steps)
            }),
            None => false,
        },
        ['\\', literal, rest @ ..] | [literal, rest @ ..] => {
            text.first() == Some(literal) && glob(rest, &text[1..], steps)
        }
    }
}

fn in_class(class: &[char], c: char) -> bool {
    let (negated, mut class) = match class {
        ['!' | '^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    while let [first, rest @ ..] = class {
        class = match rest {
            ['-', last, rest @ ..] => {
                found |= (*first..=*last).contains(&c);
                rest
            }
            rest => {
                found |= *first == c;
                rest
            }
        };
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: A4
    #[test]
    fn a_pattern_lets_pages_in_only_where_it_names_their_domain() {
        for (pattern, origin, fits) in [
            ("https://app.example/**", "https://app.example", true),
            ("https://app.example", "https://app.example", true),
            ("https://APP.example/*?x", "https://app.example", true),
            ("https://app.example:8443/**", "https://app.example:8443", true),
            ("https://app.example:8443/**", "https://app.example", false),
            ("https://app.example/**", "http://app.example", false),
            ("https://*.example.com/**", "https://a.example.com", true),
            ("https://*.example.com/**", "https://a.b.example.com", false),
            ("https://**.example.com/**", "https://a.b.example.com", true),
            ("https://*.example.com/**", "https://a.example.com.evil.org", false),
            ("https://*-me.host.app/", "https://pr-1-me.host.app", true),
            ("http://192.168.1.7:*/**", "http://192.168.1.7:5173", true),
            ("http://[fd00::1]:3000/**", "http://[fd00::1]:3000", true),
            ("**", "https://evil.org", false),
            ("https://**", "https://evil.org", false),
            ("https://*.*", "https://evil.org", false),
            ("https://*.com/**", "https://evil.com", false),
            ("https://{app.example,*}/**", "https://evil.org", false),
            ("*://app.example/**", "https://app.example", false),
            ("https://evil.org@app.example/", "https://app.example", false),
            ("https://**/app.example/x", "https://evil.org", false),
            ("env(APP)", "https://evil.org", false),
        ] {
            assert_eq!(is_page_of(pattern, &Url::parse(origin).unwrap()), fits, "{pattern} {origin}");
        }
    }

    // rows: A4
    #[test]
    fn globs_match_as_documented() {
        assert!(matches("https://*.example.com/**", "https://a.example.com/x/y?z"));
        assert!(!matches("https://*.example.com/**", "https://a.b.example.com/x"));
        assert!(!matches("https://*.example.com/", "https://evil.com/.example.com/"));
        assert!(matches("myapp://**", "myapp://callback?code=1"));
        assert!(matches("http://localhost:300?/{a,b}", "http://localhost:3001/b"));
        assert!(matches("https://[a-c]x.com/[!0-9]", "https://bx.com/z"));
        assert!(!matches("https://[a-c]x.com/[!0-9]", "https://bx.com/5"));
        assert!(!matches(&"**a".repeat(40), &"b".repeat(2000)), "a hard pattern ends");
    }
}
