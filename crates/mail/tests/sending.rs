use std::{collections::HashSet, time::Duration};

use banyan_config::SmtpTls;
use banyan_mail::{Attachment, MailError, SmtpSettings};
use banyan_testkit::CapturedLog;
use mail_parser::{MessageParser, MimeHeaders};

use crate::{
    fake_server::{FakeServer, Mood, Tls},
    support::{Stage, message},
};

#[tokio::test]
async fn a_queued_message_is_sent_and_forgotten() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain(&server);
    let id = stage
        .enqueue(&message(|draft| {
            draft.subject = "नमस्ते 123456".into();
            draft.attachments = vec![Attachment {
                filename: "पाठ.rtf".into(),
                content_type: "application/rtf".into(),
                content: b"{\\rtf1}".to_vec(),
            }];
        }))
        .await;
    let fate = stage.reaches(id, "sent").await;
    drain.stop().await;
    assert!(!fate.has_content, "the code is gone from the table");
    let taken = server.taken();
    let mail = MessageParser::default().parse(taken[0].as_bytes()).unwrap();
    assert_eq!(mail.subject(), Some("नमस्ते 123456"));
    assert_eq!(mail.body_text(0).unwrap().trim(), "Your code is 123456");
    assert_eq!(mail.body_html(0).unwrap().trim(), "<p>Your code is <b>123456</b></p>");
    assert_eq!(mail.message_id(), Some(format!("{id}@example.com").as_str()));
    let file = mail.attachment(0).unwrap();
    assert_eq!((file.attachment_name(), file.contents()), (Some("पाठ.rtf"), &b"{\\rtf1}"[..]));
}

#[tokio::test]
async fn a_message_goes_out_as_soon_as_its_author_rings() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain(&server);
    // The drain's first look is over, and its next one is seconds away.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let id = stage.enqueue(&message(|_| {})).await;
    let sent = tokio::time::timeout(Duration::from_secs(3), stage.reaches(id, "sent")).await;
    assert!(sent.is_ok(), "nobody was woken");
    drain.stop().await;
}

// rows: auth/M40
#[tokio::test]
async fn headers_of_the_author_go_along() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain(&server);
    let id =
        stage.enqueue(&message(|draft| draft.headers = vec![("X-Kind".into(), "magic_link".into())])).await;
    stage.reaches(id, "sent").await;
    drain.stop().await;
    let taken = server.taken();
    assert!(taken[0].contains("X-Kind: magic_link\r\n"), "{}", taken[0]);
}

#[tokio::test]
async fn a_message_of_a_transaction_that_failed_does_not_exist() {
    let stage = Stage::new().await;
    let mut transaction = stage.pool.begin().await.unwrap();
    stage.queue.enqueue(&mut *transaction, &message(|_| {}), stage.clock.now()).await.unwrap();
    transaction.rollback().await.unwrap();
    let count: i64 =
        sqlx::query_scalar("select count(*) from mail.messages").fetch_one(&stage.pool).await.unwrap();
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_a_pause_that_grows() {
    let moods = [Mood::BusyAtRecipient, Mood::BusyAfterContent];
    let (stage, server) = (Stage::new().await, FakeServer::start(&moods).await);
    let drain = stage.drain(&server);
    let id = stage.enqueue(&message(|_| {})).await;
    stage.waits_after(id, 1).await;
    stage.advance(2);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(server.asked(), 1, "not asked again before the pause is over");
    stage.advance(5);
    stage.waits_after(id, 2).await;
    stage.advance(13);
    let fate = stage.reaches(id, "sent").await;
    assert_eq!(fate.tries, 3);
    assert_eq!(server.taken().len(), 1);
    drain.stop().await;
}

#[tokio::test]
async fn a_message_fails_with_the_reason_after_the_last_try() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::BusyAtRecipient; 20]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    for tries in 1..10 {
        stage.waits_after(id, tries).await;
        stage.advance(5400);
    }
    let fate = stage.reaches(id, "failed").await;
    assert_eq!(fate.tries, 10);
    assert!(fate.reason.as_deref().unwrap().contains("450"), "{fate:?}");
    assert!(!fate.has_content);
    drain.stop().await;
}

#[tokio::test]
async fn a_refused_recipient_fails_at_once_and_the_next_message_goes_out() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::NoSuchRecipient]).await);
    let refused = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    let fate = stage.reaches(refused, "failed").await;
    assert!(fate.reason.as_deref().unwrap().contains("550"), "{fate:?}");
    let next = stage.enqueue(&message(|_| {})).await;
    stage.reaches(next, "sent").await;
    drain.stop().await;
}

/// A server on this machine, without a user.
fn encrypted(server: &FakeServer, tls: SmtpTls) -> SmtpSettings {
    named("127.0.0.1", server, tls)
}

/// As [`encrypted`], by an address that is not known as this machine's: what is spoken to like a
/// server elsewhere.
fn elsewhere(server: &FakeServer, tls: SmtpTls) -> SmtpSettings {
    named("0.0.0.0", server, tls)
}

fn named(host: &str, server: &FakeServer, tls: SmtpTls) -> SmtpSettings {
    SmtpSettings::server(&banyan_config::Smtp {
        host: host.into(),
        port: server.address.port(),
        tls,
        user: String::new(),
        pass: String::new().into(),
        admin_email: "post@example.com".into(),
        sender_name: "Post".into(),
    })
    .unwrap()
}

#[tokio::test]
async fn a_server_on_this_machine_that_demands_starttls_gets_it() {
    let (stage, server) = (Stage::new().await, FakeServer::start_with(Tls::Demanded).await);
    let drain = stage.drain_by(encrypted(&server, SmtpTls::Opportunistic));
    let id = stage.enqueue(&message(|_| {})).await;
    stage.reaches(id, "sent").await;
    drain.stop().await;
}

#[tokio::test]
async fn a_server_that_speaks_tls_from_the_first_byte_is_met_so_when_told() {
    let (stage, server) = (Stage::new().await, FakeServer::start_with(Tls::AtOnce).await);
    let drain = stage.drain_by(encrypted(&server, SmtpTls::Implicit));
    let id = stage.enqueue(&message(|_| {})).await;
    stage.reaches(id, "sent").await;
    drain.stop().await;
}

#[tokio::test]
async fn a_server_that_must_encrypt_and_cannot_gets_no_mail() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain_by(encrypted(&server, SmtpTls::StartTls));
    let id = stage.enqueue(&message(|_| {})).await;
    stage.waits_after(id, 1).await;
    assert_eq!(stage.fate(id).await.reason.as_deref(), Some("the server offers no STARTTLS"));
    assert_eq!(server.asked(), 0);
    drain.stop().await;
}

#[tokio::test]
async fn a_server_elsewhere_that_cannot_encrypt_gets_no_mail() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain_by(elsewhere(&server, SmtpTls::Opportunistic));
    let id = stage.enqueue(&message(|_| {})).await;
    stage.waits_after(id, 1).await;
    assert_eq!(stage.fate(id).await.reason.as_deref(), Some("the server offers no STARTTLS"));
    assert_eq!(server.asked(), 0);
    drain.stop().await;
}

#[tokio::test]
async fn a_server_elsewhere_whose_certificate_nobody_vouches_for_gets_no_mail() {
    for (tls, served) in [(SmtpTls::Implicit, Tls::AtOnce), (SmtpTls::StartTls, Tls::Demanded)] {
        let (stage, server) = (Stage::new().await, FakeServer::start_with(served).await);
        let drain = stage.drain_by(elsewhere(&server, tls));
        let id = stage.enqueue(&message(|_| {})).await;
        stage.waits_after(id, 1).await;
        let reason = stage.fate(id).await.reason.unwrap();
        assert!(reason.contains("certificate"), "{served:?}: {reason}");
        assert_eq!(server.asked(), 0, "{served:?}");
        drain.stop().await;
    }
}

#[test]
fn a_server_elsewhere_that_the_machines_own_authorities_vouch_for_gets_its_mail() {
    let folder = tempfile::tempdir().unwrap();
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    alone.env("SSL_CERT_FILE", folder.path().join("roots.pem"));
    let output = alone.args(["--ignored", "--exact", "sending::vouched_for_alone"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "trusts whom its environment names, so it runs alone, started by the test before"]
#[expect(
    clippy::disallowed_methods,
    reason = "where the trust store lies is told to its libraries in this way alone"
)]
async fn vouched_for_alone() {
    let roots = std::env::var("SSL_CERT_FILE").expect("named by who starts it");
    std::fs::write(roots, crate::fake_server::certificate()).unwrap();
    let (stage, server) = (Stage::new().await, FakeServer::start_with(Tls::Demanded).await);
    let drain = stage.drain_by(elsewhere(&server, SmtpTls::StartTls));
    let id = stage.enqueue(&message(|_| {})).await;
    stage.reaches(id, "sent").await;
    drain.stop().await;
}

#[tokio::test]
async fn a_server_that_waits_for_tls_is_told_of_within_seconds() {
    let (stage, server) = (Stage::new().await, FakeServer::start_with(Tls::AtOnce).await);
    let drain = stage.drain_by(encrypted(&server, SmtpTls::Opportunistic));
    let id = stage.enqueue(&message(|_| {})).await;
    let told = tokio::time::timeout(Duration::from_secs(15), stage.waits_after(id, 1)).await;
    assert!(told.is_ok(), "no word yet");
    let reason = stage.fate(id).await.reason.unwrap();
    assert!(reason.contains("tls = \"implicit\""), "{reason}");
    drain.stop().await;
}

#[tokio::test]
async fn a_server_that_says_nothing_does_not_hold_up_the_stop() {
    let (stage, server) = (Stage::new().await, FakeServer::start_with(Tls::AtOnce).await);
    let drain = stage.drain_by(encrypted(&server, SmtpTls::Opportunistic));
    let id = stage.enqueue(&message(|_| {})).await;
    server.is_met().await;
    let started = std::time::Instant::now();
    drain.stop().await;
    assert!(started.elapsed() < Duration::from_millis(4000), "{:?}", started.elapsed());
    assert_eq!(stage.fate(id).await.state, "queued");
}

#[tokio::test]
async fn a_silent_server_holds_up_neither_the_stop_nor_the_mail() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::SilentAtRecipient]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    // A stop is no failure, not even of the last try.
    sqlx::query("update mail.messages set tries = 9").execute(&stage.pool).await.unwrap();
    let drain = stage.drain(&server);
    wait(|| server.asked() == 1).await;
    let stopped = tokio::time::timeout(Duration::from_secs(15), drain.stop()).await;
    assert!(stopped.is_ok(), "the goodbye is waited for without end");
    assert_eq!(stage.fate(id).await.state, "queued");
}

/// A server with a user and a password.
fn with_password(port: u16) -> SmtpSettings {
    SmtpSettings::server(&banyan_config::Smtp {
        host: "127.0.0.1".into(),
        port,
        tls: SmtpTls::Opportunistic,
        user: "mailer".into(),
        pass: "hunter2".to_owned().into(),
        admin_email: "post@example.com".into(),
        sender_name: "Post".into(),
    })
    .unwrap()
}

#[tokio::test]
async fn the_log_says_where_and_why_a_mail_could_not_be_sent_and_nothing_of_the_mail() {
    let (written, _listening) = CapturedLog::listen();
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::NoSuchRecipient]).await);
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();

    let id = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain_by(with_password(gone.port()));
    stage.waits_after(id, 1).await;
    drain.stop().await;
    stage.advance(3600);
    let drain = stage.drain_by(with_password(server.address.port()));
    stage.waits_after(id, 2).await;
    drain.stop().await;
    stage.advance(3600);
    let drain = stage.drain(&server);
    stage.reaches(id, "failed").await;
    drain.stop().await;

    let said =
        written.lines("mail is tried again later").into_iter().chain(written.lines("mail failed for good"));
    let said: Vec<String> = said.collect();
    for (line, address, reason) in [
        (&said[0], gone, "Connection refused"),
        (&said[1], server.address, "the user with its password was answered with 535"),
        (&said[2], server.address, "a recipient was answered with 550"),
    ] {
        assert!(line.contains(&format!("server=\"{address}\"")) && line.contains(reason), "{line}");
        for secret in ["hunter2", "mailer", "asha", "123456"] {
            assert!(!line.contains(secret), "{line}");
        }
    }
}

#[tokio::test]
async fn nothing_in_a_mail_ends_it_early_and_begins_another() {
    let smuggled = "\n.\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<all@example.com>\r\nDATA\r\nx\r\n.\r\n";
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let drain = stage.drain(&server);
    let mail = message(|draft| {
        draft.text = Some(format!("a\r.\r\nb{smuggled}"));
        draft.html = Some(format!("c\r.\r\nd{smuggled}"));
        draft.attachments = vec![banyan_mail::Attachment {
            filename: "lesson.rtf".into(),
            content_type: "application/rtf".into(),
            content: smuggled.as_bytes().to_vec(),
        }];
    });
    let id = stage.enqueue(&mail).await;
    stage.reaches(id, "sent").await;
    drain.stop().await;
    let sent = &server.taken()[0];
    let lines = sent.replace("\r\n", "");
    assert!(!lines.contains(['\r', '\n']), "a line end of its own: {sent:?}");
    let file = base64::engine::Engine::encode(&base64::engine::general_purpose::STANDARD, smuggled);
    assert!(lines.contains(&file), "the file arrives byte by byte: {sent:?}");
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_not_sent_again() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::CutAfterContent]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    let fate = stage.reaches(id, "failed").await;
    assert!(fate.reason.as_deref().unwrap().contains("may have arrived"), "{fate:?}");
    stage.advance(86_400);
    tokio::time::sleep(Duration::from_millis(200)).await;
    drain.stop().await;
    assert_eq!(server.taken().len(), 1);
}

#[tokio::test]
async fn a_sender_whose_claim_was_lost_meanwhile_sends_nothing() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAtRecipient]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    wait(|| server.asked() == 1).await;
    // As for one that slept for longer than its claim, which another has taken over.
    sqlx::query("update mail.messages set tries = tries + 1").execute(&stage.pool).await.unwrap();
    server.go_on();
    drain.stop().await;
    assert_eq!(server.taken(), Vec::<String>::new());
    assert_eq!(stage.fate(id).await.state, "sending", "it is another's to settle");
}

#[tokio::test]
async fn what_was_settled_is_forgotten_after_a_week_and_its_key_with_it() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let keyed = message(|draft| draft.idempotency_key = Some("one".into()));
    let days = |days: u64| stage.clock.advance(Duration::from_secs(days * 86_400));
    let first = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    stage.reaches(first, "sent").await;
    drain.stop().await;
    days(2);
    let second = stage.enqueue(&keyed).await;
    let drain = stage.drain(&server);
    stage.reaches(second, "sent").await;
    drain.stop().await;
    // A week after the first, and six days after the second.
    days(6);
    let drain = stage.drain(&server);
    stage.is_forgotten(first).await;
    drain.stop().await;
    let again = stage.queue.enqueue(&stage.pool, &keyed, stage.clock.now()).await.unwrap();
    assert!(again.id == second && again.replayed);
    days(2);
    let drain = stage.drain(&server);
    stage.is_forgotten(second).await;
    drain.stop().await;
    let anew = stage.queue.enqueue(&stage.pool, &keyed, stage.clock.now()).await.unwrap();
    assert!(anew.id != second && !anew.replayed);
}

#[tokio::test]
async fn after_a_crash_a_mail_on_its_way_is_sent_again_under_the_same_message_id() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAfterContent]).await);
    let named = message(|draft| draft.headers = vec![("X-Kind".into(), "magic_link".into())]);
    let id = stage.enqueue(&named).await;
    let dying = stage.drain(&server);
    wait(|| server.taken().len() == 1).await;
    dying.kill();
    let drain = stage.drain(&server);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.asked(), 1, "the lease still runs");
    stage.advance(31);
    let fate = stage.reaches(id, "sent").await;
    drain.stop().await;
    assert_eq!((fate.tries, fate.has_content), (2, false));
    let taken = server.taken();
    assert_eq!(message_ids(&taken), [format!("{id}@example.com"), format!("{id}@example.com")]);
    assert!(taken[1].contains("X-Kind: magic_link\r\n"), "it is sent as a whole: {}", taken[1]);
}

#[tokio::test]
async fn an_orderly_stop_has_a_mail_without_an_answer_fail_and_it_is_not_sent_again() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAfterContent]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let slow = stage.drain_in_a_hurry(&server);
    wait(|| server.taken().len() == 1).await;
    slow.stop().await;
    let fate = stage.fate(id).await;
    assert_eq!((fate.state.as_str(), fate.tries, fate.has_content), ("failed", 1, false), "{fate:?}");
    assert!(fate.reason.as_deref().unwrap().contains("may have arrived"), "{fate:?}");
    let next = stage.drain(&server);
    stage.advance(31);
    let other = stage.enqueue(&message(|_| {})).await;
    stage.reaches(other, "sent").await;
    next.stop().await;
    assert_eq!(message_ids(&server.taken()), [format!("{id}@example.com"), format!("{other}@example.com")]);
}

#[tokio::test]
async fn a_mail_that_is_answered_during_an_orderly_stop_is_sent() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAfterContent]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let slow = stage.drain(&server);
    wait(|| server.taken().len() == 1).await;
    slow.ask_to_stop();
    server.go_on();
    slow.stop().await;
    assert_eq!(stage.fate(id).await.state, "sent");
}

#[tokio::test]
async fn an_orderly_stop_waits_for_a_database_that_takes_no_note_for_a_while() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAfterContent]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    wait(|| server.taken().len() == 1).await;
    // A sequence counts the notes that are refused: it keeps what is rolled back.
    for statement in [
        "create sequence mail.refused",
        "create function mail.refuse() returns trigger language plpgsql as
            'begin perform nextval(''mail.refused''); raise exception ''not now''; end'",
        "create trigger refuse before update on mail.messages
            for each row when (new.state = 'sent') execute function mail.refuse()",
    ] {
        sqlx::query(statement).execute(&stage.pool).await.unwrap();
    }
    drain.ask_to_stop();
    server.go_on();
    for _ in 0..1000 {
        let refused = sqlx::query_scalar("select is_called from mail.refused");
        if refused.fetch_one(&stage.pool).await.unwrap() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    sqlx::query("drop trigger refuse on mail.messages").execute(&stage.pool).await.unwrap();
    drain.stop().await;
    assert_eq!(stage.fate(id).await.state, "sent");
}

#[tokio::test]
async fn a_mail_that_another_node_is_handing_over_is_left_to_it() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[Mood::WaitAfterContent]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    let slow = stage.drain(&server);
    wait(|| server.taken().len() == 1).await;
    let other = stage.drain(&server);
    // Longer than a lease, in which the holder is heard of.
    for _ in 0..3 {
        stage.advance(20);
        stage.is_renewed(id).await;
    }
    server.go_on();
    assert_eq!(stage.reaches(id, "sent").await.tries, 1);
    slow.stop().await;
    other.stop().await;
    assert_eq!(server.taken().len(), 1);
}

#[tokio::test]
async fn a_mail_that_every_sender_died_of_fails_in_the_end() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let id = stage.enqueue(&message(|_| {})).await;
    sqlx::query(
        "update mail.messages set state = 'sending', tries = 10, claimed_at = $1, handed_over_at = $1",
    )
    .bind(stage.clock.now())
    .execute(&stage.pool)
    .await
    .unwrap();
    let drain = stage.drain(&server);
    // Its first look is over.
    tokio::time::sleep(Duration::from_millis(300)).await;
    stage.advance(31);
    let fate = stage.reaches(id, "failed").await;
    drain.stop().await;
    assert!(fate.reason.as_deref().unwrap().contains("may have arrived"), "{fate:?}");
    assert!(!fate.has_content);
    assert_eq!(server.asked(), 0);
}

fn message_ids(taken: &[String]) -> Vec<String> {
    let id = |mail: &String| {
        MessageParser::default().parse(mail.as_bytes()).unwrap().message_id().map(str::to_owned)
    };
    taken.iter().filter_map(id).collect()
}

#[tokio::test]
async fn three_drains_lose_none_of_sixty_messages_when_one_dies() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    for number in 0..60 {
        stage.enqueue(&message(|draft| draft.subject = format!("number {number}"))).await;
    }
    let drains = [stage.drain(&server), stage.drain(&server)];
    let dying = stage.drain(&server);
    tokio::time::sleep(Duration::from_millis(30)).await;
    dying.kill();
    wait(|| server.taken().len() >= 58).await;
    // What the others have in hand is settled.
    tokio::time::sleep(Duration::from_millis(500)).await;
    stage.advance(31);
    let unsettled = "select count(*) from mail.messages where state in ('queued', 'sending')";
    for _ in 0..1000 {
        let count: i64 = sqlx::query_scalar(unsettled).fetch_one(&stage.pool).await.unwrap();
        if count == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for drain in drains {
        drain.stop().await;
    }
    let taken = message_ids(&server.taken());
    let ids: HashSet<&String> = taken.iter().collect();
    assert_eq!(ids.len(), 60, "none is lost");
    assert!(taken.len() <= 62, "only what the dying drain had on the wire came twice: {}", taken.len());
}

#[tokio::test]
async fn a_message_that_was_written_by_hand_and_cannot_go_out_holds_up_no_other() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let mut ids = Vec::new();
    for values in [
        "array[null::text], now(), null",
        "array['a@example.com', null], now(), null",
        "array[array['a@example.com', 'no address']], now(), null",
        "array['a@example.com'], now(), '-infinity'",
        "array['b@example.com'], '-infinity', 'infinity'",
        "array['c@example.com'], '294276-01-01', '294276-01-01'",
    ] {
        let queue = format!(
            "with given (recipients, created_at, expires_at) as (values ({values}))
             insert into mail.messages (recipients, text_body, fingerprint, created_at, due_at, expires_at)
             select recipients, 'x', '', created_at::timestamptz, '-infinity', expires_at::timestamptz from given
             returning id"
        );
        let id: uuid::Uuid =
            sqlx::query_scalar(sqlx::AssertSqlSafe(queue)).fetch_one(&stage.pool).await.unwrap();
        ids.push(id);
    }
    let last = stage.enqueue(&message(|_| {})).await;
    let drain = stage.drain(&server);
    stage.reaches(last, "sent").await;
    for (place, id) in ids.into_iter().enumerate() {
        stage.reaches(id, if place < 4 { "failed" } else { "sent" }).await;
    }
    drain.stop().await;
}

#[tokio::test]
async fn an_expired_message_is_not_sent() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    let end = stage.clock.now() + Duration::from_secs(60);
    let id = stage.enqueue(&message(|draft| draft.expires_at = Some(end))).await;
    stage.advance(61);
    let drain = stage.drain(&server);
    let fate = stage.reaches(id, "failed").await;
    assert!(fate.reason.as_deref().unwrap().contains("expired"), "{fate:?}");
    assert_eq!(server.asked(), 0);
    drain.stop().await;
}

#[tokio::test]
async fn one_idempotency_key_gives_one_message() {
    let stage = Stage::new().await;
    let keyed = message(|draft| draft.idempotency_key = Some("welcome-1".into()));
    let tries = (0..10).map(|_| stage.queue.enqueue(&stage.pool, &keyed, stage.clock.now()));
    let mut ids = HashSet::new();
    for queued in futures_join(tries).await {
        ids.insert(queued.unwrap().id);
    }
    assert_eq!(ids.len(), 1);
    let other = message(|draft| {
        draft.idempotency_key = Some("welcome-1".into());
        draft.text = Some("something else".into());
    });
    let refused = stage.queue.enqueue(&stage.pool, &other, stage.clock.now()).await;
    assert!(matches!(refused, Err(MailError::KeyReused)), "{refused:?}");
}

#[tokio::test]
async fn api_roles_and_the_auth_role_cannot_read_the_queue() {
    let stage = Stage::new().await;
    stage.enqueue(&message(|_| {})).await;
    for role in ["anon", "authenticated", "service_role", "supabase_auth_admin"] {
        let mut transaction = stage.pool.begin().await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(format!("set local role {role}")))
            .execute(&mut *transaction)
            .await
            .unwrap();
        let read = sqlx::query("select * from mail.messages").fetch_all(&mut *transaction).await;
        assert!(read.unwrap_err().to_string().contains("permission denied"), "{role}");
    }
}

async fn futures_join<F: Future>(tries: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut outputs = Vec::new();
    for one in tries.map(Box::pin).collect::<Vec<_>>() {
        outputs.push(one.await);
    }
    outputs
}

async fn wait(done: impl Fn() -> bool) {
    for _ in 0..1000 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("waited in vain");
}

/// A function may queue a letter to everybody; a code waits for nobody's letter.
#[tokio::test]
async fn what_is_of_no_use_later_goes_out_before_what_was_queued_before_it() {
    let (stage, server) = (Stage::new().await, FakeServer::start(&[]).await);
    for _ in 0..20 {
        stage.enqueue(&message(|draft| draft.subject = "A letter".into())).await;
    }
    let end = stage.clock.now() + Duration::from_secs(3600);
    let code = message(|draft| {
        draft.subject = "A code".into();
        draft.expires_at = Some(end);
    });
    stage.enqueue(&code).await;
    let drain = stage.drain(&server);
    wait(|| server.taken().len() == 21).await;
    drain.stop().await;
    let place = server.taken().iter().position(|mail| mail.contains("Subject: A code"));
    assert!(place <= Some(1), "two are sent at a time: {place:?}");
}
