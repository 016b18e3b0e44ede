use std::{os::unix::fs::PermissionsExt, sync::Arc};

use banyan_config::LocalSmtp;
use banyan_local::{Inbox, LocalError};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Attachment, MultiPart, header::ContentType},
};
use serde_json::Value;
use tempfile::TempDir;
use time::{OffsetDateTime, ext::NumericalDuration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

struct Running {
    inbox: Inbox,
    folder: TempDir,
    shutdown: CancellationToken,
}

fn settings() -> LocalSmtp {
    LocalSmtp {
        enabled: true,
        port: 0,
        smtp_port: None,
        admin_email: "admin@email.com".to_owned(),
        sender_name: "Admin".to_owned(),
    }
}

async fn start_in(folder: TempDir) -> Running {
    let shutdown = CancellationToken::new();
    let arrivals = Arc::new(std::sync::atomic::AtomicI64::new(0));
    let now = move || {
        let second = arrivals.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        OffsetDateTime::UNIX_EPOCH + 20_000.days() + second.seconds()
    };
    let inbox =
        Inbox::start(&settings(), folder.path(), Arc::new(now), shutdown.clone()).await.expect("an inbox");
    Running { inbox, folder, shutdown }
}

async fn start() -> Running {
    start_in(tempfile::tempdir().expect("a folder")).await
}

impl Running {
    async fn send(&self, to: &str, subject: &str, text: &str) {
        let mail = Message::builder()
            .from("Shikshak Saathi <noreply@example.in>".parse().expect("an address"))
            .to(to.parse().expect("an address"))
            .subject(subject)
            .multipart(
                MultiPart::mixed()
                    .multipart(MultiPart::alternative_plain_html(
                        text.to_owned(),
                        format!("<p>{text}</p><script>alert(1)</script>"),
                    ))
                    .singlepart(
                        Attachment::new("plan.rtf".to_owned())
                            .body("rtf".to_owned(), ContentType::parse("application/rtf").expect("a type")),
                    ),
            )
            .expect("a mail");
        AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("127.0.0.1")
            .port(self.inbox.smtp_addr().port())
            .build()
            .send(mail)
            .await
            .expect("sent");
    }

    /// Status line with headers, and body.
    async fn call(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.inbox.web_addr()).await.expect("connected");
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.inbox.web_addr())
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("read");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        (String::from_utf8_lossy(&answer[..end]).to_lowercase(), answer[end + 4..].to_vec())
    }

    async fn json(&self, path: &str) -> Value {
        let (head, body) = self.call("GET", path, "", "").await;
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        serde_json::from_slice(&body).expect("JSON")
    }

    async fn page(&self, path: &str) -> (String, String) {
        let (head, body) = self.call("GET", path, "", "").await;
        (head, String::from_utf8(body).expect("text"))
    }
}

// rows: auth/M23 LOC-INBOX-SEARCH LOC-INBOX-SUMMARY LOC-INBOX-MESSAGE
#[tokio::test]
async fn a_sent_mail_is_found_by_its_recipient_and_read() {
    let running = start().await;
    running.send("asha@school.in", "पाठ योजना", "Your code is 204816").await;
    running.send("ravi@school.in", "Second", "no code").await;

    let found = running.json("/api/v1/search?query=to:asha%40school.in&limit=1").await;
    assert_eq!((found["total"].clone(), found["messages_count"].clone()), (2.into(), 1.into()));
    let summary = &found["messages"][0];
    assert_eq!(summary["Subject"], "पाठ योजना");
    assert_eq!(summary["From"]["Name"], "Shikshak Saathi");
    assert_eq!((summary["Read"].clone(), summary["Attachments"].clone()), (false.into(), 1.into()));

    let mail = running.json(&format!("/api/v1/message/{}", summary["ID"].as_str().expect("an id"))).await;
    assert_eq!(mail["Text"].as_str().expect("text").trim(), "Your code is 204816");
    assert!(mail["HTML"].as_str().expect("html").contains("<p>Your code is 204816</p>"));
    assert_eq!(mail["To"][0]["Address"], "asha@school.in");
    assert_eq!(mail["ReturnPath"], "noreply@example.in");
    assert_eq!(running.json("/api/v1/search?query=is:unread").await["messages_count"], 1);
    assert_eq!(running.json("/api/v1/message/latest").await["Subject"], "Second");

    let part = mail["Attachments"][0]["PartID"].as_str().expect("a part");
    let id = mail["ID"].as_str().expect("an id");
    let (head, body) = running.call("GET", &format!("/api/v1/message/{id}/part/{part}"), "", "").await;
    assert!(head.contains("content-type: application/rtf") && head.contains("sandbox"), "{head}");
    assert_eq!(body, b"rtf");
    let headers = running.json(&format!("/api/v1/message/{id}/headers")).await;
    assert_eq!(headers["To"][0], "asha@school.in");
    assert!(running.page(&format!("/api/v1/message/{id}/raw")).await.1.contains("Subject: "));
}

// rows: LOC-INBOX-SEARCH LOC-INBOX-DELETE
#[tokio::test]
async fn lists_page_and_deletes_pick() {
    let running = start().await;
    for number in 1..=3 {
        running.send("asha@school.in", &format!("Mail {number}"), "text").await;
    }
    let page = running.json("/api/v1/messages?start=1&limit=1").await;
    assert_eq!(
        (page["total"].clone(), page["count"].clone(), page["start"].clone()),
        (3.into(), 1.into(), 1.into())
    );
    assert_eq!(page["messages"][0]["Subject"], "Mail 2");
    let id = page["messages"][0]["ID"].as_str().expect("an id").to_owned();

    let (head, body) =
        running.call("PUT", "/api/v1/messages", "", &format!("{{\"IDs\":[\"{id}\"],\"Read\":true}}")).await;
    assert!(head.starts_with("http/1.1 200"));
    assert_eq!(body, b"ok");
    assert_eq!(running.json("/api/v1/info").await["Unread"], 2);

    running.call("DELETE", "/api/v1/messages", "", &format!("{{\"IDs\":[\"{id}\"]}}")).await;
    assert_eq!(running.json("/api/v1/info").await["Messages"], 2);
    let (head, _) = running.call("DELETE", "/api/v1/search?query=", "", "").await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    running.call("DELETE", "/api/v1/search?query=subject:%22mail%201%22", "", "").await;
    assert_eq!(running.json("/api/v1/messages").await["total"], 1);
    let (_, body) = running.call("DELETE", "/api/v1/messages", "", "").await;
    assert_eq!(body, b"ok");
    assert_eq!(running.json("/api/v1/messages").await["total"], 0);
    let (head, _) = running.call("GET", "/api/v1/message/latest", "", "").await;
    assert!(head.starts_with("http/1.1 404"), "{head}");
}

// rows: LOC-INBOX-PAGE
#[tokio::test]
async fn the_page_shows_the_code_and_keeps_a_mails_html_in_a_sandbox() {
    let running = start().await;
    assert!(running.page("/").await.1.contains("No mail yet"));
    running.send("asha@school.in", "<b>Code</b>", "Your code is 204816").await;
    let (head, list) = running.page("/").await;
    assert!(head.contains("default-src 'none'") && !head.contains("unsafe-inline"), "{head}");
    assert!(list.contains("<strong class=code>204816</strong>"));
    assert!(list.contains("&lt;b&gt;Code&lt;/b&gt;") && !list.contains("<b>Code</b>"));

    let id = running.json("/api/v1/messages").await["messages"][0]["ID"].as_str().expect("an id").to_owned();
    let (_, view) = running.page(&format!("/view/{id}")).await;
    assert!(view.contains("<iframe") && view.contains("sandbox=\"allow-popups"));
    assert!(view.contains(">2024-10-04 00:00 UTC</time>"), "{view}");
    assert!(!view.contains("<script>alert"));
    let (head, html) = running.page(&format!("/view/{id}.html")).await;
    assert!(html.contains("<script>alert(1)"), "the mail is shown as it is");
    assert!(
        head.contains("content-security-policy: sandbox allow-popups") && !head.contains("allow-scripts"),
        "{head}"
    );
    let (head, _) = running.page("/view/latest").await;
    assert!(head.contains(&format!("location: /view/{id}")), "{head}");
    for path in ["/inbox.css", "/inbox.js", "/livez", "/readyz"] {
        assert!(running.page(path).await.0.starts_with("http/1.1 200"), "{path}");
    }
}

// rows: LOC-INBOX-DOORS
#[tokio::test]
async fn other_sites_can_neither_read_nor_empty_the_inbox() {
    let running = start().await;
    running.send("asha@school.in", "Code", "123456").await;
    let (head, _) = running.call("GET", "/api/v1/messages", "Host: evil.example\r\n", "").await;
    assert!(head.starts_with("http/1.1 421"), "{head}");
    let twice = "Host: localhost\r\nHost: localhost\r\n";
    for headers in [twice, "X-Forwarded-Host: localhost\r\n"] {
        let (head, _) = running.call("GET", "/api/v1/messages", headers, "").await;
        assert!(head.starts_with("http/1.1 400"), "{head}");
    }
    for header in ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
        let (head, _) = running.call("POST", "/delete", header, "").await;
        assert!(head.starts_with("http/1.1 403"), "{head}");
    }
    assert_eq!(running.json("/api/v1/info").await["Messages"], 1);
    let (head, _) = running.call("POST", "/delete", "Sec-Fetch-Site: same-origin\r\n", "").await;
    assert!(head.starts_with("http/1.1 303"), "{head}");
    assert_eq!(running.json("/api/v1/info").await["Messages"], 0);
}

// rows: LOC-INBOX
#[tokio::test]
async fn mails_outlive_a_restart_and_the_stop_is_orderly() {
    let running = start().await;
    running.send("asha@school.in", "Kept", "text").await;
    let Running { inbox, folder, shutdown } = running;
    let mode = std::fs::metadata(folder.path().join("inbox")).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o077, 0, "other users see no mail");
    let address = inbox.web_addr();
    shutdown.cancel();
    tokio::time::timeout(std::time::Duration::from_secs(5), inbox.closed()).await.expect("closed in time");
    assert!(TcpStream::connect(address).await.is_err());
    let again = start_in(folder).await;
    assert_eq!(again.json("/api/v1/messages").await["messages"][0]["Subject"], "Kept");
}

// rows: LOC-PORTS
#[tokio::test]
async fn the_holder_of_the_inbox_port_is_named() {
    let running = start().await;
    let taken = LocalSmtp { port: running.inbox.web_addr().port(), ..settings() };
    let folder = tempfile::tempdir().expect("a folder");
    let error = Inbox::start(
        &taken,
        folder.path(),
        Arc::new(|| OffsetDateTime::UNIX_EPOCH),
        CancellationToken::new(),
    )
    .await
    .expect_err("refused");
    assert!(matches!(error, LocalError::PortTaken { what: "local_smtp.port", .. }), "{error}");
}

#[tokio::test]
async fn smtp_is_spoken_by_hand_with_pipelining() {
    let running = start().await;
    let mut stream = TcpStream::connect(running.inbox.smtp_addr()).await.expect("connected");
    stream
        .write_all(
            "EHLO me\r\nMAIL FROM:<a@b.c> SMTPUTF8\r\nRCPT TO:<आशा@school.in>\r\nDATA\r\nSubject: By hand\r\n\r\n..dot\r\n.\r\nQUIT\r\n"
                .as_bytes(),
        )
        .await
        .expect("written");
    let mut talk = String::new();
    stream.read_to_string(&mut talk).await.expect("read");
    assert!(talk.starts_with("220 ") && talk.contains("250-SMTPUTF8") && talk.contains("354 "), "{talk}");
    assert!(talk.ends_with("221 2.0.0 Bye\r\n"), "{talk}");
    let mail = running.json("/api/v1/message/latest").await;
    assert_eq!(mail["Text"], ".dot\n");
    assert_eq!(mail["Bcc"][0]["Address"], "आशा@school.in");
}

// rows: LOC-INBOX-INFO
#[tokio::test]
async fn the_inbox_says_how_many_mails_it_has_and_that_it_lives() {
    let running = start().await;
    running.send("asha@school.in", "One", "first").await;
    running.send("asha@school.in", "Two", "second").await;
    running.call("PUT", "/api/v1/messages", "", r#"{"Read": true, "IDs": []}"#).await;
    running.send("asha@school.in", "Three", "third").await;
    let info = running.json("/api/v1/info").await;
    assert_eq!((&info["Messages"], &info["Unread"]), (&3.into(), &1.into()), "{info}");
    assert!(info["Version"].as_str().is_some_and(|version| !version.is_empty()), "{info}");
    for path in ["/livez", "/readyz"] {
        let (head, body) = running.page(path).await;
        assert!(head.starts_with("http/1.1 200") && body == "ok", "{path}: {head} {body}");
    }
}
