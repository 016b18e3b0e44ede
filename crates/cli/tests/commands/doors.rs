//! Who gets into the embedded PostgreSQL, by which door and with which password (stack.md 4.1).

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};

use crate::project::Project;

/// Roles that the stack alone logs in as.
const OURS: [&str; 5] = [
    "supabase_admin",
    "authenticator",
    "supabase_auth_admin",
    "supabase_storage_admin",
    "supabase_realtime_admin",
];

/// What every local stack of the supabase CLI has for `postgres`.
const PUBLISHED: &str = "postgres";

/// The ways into the server of a project: its socket, TCP plain and encrypted, and the other family
/// of addresses.
struct Doors {
    socket: PgConnectOptions,
    tcp: [PgConnectOptions; 3],
}

impl Doors {
    fn of(project: &Project) -> Self {
        let (folder, port) = project.socket();
        let base = PgConnectOptions::new_without_pgpass().database("postgres").port(port);
        let to = |host: &str, mode| base.clone().host(host).ssl_mode(mode);
        Self {
            socket: base.clone().socket(folder),
            tcp: [
                to("127.0.0.1", PgSslMode::Disable),
                to("127.0.0.1", PgSslMode::Require),
                to("::1", PgSslMode::Disable),
            ],
        }
    }
}

async fn gets_in(door: &PgConnectOptions, role: &str, password: &str) -> bool {
    door.clone().username(role).password(password).connect().await.is_ok()
}

/// Every role at every door. What `status` gives for `postgres` is what opens.
async fn check(project: &Project) {
    let doors = Doors::of(project);
    for role in OURS {
        let own = project.password(role);
        assert!(gets_in(&doors.socket, role, &own).await, "{role} by the socket");
        assert!(!gets_in(&doors.socket, role, PUBLISHED).await, "{role} by the socket, published");
        for (place, door) in doors.tcp.iter().enumerate() {
            for password in [&own, PUBLISHED] {
                assert!(!gets_in(door, role, password).await, "{role} over TCP, way {place}");
            }
        }
    }
    let of_people = project.password("postgres");
    let url = project.status()["DB_URL"].as_str().expect("a URL").to_owned();
    assert!(url.starts_with(&format!("postgresql://postgres:{of_people}@127.0.0.1:")), "{url}");
    for door in [&doors.socket, &doors.tcp[0], &doors.tcp[1]] {
        assert!(gets_in(door, "postgres", &of_people).await, "people come in");
        assert_eq!(gets_in(door, "postgres", PUBLISHED).await, of_people == PUBLISHED);
    }
    assert_eq!(project.query("select current_user as who")[0]["who"], "postgres");
}

#[tokio::test]
async fn stack_4_1_on_a_new_folder_the_stacks_logins_come_by_the_socket_alone() {
    let project = Project::new();
    project.succeed(&["start"]);
    check(&project).await;
    assert_eq!(project.password("postgres"), PUBLISHED, "as the CLI's, with the demo keys");
    check_where_secrets_stand(&project);
}

/// In the list alone, which its owner alone may read: in no log, and in no process's command line
/// or environment.
fn check_where_secrets_stand(project: &Project) {
    let state = project.path().join("state");
    let mode = std::fs::metadata(state.join("postgres.passwords")).expect("a list").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let postmaster = std::fs::read_to_string(state.join("postgres/data/postmaster.pid")).expect("it runs");
    let postmaster = postmaster.lines().next().expect("an id").to_owned();
    let mut places: Vec<_> =
        ["banyan.log", "postgres.log", "running.json"].map(|file| state.join(file)).into();
    for pid in [postmaster, project.pid().to_string()] {
        places.extend(["cmdline", "environ"].map(|file| format!("/proc/{pid}/{file}").into()));
    }
    for place in places {
        let text = std::fs::read(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let text = String::from_utf8_lossy(&text);
        for role in OURS {
            assert!(!text.contains(&project.password(role)), "{} in {}", role, place.display());
        }
    }
}

async fn superuser(project: &Project) -> PgConnection {
    let own = project.password("supabase_admin");
    Doors::of(project).socket.username("supabase_admin").password(&own).connect().await.expect("connected")
}

#[tokio::test]
async fn stack_4_1_on_a_folder_of_an_earlier_version_passwords_are_made_and_doors_closed() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.query("create table public.kept as select 1 as id");
    as_an_earlier_version_left_it(&project).await;
    let doors = Doors::of(&project);
    for role in OURS.into_iter().chain(["postgres"]) {
        assert!(gets_in(&doors.tcp[0], role, PUBLISHED).await, "{role} as it was");
    }
    let said = project.succeed(&["db", "query", "select 1"]);
    assert!(said.out.contains('1'), "commands reach what an earlier version runs: {}", said.out);
    // The stack is killed, and its PostgreSQL goes on.
    crate::project::signal(project.pid(), rustix::process::Signal::KILL);
    let said = project.succeed(&["start"]).notes;
    assert!(said.contains("Renewing the passwords of the database..."), "{said}");
    check(&project).await;
    assert_eq!(project.query("select id from public.kept")[0]["id"], "1");

    project.succeed(&["stop"]);
    with_keys_of_its_own(&project);
    project.succeed(&["start"]);
    check(&project).await;
    assert_ne!(project.password("postgres"), PUBLISHED, "a project with keys of its own");
    check_where_secrets_stand(&project);
    let list = project.password("supabase_admin");
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    assert_eq!(project.password("supabase_admin"), list, "they stay");
}

/// Every role has the published password, every door is open, and there is no list.
async fn as_an_earlier_version_left_it(project: &Project) {
    let mut admin = superuser(project).await;
    for role in OURS.into_iter().chain(["postgres"]) {
        let statement = format!("alter role {role} password '{PUBLISHED}'");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut admin).await.expect(role);
    }
    let state = project.path().join("state");
    let access = "# Written by banyan at every start.
local all         all                scram-sha-256
host  all         all 127.0.0.1/32   scram-sha-256
host  all         all ::1/128        scram-sha-256
local replication all                scram-sha-256
host  replication all 127.0.0.1/32   scram-sha-256
host  replication all ::1/128        scram-sha-256
";
    std::fs::write(state.join("postgres.hba"), access).expect("written");
    std::fs::remove_file(state.join("postgres.passwords")).expect("removed");
    sqlx::raw_sql("select pg_reload_conf()").execute(&mut admin).await.expect("done");
    // The server reads the file when it comes to it.
    let tcp = Doors::of(project).tcp[0].clone();
    for _ in 0..500 {
        if gets_in(&tcp, "supabase_admin", PUBLISHED).await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the doors stay closed");
}

fn with_keys_of_its_own(project: &Project) {
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let keys = "[auth]\nsigning_keys_path = \"./signing_keys.json\"\njwt_secret = \"a-secret-of-this-test-that-is-long-enough\"\n\
        secret_key = \"sb_secret_of_this_test_alone\"\n";
    std::fs::write(&path, text.replacen("[auth]\n", keys, 1)).expect("written");
    project.succeed(&["gen", "signing-key"]);
    let keys: Value = serde_json::from_slice(
        &std::fs::read(project.path().join("supabase/signing_keys.json")).expect("read"),
    )
    .expect("JSON");
    assert_eq!(keys.as_array().map(Vec::len), Some(1));
}
