use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use rustix::process::Signal;

use crate::support::{Stage, failure};

// rows: rest/B08
#[tokio::test]
async fn sigterm_lets_running_requests_end_and_takes_no_new_ones() {
    let stage = Stage::new().await;
    let mut api = stage.serve("");
    let (client, url) = (reqwest::Client::new(), api.url.clone());
    let running = tokio::spawn(async move { client.get(format!("{url}/rpc/nap?seconds=0.7")).send().await });
    stage.until_napping(&running).await;
    api.signal(Signal::TERM);
    while reqwest::Client::new().get(&api.url).send().await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!running.is_finished(), "it takes no new ones before it ends");
    let answer = running.await.expect("asked").expect("answered");
    assert_eq!(
        (answer.status().as_u16(), answer.text().await.expect("a body").as_str()),
        (200, "\"rested\"")
    );
    assert!(api.ended().success());
    assert!(api.notes().contains("termination"), "{}", api.notes());
}

// rows: rest/B04 rest/B05
#[tokio::test]
async fn a_wrong_password_ends_it_and_so_does_a_lost_database_where_nobody_waits() {
    let stage = Stage::new().await;
    let (host, port) = stage.place();
    let wrong = stage.lines("").replace(&stage.uri(), &stage.uri_at(&host, port, "of somebody else"));
    if stage
        .number("select count(*) from pg_hba_file_rules where auth_method = 'trust' and type = 'local'")
        .await
        == 0
    {
        let (status, notes) = failure(&wrong, &[]);
        assert!(!status.success() && notes.contains("Failed to establish a connection"), "{notes}");
        assert!(!notes.contains("of somebody else"));
    }
    let mut impatient = stage.serve("db-pool-automatic-recovery = false");
    // The load that follows the listener's own connection is the second.
    while impatient.metric("pgrst_schema_cache_loads_total{status=\"SUCCESS\"}").await < 2.0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage
        .execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ROLE_login'")
        .await;
    assert_eq!(impatient.ended().code(), Some(1));
    assert!(impatient.notes().contains("Automatic recovery disabled, exiting."), "{}", impatient.notes());
}

// rows: rest/config-server-reuseport
#[tokio::test]
async fn two_of_them_share_one_port() {
    let stage = Stage::new().await;
    let first = stage.serve("server-reuseport = true");
    let port = first.url.rsplit(':').next().expect("a port").to_owned();
    let same = |reuse: bool| {
        stage
            .lines(&format!("server-reuseport = {reuse}"))
            .replace("server-port = 0\nadmin", &format!("server-port = {port}\nadmin"))
    };
    let second = stage.serve_with(&same(true), &[]);
    assert_eq!(second.url, first.url);
    drop(first);
    assert_eq!(second.get("/lessons").await.status, 200);
    let (status, notes) = failure(&same(false), &[]);
    assert!(!status.success() && notes.contains("cannot listen on"), "{notes}");
}

// rows: rest/F08
#[tokio::test]
async fn a_url_of_a_megabyte_is_refused_on_the_wire_and_the_next_request_served() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    let place = api.url.strip_prefix("http://").expect("a URL").to_owned();
    let answer = tokio::task::spawn_blocking(move || -> std::io::Result<String> {
        let mut socket = TcpStream::connect(&place)?;
        let head = format!("GET /lessons?id=eq.{} HTTP/1.1\r\nhost: {place}\r\n\r\n", "1".repeat(1 << 20));
        // The server need not read it to its end.
        let _ = socket.write_all(head.as_bytes());
        let mut answer = vec![0; 64];
        let length = socket.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
    });
    let answer = answer.await.expect("asked").expect("answered");
    let status = answer.split(' ').nth(1).expect("a status").to_owned();
    assert!(["414", "431"].contains(&status.as_str()), "{answer}");
    assert_eq!(api.get("/lessons").await.status, 200);
}

// rows: rest/U01 rest/F10 server/GW-TARGETS
#[tokio::test]
async fn signs_of_a_url_that_nobody_escaped_are_read_as_they_are_meant() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    let place = api.url.strip_prefix("http://").expect("a URL").to_owned();
    let answers = tokio::task::spawn_blocking(move || -> std::io::Result<Vec<String>> {
        let mut socket = TcpStream::connect(&place)?;
        let mut answers = Vec::new();
        for target in
            ["/lessons?select=id&title=in.(\"lesson%201\",\"a,b\")", "/lessons?select=id&title=eq.<>"]
        {
            write!(socket, "GET {target} HTTP/1.1\r\nhost: {place}\r\n\r\n")?;
            let mut answer = vec![0; 4096];
            let length = socket.read(&mut answer)?;
            answers.push(String::from_utf8_lossy(&answer[..length]).into_owned());
        }
        Ok(answers)
    });
    let answers = answers.await.expect("asked").expect("answered");
    for (answer, body) in answers.iter().zip([r#"[{"id":1}]"#, "[]"]) {
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(body), "{answer}");
    }
}
