//! How many guesses a code of six digits has to stand.

use banyan_testkit::Answer;
use banyan_testkit::CapturedLog;
use serde_json::json;

use crate::support::{ASHA, RAVI, Stage, wrong};

/// A crowd that waits for no pause either.
const AT_ONCE: &str = "[auth.email]\nmax_frequency = \"0s\"\n";
const UNLIMITED: &str = "[auth.rate_limit]\ntoken_verifications = 100000\nsign_in_sign_ups = 100000\n";

/// A machine of the crowd; each is seen once.
fn machine(number: u32) -> [u8; 4] {
    let [_, b, c, d] = number.to_be_bytes();
    [10, b, c, d]
}

async fn ask(stage: &Stage, ip: [u8; 4]) -> Answer {
    stage.post("/otp", json!({"email": ASHA})).from(ip).await
}

async fn guess(stage: &Stage, code: &str, ip: [u8; 4]) -> u16 {
    let body = json!({"type": "email", "email": ASHA, "token": code});
    stage.post("/verify", &body).from(ip).await.status
}

// rows: M9
#[tokio::test]
async fn the_log_tells_once_when_wrong_guesses_end_a_code() {
    let stage = Stage::with(UNLIMITED).await;
    let ip = machine(1);
    stage.sign_in(ASHA).await;
    stage.wait(60);
    assert_eq!(ask(&stage, ip).await.status, 200);
    let code = stage.code(ASHA).await;
    let (written, _listening) = CapturedLog::listen();
    let told = || written.lines("wrong guesses ended a code");
    for step in 1..=4 {
        assert_eq!(guess(&stage, &wrong(&code, step), ip).await, 403);
    }
    assert_eq!(told(), Vec::<String>::new(), "one guess is left");
    assert_eq!(guess(&stage, &wrong(&code, 5), ip).await, 403);
    assert_eq!(told().len(), 1, "{:?}", told());
    assert!(!told()[0].contains(ASHA), "{:?}", told());
    stage.wait(1);
    assert_eq!(guess(&stage, &code, ip).await, 403, "the right one comes too late");
    assert_eq!(told().len(), 1, "{:?}", told());
    for step in 1..=6 {
        let body = json!({"type": "email", "email": RAVI, "token": wrong(&code, step)});
        assert_eq!(stage.post("/verify", &body).from(ip).await.status, 403);
    }
    assert_eq!(told().len(), 1, "nobody has a code there: {:?}", told());
}

// rows: M9
#[tokio::test]
async fn the_log_names_no_code_that_no_guess_has_ended() {
    let stage = Stage::with(&format!("{UNLIMITED}[auth.sms]\notp_expiry = 86400\n")).await;
    stage.sign_in(ASHA).await;
    stage.wait(60);
    assert_eq!(ask(&stage, machine(1)).await.status, 200);
    let code = stage.code(ASHA).await;
    let (written, _listening) = CapturedLog::listen();
    let none_told = |why: &str| assert_eq!(written.lines("wrong guesses"), [""; 0], "{why}");
    for step in 1..=5 {
        assert_eq!(guess(&stage, &wrong(&code, step), machine(2)).await, 403);
    }
    none_told("who never asked has no code to end");
    let of_change = async |step| {
        let body = json!({"type": "email_change", "email": ASHA, "token": wrong(&code, step)});
        assert_eq!(stage.post("/verify", &body).from(machine(1)).await.status, 403);
    };
    for step in 1..=5 {
        of_change(step).await;
    }
    none_told("another code was guessed");
    stage.wait(60);
    assert_eq!(ask(&stage, machine(3)).await.status, 200);
    let code = stage.code(ASHA).await;
    stage.wait(2 * 3600);
    for step in 1..=5 {
        assert_eq!(guess(&stage, &wrong(&code, step), machine(3)).await, 403);
    }
    none_told("its time was over");
}

/// The days of a crowd that never stops: 220 guesses at once, eight a day by networks that ask for
/// codes, and one by those that do not. Neither new codes nor new networks give more, so a year has
/// 3,505 of them, one chance in 285.
// rows: M9 C3
#[tokio::test]
async fn neither_many_codes_nor_many_clients_beat_the_cap() {
    let stage = Stage::with(&format!("{UNLIMITED}{AT_ONCE}")).await;
    let mut number = 0;
    let mut next = || {
        number += 1;
        machine(number)
    };
    let asker = async |ip: [u8; 4], guesses: u32| {
        assert_eq!(ask(&stage, ip).await.status, 200);
        let code = stage.code(ASHA).await;
        for step in 1..=guesses {
            assert_eq!(guess(&stage, &wrong(&code, step), ip).await, 403);
        }
    };
    for _ in 0..40 {
        asker(next(), 5).await;
    }
    let code = stage.code(ASHA).await;
    for step in 1..=20 {
        assert_eq!(guess(&stage, &wrong(&code, step), next()).await, 403);
    }
    for day in 0..10 {
        let late = next();
        asker(late, 0).await;
        let code = stage.code(ASHA).await;
        assert_eq!(guess(&stage, &code, late).await, 403, "day {day}: askers have no guess left");
        assert_eq!(guess(&stage, &code, next()).await, 403, "day {day}: nor have others");
        stage.wait(86_400);
        for _ in 0..9 {
            asker(next(), 1).await;
        }
        assert_eq!(guess(&stage, &wrong(&code, 1), next()).await, 403);
    }
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    stage.wait(86_400);
    let owner = next();
    asker(owner, 0).await;
    assert_eq!(
        guess(&stage, &stage.code(ASHA).await, owner).await,
        200,
        "when the crowd stops, anybody new gets in"
    );
}

/// Nine machines ask by every route until each is refused, and guess as long as they may; forty
/// more guess without asking.
// rows: M9 M7
#[tokio::test]
async fn nobody_locks_an_owner_out_of_codes_or_of_entering_them() {
    let mut config =
        banyan_testkit::config_with(&format!("{UNLIMITED}[auth.email]\nenable_confirmations = true\n"));
    config.auth.rate_limits.email_sent = 1000;
    let stage = Stage::of(config).await;
    let (home, new) = ([203, 0, 113, 1], [203, 0, 113, 2]);
    assert_eq!(ask(&stage, home).await.status, 200);
    let body = json!({"type": "email", "email": ASHA, "token": stage.code(ASHA).await});
    let session = stage.post("/verify", &body).from(home).await;
    assert_eq!(session.status, 200, "{}", session.json());
    for number in 1..=9 {
        let mut refused = 0;
        for (path, body) in [
            ("/signup", json!({"email": ASHA, "password": "long enough"})),
            ("/resend", json!({"email": ASHA, "type": "signup"})),
            ("/otp", json!({"email": ASHA})),
            ("/recover", json!({"email": ASHA})),
        ] {
            for _ in 0..if path == "/signup" { 1 } else { 4 } {
                stage.wait(2);
                let asked = stage.post(path, &body).from(machine(number)).await;
                refused += usize::from(asked.status == 429);
                for step in 1..=2 {
                    guess(&stage, &wrong(&stage.code(ASHA).await, step), machine(number)).await;
                }
            }
        }
        assert!(refused >= 3, "{number}: the attacker has spent its own");
    }
    for number in 100..140 {
        guess(&stage, &wrong(&stage.code(ASHA).await, number), machine(number)).await;
    }
    for ip in [home, new] {
        stage.wait(2);
        assert_eq!(ask(&stage, ip).await.status, 200, "{ip:?}");
        assert_eq!(guess(&stage, &stage.code(ASHA).await, ip).await, 200, "{ip:?}");
    }
    let nonce = stage.get("/reauthenticate").bearer(session.field("access_token")).from(machine(1)).await;
    assert_eq!(nonce.error(), (429, "over_email_send_rate_limit"), "a network is held to its own");
    let nonce = stage.get("/reauthenticate").bearer(session.field("access_token")).from(home).await;
    assert_eq!(nonce.status, 200, "{}", nonce.json());
}

/// A crowd that asks from everywhere closes the address for new clients, and for none that its
/// owner used before.
// rows: M9 M7
#[tokio::test]
async fn a_client_that_entered_a_right_code_before_depends_on_nobody() {
    let stage = Stage::with(&format!("{UNLIMITED}{AT_ONCE}")).await;
    let home = [203, 0, 113, 1];
    ask(&stage, home).await;
    assert_eq!(guess(&stage, &stage.code(ASHA).await, home).await, 200);
    for number in 1..=100 {
        let asked = ask(&stage, machine(number)).await.status;
        assert_eq!(asked, if number < 100 { 200 } else { 429 }, "{number}, and the owner had one");
        for step in 1..=5 {
            guess(&stage, &wrong("123456", step), machine(number)).await;
        }
    }
    for _ in 0..12 {
        stage.wait(2);
        assert_eq!(ask(&stage, home).await.status, 200);
        let code = stage.code(ASHA).await;
        assert_eq!(guess(&stage, &wrong(&code, 1), home).await, 403);
        assert_eq!(guess(&stage, &code, home).await, 200);
    }
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 13);
}

// rows: M9
#[tokio::test]
async fn codes_that_are_entered_are_not_counted() {
    let stage = Stage::with(UNLIMITED).await;
    for _ in 0..15 {
        stage.sign_in(ASHA).await;
    }
    for left in (0..10).rev() {
        stage.wait(2);
        assert_eq!(stage.ask(ASHA).await.status, 200, "{left} left");
    }
    stage.wait(2);
    assert_eq!(stage.ask(ASHA).await.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(stage.ask(RAVI).await.status, 200, "another address has its own");
    let last = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(last.status, 200, "the last code still works for who asked for it: {}", last.json());
}

// rows: M9
#[tokio::test]
async fn who_asked_is_not_locked_out_by_who_asks_next() {
    let stage = Stage::with(UNLIMITED).await;
    let owner = [203, 0, 113, 1];
    assert_eq!(ask(&stage, owner).await.status, 200);
    stage.wait(2);
    assert_eq!(ask(&stage, [198, 51, 100, 1]).await.status, 200, "somebody else asks for another code");
    let code = stage.code(ASHA).await;
    for number in 0..30 {
        assert_eq!(guess(&stage, &wrong(&code, number + 1), machine(number)).await, 403);
    }
    assert_eq!(guess(&stage, &code, machine(99)).await, 403, "the crowd has spent its tries");
    assert_eq!(guess(&stage, &code, owner).await, 200, "who asked before reads the newest code and gets in");
}

// rows: M9
#[tokio::test]
async fn another_code_gives_no_tries_back_to_who_asked_for_the_one_before() {
    let stage = Stage::with(UNLIMITED).await;
    let (first, second) = ([203, 0, 113, 1], [203, 0, 113, 2]);
    ask(&stage, first).await;
    let code = stage.code(ASHA).await;
    for step in 1..=5 {
        assert_eq!(guess(&stage, &wrong(&code, step), first).await, 403);
    }
    stage.wait(2);
    ask(&stage, second).await;
    let code = stage.code(ASHA).await;
    assert_eq!(guess(&stage, &code, first).await, 403);
    assert_eq!(guess(&stage, &code, second).await, 200);
}

/// The right code is the twenty-first of one batch. Who compares first and counts afterwards lets
/// it in each time.
// rows: M9
#[tokio::test]
async fn the_right_code_last_among_parallel_guesses_is_not_looked_at() {
    let stage = Stage::with(UNLIMITED).await;
    let mut granted = 0;
    for round in 0..8 {
        let email = format!("u{round}@example.com");
        stage.ask(&email).await;
        let code = stage.code(&email).await;
        let guesses = (1..=20).map(|step| wrong(&code, step)).chain([code.clone()]);
        let tries: Vec<_> = guesses
            .map(|guessed| {
                let (stage, email) = (stage.clone(), email.clone());
                tokio::spawn(async move {
                    let body = json!({"type": "email", "email": email, "token": guessed});
                    stage.post("/verify", &body).from([198, 51, 100, 7]).await.status
                })
            })
            .collect();
        for one in tries {
            let status = one.await.unwrap();
            assert!(matches!(status, 200 | 403), "{status}");
            granted += usize::from(status == 200);
        }
        assert_eq!(stage.verify(&email, &wrong(&code, 30)).await.status, 403);
    }
    assert!(granted <= 4, "{granted} of 8 were judged beyond the fifth");
    let most = stage.number("select max(tries)::bigint from auth.banyan_code_clients").await;
    assert_eq!(most, 5, "no more than five are judged");
}

/// A crowd guesses at one moment, each of them once, and the right code is among the guesses: it is
/// looked at as one of the first twenty or not at all.
// rows: M9
#[tokio::test]
async fn a_crowd_that_guesses_at_one_moment_has_twenty_tries_together() {
    let stage = Stage::with(UNLIMITED).await;
    ask(&stage, [203, 0, 113, 1]).await;
    let code = stage.code(ASHA).await;
    let tries: Vec<_> = (1..=60)
        .map(|number| {
            let (stage, guessed) = (stage.clone(), wrong(&code, if number == 60 { 0 } else { number }));
            tokio::spawn(async move { guess(&stage, &guessed, machine(number)).await })
        })
        .collect();
    let mut granted = 0;
    for one in tries {
        granted += usize::from(one.await.unwrap() == 200);
    }
    let spent = "select extract(epoch from guesses_spent_until - updated_at)::bigint / 86400 from auth.banyan_code_addresses";
    let spent = stage.number(spent).await;
    assert!(spent == 20 || granted == 1 && spent == 19, "{spent}; a right one gives back what it cost");
    assert_eq!(guess(&stage, &code, machine(99)).await, 403);
}

// rows: M9
#[tokio::test]
async fn a_try_is_counted_even_if_the_rest_of_the_request_fails() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    stage.execute("update auth.users set banned_until = now() + interval '100 years'").await;
    for _ in 0..5 {
        assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "user_banned"));
    }
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"), "no try is left");
}

// rows: M9
#[tokio::test]
async fn codes_are_asked_for_and_entered_at_once_without_a_fault() {
    let stage = Stage::with(&format!("{UNLIMITED}{AT_ONCE}")).await;
    for round in 0..40 {
        stage.ask(ASHA).await;
        let code = stage.code(ASHA).await;
        let mut running = Vec::new();
        for part in 0..6 {
            let (stage, code) = (stage.clone(), code.clone());
            running.push(tokio::spawn(async move {
                match part {
                    0 | 3 => stage.ask(ASHA).await,
                    1 => stage.post("/recover", json!({"email": ASHA})).await,
                    2 => stage.verify(ASHA, &wrong(&code, 1)).await,
                    _ => stage.verify(ASHA, &code).await,
                }
            }));
        }
        for one in running {
            let answer = one.await.unwrap();
            assert!(answer.status < 500, "{round}: {} {}", answer.status, answer.json());
        }
        stage.wait(360);
    }
}

// rows: U2
#[tokio::test]
async fn accounts_that_want_one_address_do_not_push_each_others_codes_away() {
    let stage = Stage::with(&format!("{UNLIMITED}[auth.email]\ndouble_confirm_changes = false\n")).await;
    let wanted = "wanted@example.com";
    let first = stage.sign_in(ASHA).await;
    let put = async |session: &Answer| {
        stage.put("/user", json!({"email": wanted})).bearer(session.field("access_token")).await
    };
    assert_eq!(put(&first).await.status, 200);
    let code = stage.code(wanted).await;
    for number in 0..9 {
        stage.wait(300);
        let session = stage.sign_in(&format!("u{number}@example.com")).await;
        assert_eq!(put(&session).await.status, 200, "{number}");
    }
    let body = json!({"type": "email_change", "email": wanted, "token": code});
    let changed = stage.post("/verify", &body).await;
    assert_eq!((changed.status, &changed["user"]["email"]), (200, &json!(wanted)), "{}", changed.json());
}

// rows: M4
#[tokio::test]
async fn codes_by_text_message_live_as_long_as_those_should() {
    let toml = "[auth.email]\notp_expiry = 600\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n\
                [auth.sms.test_otp]\n919800000001 = \"123456\"\n";
    let stage = Stage::with(toml).await;
    let verify = async || {
        let body = json!({"type": "sms", "phone": "919800000001", "token": "123456"});
        stage.post("/verify", &body).await
    };
    for (wait, status) in [(5900, 200), (6100, 403)] {
        stage.wait(60);
        stage.post("/otp", json!({"phone": "919800000001"})).await;
        stage.wait(wait);
        assert_eq!(verify().await.status, status, "after {wait} s");
    }
    stage.ask(ASHA).await;
    stage.wait(700);
    assert_eq!(stage.verify(ASHA, &stage.code(ASHA).await).await.error(), (403, "otp_expired"));
}

// rows: Q1
#[tokio::test]
async fn a_network_of_ipv6_has_the_limits_of_a_few_clients() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 2\n").await;
    let ask = async |number: u16, ip: [u16; 8]| {
        let body = json!({"email": format!("u{number}@example.com")});
        stage.post("/otp", &body).from(ip).await.status
    };
    let mut granted = 0;
    for number in 0..40 {
        granted += usize::from(ask(number, [0x2001, 0xdb8, 7, number, 0, 0, 0, 1]).await == 200);
    }
    assert_eq!(granted, 16, "eight clients of two each");
    assert_eq!(ask(50, [0x2001, 0xdb8, 8, 0, 0, 0, 0, 1]).await, 200, "the next network has its own");
    assert_eq!(ask(51, [0x2001, 0xdb8, 8, 0, 0, 0, 0, 2]).await, 200);
    assert_eq!(ask(52, [0x2001, 0xdb8, 8, 0, 0, 0, 0, 3]).await, 429, "hosts of one client");
}

/// What the browser keeps of an answer.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap_or_default().split(';').next().unwrap().to_owned()
}

async fn guess_with(stage: &Stage, code: &str, ip: [u8; 4], cookie: &str) -> Answer {
    let body = json!({"type": "email", "email": ASHA, "token": code});
    stage.post("/verify", &body).from(ip).header("cookie", cookie).await
}

/// The crowd is spent, and the owner's network is another one by the time the mail has come.
// rows: M9
#[tokio::test]
async fn who_asked_may_type_from_wherever_they_are_by_then() {
    let stage = Stage::with(UNLIMITED).await;
    for number in 1..=30 {
        guess(&stage, "123456", machine(number)).await;
    }
    let (home, road) = ([203, 0, 113, 1], [203, 0, 113, 2]);
    let mark = cookie(&ask(&stage, home).await);
    let code = stage.code(ASHA).await;
    assert_eq!(guess(&stage, &code, road).await, 403, "without the mark it is one of the crowd");
    for step in 1..=3 {
        assert_eq!(guess_with(&stage, &wrong(&code, step), machine(100 + step), &mark).await.status, 403);
    }
    let right = guess_with(&stage, &code, road, &mark).await;
    assert_eq!(right.status, 200, "{}", right.json());
}

/// Marks give nobody more guesses: they are those of the network that asked.
// rows: M9
#[tokio::test]
async fn a_mark_that_is_passed_around_gives_no_more_guesses() {
    let stage = Stage::with(UNLIMITED).await;
    let mark = cookie(&ask(&stage, machine(1)).await);
    let code = stage.code(ASHA).await;
    for step in 1..=5 {
        assert_eq!(guess_with(&stage, &wrong(&code, step), machine(step), &mark).await.status, 403);
    }
    assert_eq!(guess_with(&stage, &code, machine(9), &mark).await.status, 403, "five are spent");
    let tries = stage.number("select sum(tries)::bigint from auth.banyan_code_clients").await;
    assert_eq!(tries, 5, "all of them by one");
    for number in 20..40 {
        guess(&stage, "123456", machine(number)).await;
    }
    for forged in [mark.replace("asker", "browser"), format!("{mark}0"), mark.replace('.', "")] {
        assert_eq!(
            guess_with(&stage, &code, machine(50), &forged).await.status,
            403,
            "{forged}: one of the crowd"
        );
    }
}

/// A neighbour spends all that their network has; who signed in there before is not in their hands.
// rows: M9
#[tokio::test]
async fn a_browser_that_a_right_code_came_from_depends_on_no_neighbour() {
    let stage = Stage::with(UNLIMITED).await;
    let school = [203, 0, 113, 1];
    let asked = cookie(&ask(&stage, school).await);
    let mark = cookie(&guess_with(&stage, &stage.code(ASHA).await, school, &asked).await);
    for _ in 0..10 {
        stage.wait(2);
        ask(&stage, school).await;
        for step in 1..=5 {
            guess(&stage, &wrong(&stage.code(ASHA).await, step), school).await;
        }
    }
    assert_eq!(guess(&stage, &stage.code(ASHA).await, school).await, 403, "the network has no guess left");
    stage.wait(2);
    assert_eq!(ask(&stage, school).await.status, 429, "nor a code");
    let again = stage.post("/otp", json!({"email": ASHA})).from(school).header("cookie", &mark).await;
    assert_eq!(again.status, 200, "{}", again.json());
    let code = stage.code(ASHA).await;
    assert_eq!(guess_with(&stage, &wrong(&code, 1), school, &mark).await.status, 403);
    assert_eq!(guess_with(&stage, &code, machine(7), &mark).await.status, 200, "and takes that along");
    stage.wait(91 * 86_400);
    ask(&stage, machine(8)).await;
    let code = stage.code(ASHA).await;
    for number in 50..80 {
        guess(&stage, &wrong(&code, number), machine(number)).await;
    }
    assert_eq!(guess_with(&stage, &code, machine(9), &mark).await.status, 403, "for ninety days");
}

/// Who was in a network once may type there what they asked for there, and nothing more.
// rows: M9 M7
#[tokio::test]
async fn a_mark_of_a_network_is_neither_renewed_nor_asked_with_from_elsewhere() {
    let stage = Stage::with(UNLIMITED).await;
    let (school, away) = ([203, 0, 113, 1], [198, 51, 100, 1]);
    let mark = cookie(&ask(&stage, school).await);
    let ask_with = async |mark: &str, ip: [u8; 4]| {
        stage.wait(2);
        stage.post("/otp", json!({"email": ASHA})).from(ip).header("cookie", mark).await
    };
    for _ in 0..10 {
        assert_eq!(ask_with(&mark, away).await.status, 200);
    }
    assert_eq!(ask_with(&mark, away).await.status, 429, "ten of its own");
    let another = cookie(&ask_with("", school).await);
    assert_ne!(another, mark, "the school has its own left");
    stage.wait(3600);
    let renewed = cookie(&ask_with(&mark, away).await);
    stage.wait(3600);
    let code = stage.code(ASHA).await;
    for step in 1..=5 {
        guess_with(&stage, &wrong(&code, step), [192, 0, 2, 7], &renewed).await;
    }
    let of_school = "select max(tries)::bigint from auth.banyan_code_clients
        where client in (select client from auth.banyan_code_clients order by codes_spent_until limit 1)";
    assert_eq!(stage.number(of_school).await, 0, "the guesses are those of where it was renewed");
}

/// A machine in a staff room: marks stay few, and the last ones hold.
// rows: M9
#[tokio::test]
async fn a_browser_that_many_use_keeps_few_marks() {
    let stage = Stage::with(UNLIMITED).await;
    let mut jar = std::collections::BTreeMap::new();
    for number in 0..30 {
        stage.wait(1);
        let shown: Vec<_> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let body = json!({"email": format!("u{number}@example.com")});
        let asked = stage.post("/otp", &body).header("cookie", shown.join("; ")).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        for cookie in asked.headers.get_all("set-cookie") {
            let (pair, terms) = cookie.to_str().unwrap().split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if terms.contains("Max-Age=0;") {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
    }
    assert_eq!(jar.len(), 8);
    let code = stage.code("u29@example.com").await;
    let shown: Vec<_> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
    for number in 1..=30 {
        let body = json!({"type": "email", "email": "u29@example.com", "token": "123456"});
        stage.post("/verify", &body).from(machine(number)).await;
    }
    let body = json!({"type": "email", "email": "u29@example.com", "token": code});
    let entered = stage.post("/verify", &body).from([192, 0, 2, 9]).header("cookie", shown.join("; "));
    assert_eq!(entered.await.status, 200, "the last mark holds");
}
