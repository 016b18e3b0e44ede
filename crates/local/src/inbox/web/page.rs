//! The page: a list of mails with their codes, and one mail. Plain HTML without a framework. The
//! only script reloads the list when a mail arrives.

use banyan_web::{escape_html, query_parameter};
use http::{HeaderValue, Method, StatusCode, header};

use super::{Answer, Call, respond, text, with_policy};
use crate::inbox::{
    mail::{self, Mail, Mailbox, Summary},
    search::Query,
    store::Store,
};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A mail's own HTML: nothing runs, nothing is fetched from elsewhere, links open outside.
const MAIL_POLICY: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; \
                           style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'";

pub(super) async fn answer(store: &Store, call: &Call<'_>) -> Answer {
    let segments: Vec<&str> = call.uri.path().trim_matches('/').split('/').collect();
    match (call.method, segments.as_slice()) {
        (&Method::GET, [""]) => list(store, &query_parameter(call.uri, "query").unwrap_or_default()),
        (&Method::GET, ["inbox.css"]) => respond(StatusCode::OK, "text/css", include_str!("inbox.css")),
        (&Method::GET, ["inbox.js"]) => respond(StatusCode::OK, "text/javascript", include_str!("inbox.js")),
        (&Method::GET, ["livez" | "readyz"]) => text(StatusCode::OK, "ok"),
        (&Method::GET, ["view", "latest"]) => latest(store).await,
        (&Method::GET, ["view", name]) => match name.strip_suffix(".html") {
            Some(id) => own_html(store, id).await,
            None => view(store, name.strip_suffix(".txt").unwrap_or(name)).await,
        },
        (&Method::POST, ["delete"]) => delete(store, call).await,
        _ => page(
            StatusCode::NOT_FOUND,
            "Not found",
            "<main><p class=empty>There is no such page. <a href=/>Inbox</a></p></main>",
        ),
    }
}

fn list(store: &Store, query: &str) -> Answer {
    let words = Query::parse(query);
    let mails = store.list(|mail| words.fits(mail));
    let (total, unread) = store.counts();
    let rows: String = mails.iter().map(row).collect();
    let body = if mails.is_empty() {
        let message =
            if total == 0 { "No mail yet. What the stack sends arrives here." } else { "No mail fits." };
        format!("<p class=empty>{message}</p>")
    } else {
        format!("<ul class=mails>{rows}</ul>")
    };
    let html = format!(
        "<header><h1>Inbox</h1><p>{unread} unread of {total}</p>\
         <form action=/ role=search><label class=hidden for=query>Search</label>\
         <input id=query name=query type=search placeholder='to:, from:, subject:' value=\"{}\"></form>\
         <form action=/delete method=post><button>Delete all</button></form></header>\
         <main id=list data-newest=\"{}\">{body}</main><script src=/inbox.js defer></script>",
        escape_html(query),
        store.list(|_| true).first().map(|mail| escape_html(&mail.id)).unwrap_or_default(),
    );
    page(StatusCode::OK, &format!("Inbox ({unread})"), &html)
}

fn row(mail: &Summary) -> String {
    let code = mail.code.as_deref().map(|code| format!("<strong class=code>{}</strong>", escape_html(code)));
    format!(
        "<li{}><a href=\"/view/{}\"><span class=subject>{}</span>{}<span class=who>to {}</span>\
         <span class=snippet>{}</span><time datetime=\"{}\">{}</time></a></li>",
        if mail.read { "" } else { " class=unread" },
        escape_html(&mail.id),
        escape_html(or(&mail.subject, "(no subject)")),
        code.unwrap_or_default(),
        people(&mail.to),
        escape_html(&mail.snippet),
        escape_html(&mail.created),
        escape_html(&minute(&mail.created)),
    )
}

async fn latest(store: &Store) -> Answer {
    let target = match store.get("latest").await {
        Some(whole) => format!("/view/{}", whole.summary.id),
        None => "/".to_owned(),
    };
    let mut response = text(StatusCode::TEMPORARY_REDIRECT, "");
    if let Ok(value) = HeaderValue::from_str(&target) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

async fn view(store: &Store, id: &str) -> Answer {
    let Some(whole) = store.get(id).await else {
        return page(
            StatusCode::NOT_FOUND,
            "Not found",
            "<main><p class=empty>This mail is gone. <a href=/>Inbox</a></p></main>",
        );
    };
    store.mark(true, |mail| mail.id == whole.summary.id).await;
    let mail = mail::read(&whole.summary, &whole.return_path, &whole.raw);
    let code = whole.summary.code.as_deref().map(|code| format!("<p class=code>{}</p>", escape_html(code)));
    let html = format!(
        "<header><a href=/>&larr; Inbox</a><h1>{}</h1></header><main>\
         <dl><dt>From</dt><dd>{}</dd><dt>To</dt><dd>{}</dd><dt>Arrived</dt><dd><time datetime=\"{}\">{}</time></dd></dl>{}{}{}\
         <p class=links><a href=\"/api/v1/message/{id}/raw\">Source</a> <a href=\"/api/v1/message/{id}/headers\">Headers</a></p></main>",
        escape_html(or(&mail.subject, "(no subject)")),
        people(std::slice::from_ref(&mail.from)),
        people(&mail.to),
        escape_html(&whole.summary.created),
        escape_html(&minute(&whole.summary.created)),
        code.unwrap_or_default(),
        content(&mail),
        attachments(&mail),
        id = escape_html(&mail.id),
    );
    page(StatusCode::OK, or(&mail.subject, "(no subject)"), &html)
}

fn content(mail: &Mail) -> String {
    let text = format!("<pre>{}</pre>", escape_html(&mail.text));
    if mail.html.is_empty() {
        return text;
    }
    format!(
        "<iframe title=\"The mail as HTML\" sandbox=\"allow-popups allow-popups-to-escape-sandbox\" \
         src=\"/view/{}.html\"></iframe><details><summary>Plain text</summary>{text}</details>",
        escape_html(&mail.id)
    )
}

fn attachments(mail: &Mail) -> String {
    if mail.attachments.is_empty() {
        return String::new();
    }
    let links: String = mail
        .attachments
        .iter()
        .map(|file| {
            format!(
                "<li><a href=\"/api/v1/message/{}/part/{}\" download>{}</a> {} bytes</li>",
                escape_html(&mail.id),
                escape_html(&file.part_id),
                escape_html(or(&file.file_name, "attachment")),
                file.size
            )
        })
        .collect();
    format!("<h2>Attachments</h2><ul>{links}</ul>")
}

async fn own_html(store: &Store, id: &str) -> Answer {
    let Some(whole) = store.get(id).await else { return text(StatusCode::NOT_FOUND, "This mail is gone.") };
    let mail = mail::read(&whole.summary, &whole.return_path, &whole.raw);
    let html =
        if mail.html.is_empty() { format!("<pre>{}</pre>", escape_html(&mail.text)) } else { mail.html };
    with_policy(respond(StatusCode::OK, "text/html; charset=utf-8", open_links_outside(&html)), MAIL_POLICY)
}

/// Puts `<base target=_blank>` into the head, or before all when there is none.
fn open_links_outside(html: &str) -> String {
    let head = html.to_ascii_lowercase().find("<head>").map_or(0, |place| place + "<head>".len());
    format!("{}<base target=_blank>{}", &html[..head], &html[head..])
}

async fn delete(store: &Store, call: &Call<'_>) -> Answer {
    if !call.body.is_empty() {
        return text(StatusCode::BAD_REQUEST, "Nothing is expected in the form.");
    }
    store.delete(|_| true).await;
    let mut response = text(StatusCode::SEE_OTHER, "");
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    response
}

fn page(status: StatusCode, title: &str, body: &str) -> Answer {
    let html = format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>\
         <meta name=color-scheme content='light dark'><title>{}</title><link rel=stylesheet href=/inbox.css></head>\
         <body>{body}</body></html>",
        escape_html(title)
    );
    with_policy(respond(status, "text/html; charset=utf-8", html), POLICY)
}

fn people(boxes: &[Mailbox]) -> String {
    let names: Vec<String> = boxes
        .iter()
        .map(|one| {
            if one.name.is_empty() {
                escape_html(&one.address)
            } else {
                format!("{} &lt;{}&gt;", escape_html(&one.name), escape_html(&one.address))
            }
        })
        .collect();
    names.join(", ")
}

/// `2026-11-21T10:00` of an RFC 3339 time, readable.
fn minute(time: &str) -> String {
    time.get(..16).map_or_else(String::new, |text| format!("{} UTC", text.replace('T', " ")))
}

fn or<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.trim().is_empty() { instead } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOC-INBOX-PAGE
    #[test]
    fn what_a_mail_says_cannot_become_markup() {
        let boxes = [Mailbox { name: "<b>".into(), address: "a\"@b".into() }];
        assert_eq!(people(&boxes), "&lt;b&gt; &lt;a&quot;@b&gt;");
    }

    #[test]
    fn links_of_a_mail_open_outside_of_its_frame() {
        assert_eq!(open_links_outside("<html><HEAD><title>"), "<html><HEAD><base target=_blank><title>");
        assert_eq!(open_links_outside("<p>"), "<base target=_blank><p>");
    }
}
