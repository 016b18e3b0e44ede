use std::{
    io::{Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
};

use serde_json::json;

use crate::support::{Stage, failure};

// rows: rest/config-db-uri rest/config-db-schemas rest/config-app-settings
#[tokio::test]
async fn a_plain_database_and_login_are_enough() {
    let stage = Stage::new().await;
    let special = stage
        .number("select count(*) from pg_roles where rolname = 'ROLE_login' and (rolsuper or rolbypassrls)")
        .await;
    let schemas = stage
        .number("select count(*) from pg_namespace where nspname in ('auth', 'extensions', '_banyan')")
        .await;
    assert_eq!((special, schemas), (0, 0), "nothing of the stack is there");
    let api = stage.serve("app.settings.motto = \"ask, then answer\"");
    let lessons = api.get("/lessons?select=id,title&id=eq.2").await;
    assert_eq!(
        (lessons.status, lessons.json()),
        (200, json!([{"id": 2, "title": "lesson 2"}])),
        "no prefix in the path"
    );
    assert_eq!(api.get("/rest/v1/lessons").await.refusal().1, "PGRST125");
    assert_eq!(api.get("/rpc/motto").await.json(), json!("ask, then answer"));
    assert_eq!(lessons.header("content-range"), "0-0/*");
}

// rows: rest/config-db-max-rows rest/config-db-schemas
#[tokio::test]
async fn environment_wins_over_the_file_and_the_database_over_both() {
    let stage = Stage::new().await;
    stage.execute("alter role ROLE_login set pgrst.db_schemas = 'school, annex'; alter role ROLE_login set pgrst.server_port = '1'").await;
    let lines = stage.lines("db-max-rows = 1");
    let variables = [("PGRST_DB_MAX_ROWS", "2"), ("PGRST_DB_SCHEMAS", "annex")];
    let api = stage.serve_with(&lines, &variables);
    assert_eq!(api.get("/lessons").await.json().as_array().map(Vec::len), Some(2));
    let client = reqwest::Client::new();
    let rooms = api.send(client.get(format!("{}/rooms", api.url)).header("accept-profile", "annex")).await;
    assert_eq!(rooms.status, 200, "{}", rooms.text);
    let off = stage.serve_with(&format!("{lines}db-config = false\n"), &[]);
    assert_eq!(off.get("/lessons").await.json().as_array().map(Vec::len), Some(1));
}

// rows: rest/config-db-config
#[tokio::test]
async fn changes_by_notify_and_by_sigusr2_and_a_wrong_word_changes_nothing() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    assert_eq!(api.get("/").await.status, 200);
    let off = "alter role ROLE_login set pgrst.openapi_mode = 'disabled'; notify pgrst, 'reload config'";
    stage.execute(off).await;
    let root = api.until("/", |reply| reply.status == 404).await;
    assert_eq!(root.refusal().1, "PGRST126");
    stage
        .execute("alter role ROLE_login set pgrst.openapi_mode = 'loud'; alter role ROLE_login set pgrst.db_max_rows = '1'")
        .await;
    api.signal(rustix::process::Signal::USR2);
    assert!(api.wait_for_notes(|notes| notes.contains("Failed reloading config")));
    assert_eq!(
        api.get("/lessons").await.json().as_array().map(Vec::len),
        Some(5),
        "the old configuration stays whole"
    );
    stage.execute("alter role ROLE_login reset pgrst.openapi_mode").await;
    api.signal(rustix::process::Signal::USR2);
    api.until("/lessons", |reply| reply.json().as_array().map(Vec::len) == Some(1)).await;
}

// rows: rest/config-log-level rest/config-openapi-mode
#[tokio::test]
async fn an_unknown_word_stops_the_start_wherever_it_stands() {
    let stage = Stage::new().await;
    for (file, variables) in [
        (stage.lines("log-level = \"loud\""), &[][..]),
        (stage.lines(""), &[("PGRST_DB_TX_END", "random")][..]),
        (stage.lines("jwt-role-claim-key = \"role\""), &[][..]),
        (stage.lines("db-schemas = \"pg_catalog\""), &[][..]),
        ("db-uri = \"postgresql://u@h/d?nothing=1\"\n".to_owned(), &[][..]),
    ] {
        let (status, notes) = failure(&file, variables);
        assert!(!status.success() && !notes.is_empty(), "{file}: {notes}");
    }
    stage.execute("alter role ROLE_login set pgrst.openapi_mode = 'loud'").await;
    let (status, notes) = failure(&stage.lines(""), &[]);
    assert!(!status.success() && notes.contains("openapi-mode"), "{notes}");
    let (status, notes) = failure(&stage.lines("jwt-secret = \"too short\""), &[]);
    assert!(!status.success() && notes.contains("at least 32 characters"), "{notes}");
}

// rows: rest/config-server-unix-socket
#[tokio::test]
async fn listens_with_its_mode_and_is_gone_at_the_end() {
    let stage = Stage::new().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api.sock");
    let options = format!("server-unix-socket = \"{}\"\nserver-unix-socket-mode = \"640\"", path.display());
    let mut api = stage.serve(&options);
    let mode = std::fs::metadata(&path).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let mut stream = UnixStream::connect(&path).expect("it listens");
    stream
        .write_all(b"GET /lessons?select=id&limit=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("[{\"id\":1}]"), "{answer}");
    assert_eq!(api.admin("/live").await.status, 200);
    api.signal(rustix::process::Signal::TERM);
    assert!(api.ended().success());
    assert!(!path.exists());
}

// rows: rest/config-server-cors-allowed-origins rest/Y05 rest/Y06 rest/Y07
#[tokio::test]
async fn origins_are_judged_without_a_gateway() {
    let stage = Stage::new().await;
    let api = stage.serve("server-cors-allowed-origins = \"http://a.example\"");
    let client = reqwest::Client::new();
    let with_origin =
        |origin: &str| client.get(format!("{}/lessons?limit=1", api.url)).header("origin", origin);
    let allowed = api.send(with_origin("http://a.example")).await;
    assert_eq!(allowed.header("access-control-allow-origin"), "http://a.example");
    assert_eq!(allowed.header("access-control-allow-credentials"), "true");
    let other = api.send(with_origin("http://b.example")).await;
    assert_eq!((other.status, other.header("access-control-allow-origin")), (200, ""));
    let preflight = client
        .request(reqwest::Method::OPTIONS, format!("{}/lessons", api.url))
        .header("origin", "http://a.example")
        .header("access-control-request-method", "POST");
    let preflight = api.send(preflight).await;
    assert_eq!((preflight.status, preflight.header("access-control-max-age")), (200, "86400"));
}

// rows: rest/config-db-prepared-statements rest/G17
#[tokio::test]
async fn a_transaction_pooler_stands_between_where_there_is_one() {
    let Some(program) = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
        .into_iter()
        .find(|it| std::path::Path::new(it).exists())
    else {
        println!("left out: pgbouncer is not installed");
        return;
    };
    let stage = Stage::new().await;
    let pooler = Pooler::start(program, &stage);
    let uri = stage.uri_at("127.0.0.1", pooler.port, stage.password());
    let lines = stage
        .lines("db-prepared-statements = false\ndb-channel-enabled = false\ndb-pool = 4")
        .replace(&stage.uri(), &uri);
    let api = stage.serve_with(&lines, &[]);
    let asked: Vec<_> = (0..60)
        .map(|n| {
            let (client, url) = (reqwest::Client::new(), api.url.clone());
            tokio::spawn(async move {
                let path =
                    ["lessons?select=id&id=eq.3", "rpc/backend", "lessons?order=id.desc&limit=2"][n % 3];
                client.get(format!("{url}/{path}")).send().await.expect("an answer").status().as_u16()
            })
        })
        .collect();
    for asked in asked {
        assert_eq!(asked.await.expect("asked"), 200, "{}", api.notes());
    }
    let client = reqwest::Client::new();
    let insert = client
        .post(format!("{}/lessons", api.url))
        .header("authorization", format!("Bearer {}", stage.teacher()))
        .header("content-type", "application/json")
        .body(r#"{"id": 77, "title": "through a pooler"}"#);
    assert_eq!(api.send(insert).await.status, 201);
    stage.execute("create table school.later (id int); grant select on school.later to ROLE_anon").await;
    api.signal(rustix::process::Signal::USR1);
    api.until("/later", |reply| reply.status == 200).await;
}

/// pgbouncer in transaction mode before the test server, with two connections to it.
struct Pooler {
    child: std::process::Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Pooler {
    fn start(program: &str, stage: &Stage) -> Self {
        let folder = tempfile::Builder::new().prefix("pooler").tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("readable");
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port();
        let (host, server_port) = stage.place();
        let users = folder.path().join("users.txt");
        std::fs::write(&users, format!("\"{}_login\" \"{}\"\n", stage.name, stage.password()))
            .expect("written");
        let settings = format!(
            "[databases]\n{0} = host={host} port={server_port} dbname={0}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {1}\npool_mode = transaction\n\
             default_pool_size = 2\n",
            stage.name,
            users.display()
        );
        let file = folder.path().join("pooler.ini");
        std::fs::write(&file, settings).expect("written");
        let mut command = std::process::Command::new(program);
        if rustix::process::geteuid().is_root() {
            // It refuses to be root; whoever runs the server gets through to its socket.
            command.args(["--user", &owner(&host)]);
        }
        let child = command
            .arg(&file)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("pgbouncer");
        let pooler = Self { child, port, _folder: folder };
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(std::time::Instant::now() < end, "the pooler did not start");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        pooler
    }
}

/// The name of the user that a folder belongs to; of somebody without rights where it is no folder.
fn owner(place: &str) -> String {
    let name = std::process::Command::new("stat").args(["-c", "%U", place]).output().expect("coreutils");
    let name = String::from_utf8_lossy(&name.stdout).trim().to_owned();
    if name.is_empty() || name == "root" { "nobody".to_owned() } else { name }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
