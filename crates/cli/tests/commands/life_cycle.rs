use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::Stdio,
};

use rustix::process::Signal;

use crate::project::{Project, signal};

// rows: CLI-START CLI-START-STEPS CLI-STOP
#[test]
fn start_is_idempotent_and_stop_keeps_the_data() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.notes (body text);");
    assert_eq!(project.run(&["status"]).code, 1);

    let first = project.succeed(&["start"]);
    assert!(first.notes.contains("✓ 1 migration is applied"), "{}", first.notes);
    assert!(first.out.contains("Mail inbox"), "{}", first.out);
    assert!(project.succeed(&["start"]).notes.contains("start is already running."));
    project.query("insert into public.notes values ('kept')");
    assert_eq!(project.succeed(&["stop"]).notes.trim(), "Stopped banyan local development setup.");
    assert_eq!(project.run(&["status"]).code, 1);
    let none = project.succeed(&["stop"]).notes;
    assert!(none.starts_with("No stack of this project was running with data in /"), "{none}");

    let second = project.succeed(&["start"]);
    assert!(!second.notes.contains("Applying"), "{}", second.notes);
    assert_eq!(project.query("select body from public.notes")[0]["body"], "kept");
    let told = project.succeed(&["stop", "--no-backup"]).notes;
    assert!(told.starts_with("Deleted the data in ") && told.contains("/state."), "{told}");
    assert!(!project.path().join("state/postgres").exists());
}

// rows: CLI-UNSET
#[test]
fn a_variable_that_a_start_needs_ends_no_other_command() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let smtp = "\n[auth.email.smtp]\nhost = \"a.example\"\nuser = \"a\"\nadmin_email = \"a@a.example\"\npass = \"env(SMTP_PASS)\"\n";
    std::fs::write(&path, text + smtp).expect("written");
    project.succeed(&["migration", "new", "notes"]);
    let refused = project.run(&["start"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.notes.contains("auth.email.smtp.pass: environment variable SMTP_PASS"),
        "{}",
        refused.notes
    );
}

// rows: CLI-LOG
#[test]
fn the_log_says_of_each_run_who_ended_it() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    signal(project.pid(), Signal::TERM);
    for tries in 0.. {
        if project.run(&["status"]).code != 0 {
            break;
        }
        assert!(tries < 1_500, "it ends when it is told to");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    project.succeed(&["start"]);
    let log = std::fs::read_to_string(project.path().join("state/banyan.log")).expect("a log");
    let lines: Vec<serde_json::Value> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let said = |message: &str| lines.iter().filter(|line| line["message"] == message).collect::<Vec<_>>();
    assert_eq!(said("starting").len(), 3, "{log}");
    let stops = said("stopping");
    assert_eq!((stops.len(), &stops[0]["signal"]), (2, &"SIGTERM".into()), "{log}");
    assert!(stops[0]["asked_by"].as_str().is_some_and(|by| by.starts_with("banyan stop (process ")), "{log}");
    assert_eq!((&stops[1]["signal"], &stops[1]["asked_by"]), (&"SIGTERM".into(), &"unknown".into()), "{log}");
    assert!(!log.contains("Stopping..."), "each line is JSON: {log}");
}

// rows: CLI-STOP-MISTAKES
#[test]
fn a_stop_stops_although_the_configuration_is_wrong_by_now() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let right = std::fs::read_to_string(&path).expect("read");
    let postmaster = project.path().join("state/postgres/data/postmaster.pid");
    for (wrong, told, is_killed) in [
        ("[auth.hook.school]\nenabled = \"x\"\n", "WARN: auth.hook.school: there is no such hook", false),
        ("[auth.sms]\nenabled = 's3cret\n", "config.toml: line ", true),
    ] {
        project.succeed(&["start"]);
        let pid = project.pid();
        std::fs::write(&path, format!("{right}\n{wrong}")).expect("written");
        assert_eq!(project.run(&["start"]).code, 1, "{wrong}");
        for command in [&["status"][..], &["functions", "list"]] {
            let said = project.run(command);
            assert_eq!(said.code, 1, "{command:?}");
            let runs = format!("(process {pid}), with the settings that it began with.");
            assert!(said.notes.trim_end().ends_with(&runs), "{}", said.notes);
        }
        if is_killed {
            signal(pid, Signal::KILL);
        }
        let stopped = project.succeed(&["stop"]).notes;
        assert!(stopped.contains(told) && stopped.contains("WARN: "), "{stopped}");
        assert!(!stopped.contains("s3cret"), "{stopped}");
        assert!(!postmaster.exists(), "PostgreSQL ended as well");
        std::fs::write(&path, &right).expect("written");
        assert_eq!(project.run(&["status"]).code, 1, "{wrong}");
    }
}

// rows: CLI-NEW-DATA
#[test]
fn data_of_a_project_whose_folder_was_renamed_are_not_hidden_by_new_ones() {
    // Only root's data are kept outside of the project's folder.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let projects = Project::new();
    let id = format!("renamed-{}", std::process::id());
    let run = |name: &str, arguments: &[&str]| {
        let mut command = projects.command(arguments);
        command.env_remove("BANYAN_HOME").current_dir(projects.path().join(name));
        let output = command.output().expect("the binary runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).expect("text"))
    };
    let supabase = projects.path().join("old/supabase");
    std::fs::create_dir_all(&supabase).expect("made");
    std::fs::write(supabase.join("config.toml"), format!("project_id = \"{id}\"\n")).expect("written");
    let (started, said) = run("old", &["start"]);
    assert!(started, "{said}");
    run("old", &["db", "query", "create table public.kept as select 1 as id"]);
    run("old", &["stop"]);
    std::fs::rename(projects.path().join("old"), projects.path().join("new")).expect("renamed");
    for _ in 0..2 {
        let (started, said) = run("new", &["start"]);
        assert!(!started && said.contains("banyan start --new-data"), "{said}");
    }
    let (_, said) = run("new", &["serve"]);
    let way = said.lines().find_map(|line| line.strip_prefix("  mv ")).expect("a way out");
    let (old, new) = way.split_once(' ').expect("two folders");
    assert!(!std::path::Path::new(new).exists(), "nothing was made");
    std::fs::rename(old, new).expect("followed");
    let (started, said) = run("new", &["start"]);
    assert!(started, "{said}");
    let (_, kept) = run("new", &["db", "query", "select id from public.kept"]);
    run("new", &["stop"]);
    std::fs::rename(projects.path().join("new"), projects.path().join("third")).expect("renamed");
    let (is_hidden, again) = run("third", &["start"]);
    let (has_new_data, said) = run("third", &["start", "--new-data"]);
    run("third", &["stop", "--no-backup"]);
    let (is_hidden_by_nothing, once_more) = run("third", &["start"]);
    let root = std::fs::read_dir("/var/lib/banyan").expect("there").flatten();
    for state in root.filter(|state| state.file_name().to_string_lossy().starts_with(&id)) {
        std::fs::remove_dir_all(state.path()).expect("removed");
    }
    assert!(kept.contains('1'), "{kept}");
    assert!(!is_hidden && again.contains("banyan start --new-data"), "after another name: {again}");
    assert!(has_new_data, "{said}");
    let is_told = once_more.contains("banyan start --new-data");
    assert!(!is_hidden_by_nothing && is_told, "the new data are gone: {once_more}");
}

/// What is said at the start of a hook that calls a function which is not there.
const MISSING_HOOK: &str =
    "WARN: config.toml: `auth.hook.before_user_created` calls public.judge, and none is known";

fn with_missing_hook(project: &Project) {
    let path = project.path().join("supabase/config.toml");
    let config = std::fs::read_to_string(&path).expect("read");
    let hook =
        "\n[auth.hook.before_user_created]\nenabled = true\nuri = \"pg-functions://postgres/public/judge\"\n";
    std::fs::write(path, config + hook).expect("written");
}

// rows: auth/HK2
#[test]
fn a_hook_that_cannot_be_called_is_named_at_the_start() {
    let project = Project::new();
    with_missing_hook(&project);
    let first = project.succeed(&["start"]);
    let sentence = MISSING_HOOK;
    assert!(first.notes.contains(sentence), "{}", first.notes);
    project.migration(
        "20260101000000",
        "create function public.judge(event jsonb) returns jsonb return '{}'::jsonb;
        grant execute on function public.judge to supabase_auth_admin;",
    );
    project.succeed(&["stop"]);
    let pending = project.succeed(&["start"]).notes;
    assert!(
        pending.contains("WARN: 1 migration is not applied yet") && pending.contains(sentence),
        "{pending}"
    );
    project.succeed(&["migration", "up"]);
    project.succeed(&["stop"]);
    let second = project.succeed(&["start"]);
    assert!(!second.notes.contains("judge"), "{}", second.notes);
}

// rows: auth/M37 auth/M38
#[test]
fn a_template_that_is_wrong_is_told_with_the_settings_before_anything_runs() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let config = std::fs::read_to_string(&path).expect("read");
    let subject = |text: &str| {
        let section = format!("\n[auth.email.template.magic_link]\nsubject = \"{text}\"\n");
        std::fs::write(&path, format!("{config}{section}")).expect("written");
    };
    subject("{{ .Token");
    let refused = project.run(&["start"]);
    let problem = "auth.email.template.magic_link.subject: this template cannot be used: ";
    assert!(refused.code == 1 && refused.notes.starts_with(problem), "{}", refused.notes);
    subject("{{ .token }}");
    let said = project.succeed(&["start"]).notes;
    let doubt =
        "WARN: config.toml: `auth.email.template.magic_link.subject` names {{ .token }}, which no mail has";
    assert!(said.contains(doubt) && said.contains("did you mean {{ .Token }}?"), "{said}");
}

// rows: CLI-STATUS
#[test]
fn status_gives_addresses_that_answer() {
    let project = Project::new();
    std::fs::create_dir(project.path().join("site")).expect("a folder");
    std::fs::write(project.path().join("site/index.html"), "<h1>School</h1>").expect("written");
    std::fs::write(project.path().join("supabase/banyan.toml"), "[server]\nsite = \"../site\"\n")
        .expect("written");
    project.succeed(&["start"]);
    let status = project.status();
    for name in ["API_URL", "MAILPIT_URL", "BANYAN_ADMIN_URL"] {
        let address = status[name].as_str().and_then(|url| url.strip_prefix("http://")).expect(name);
        TcpStream::connect(address).expect(name);
    }
    let shown = project.succeed(&["status"]).out;
    let sign_in = format!("{}/auth", status["API_URL"].as_str().expect("a URL"));
    for line in ["App ", "Sign in ", "Mail inbox ", &sign_in] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let env = project.succeed(&["status", "-o", "env", "--override-name", "auth.anon_key=MY_KEY"]).out;
    assert!(env.contains("\nMY_KEY=\"eyJ") && !env.contains("ANON_KEY="), "{env}");
    assert!(env.contains("DB_URL=\"postgresql://postgres:postgres@127.0.0.1:"), "{env}");
}

// rows: CLI-STATUS
#[test]
fn status_gives_the_address_that_listens() {
    for host in ["127.0.0.2", "::1"] {
        let is_there = TcpListener::bind((host, 0)).is_ok();
        if !is_there {
            continue;
        }
        let project = Project::new();
        let banyan = format!("[server]\nhost = \"{host}\"\n");
        std::fs::write(project.path().join("supabase/banyan.toml"), banyan).expect("written");
        project.succeed(&["start"]);
        let status = project.status();
        let address = status["API_URL"].as_str().and_then(|url| url.strip_prefix("http://")).expect("a URL");
        assert!(asked_as(address, address).starts_with("HTTP/1.1 200"), "{address}");
    }
}

// rows: local/LOC-VERSION
#[test]
fn without_the_wanted_version_nothing_is_made_with_another() {
    let project = Project::new();
    // One that nobody can have, wherever an installed one may be found.
    let start = project.command(&["start"]).env("SUPABASE_DB_MAJOR_VERSION", "99").output();
    let start = start.expect("the binary runs");
    let said = String::from_utf8_lossy(&start.stderr);
    assert!(!start.status.success() && said.contains("PostgreSQL 99"), "{said}");
    assert!(!project.path().join("state/postgres/data").exists(), "{said}");
}

// rows: CLI-TAKE-OVER
#[test]
fn a_killed_stack_loses_nothing_and_its_postgresql_is_taken_over() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.query("create table public.kept as select 1 as id");
    // At once, as a supervisor does: the killed process still holds its lock for a moment.
    signal(project.pid(), Signal::KILL);
    let again = project.succeed(&["start"]);
    assert!(again.notes.contains("Taking over PostgreSQL"), "{}", again.notes);
    assert_eq!(project.query("select id from public.kept")[0]["id"], 1);
}

// rows: CLI-TAKE-OVER
#[test]
fn a_killed_postgresql_comes_back_by_itself() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.query("create table public.kept as select 1 as id");
    let file = project.path().join("state/postgres/data/postmaster.pid");
    let postmaster = || std::fs::read_to_string(&file).ok()?.lines().next()?.parse::<i32>().ok();
    let killed = postmaster().expect("a process id");
    signal(killed, Signal::KILL);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        assert!(std::time::Instant::now() < end, "PostgreSQL did not come back");
        let back = postmaster().is_some_and(|pid| pid != killed);
        if back && project.run(&["db", "query", "select 1"]).code == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(project.query("select id from public.kept")[0]["id"], 1);
}

// rows: CLI-SERVE server/GW-STOP
#[test]
fn serve_stays_in_the_foreground_and_stops_in_order_on_sigterm() {
    let project = Project::new();
    with_missing_hook(&project);
    let notes = project.path().join("notes");
    let mut serve = project
        .command(&["serve"])
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&notes).expect("a file"))
        .spawn()
        .expect("the binary runs");
    let mut out = BufReader::new(serve.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let said: Vec<String> = out.by_ref().take_while(|line| !line.contains("Mail inbox")).collect();
    assert!(!said.iter().any(|line| line.contains("WARN")), "{said:?}");
    let notes = std::fs::read_to_string(notes).expect("a text");
    assert!(notes.contains(MISSING_HOOK), "warnings are no results: {notes}");
    let second = project.run(&["serve"]);
    assert!(second.notes.contains("runs this project already"), "{}", second.notes);
    assert!(second.notes.contains("; `banyan stop` ends it"), "{}", second.notes);
    signal(serve.id().cast_signed(), Signal::TERM);
    assert!(serve.wait().expect("ended").success());
    let notes = std::fs::read_to_string(project.path().join("notes")).expect("a text");
    let last = notes.lines().last().expect("a line");
    let last: serde_json::Value = serde_json::from_str(last).expect("without a terminal the log is JSON");
    assert_eq!((&last["message"], &last["signal"]), (&"stopping".into(), &"SIGTERM".into()), "{notes}");
    assert!(!project.path().join("state/postgres/data/postmaster.pid").exists());
    assert!(!project.path().join("state/running.json").exists());
}

// rows: CLI-START-STEPS CLI-LOG-FORM
#[test]
fn on_a_terminal_serve_writes_its_steps_a_box_and_a_short_line_for_each_request() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.notes (body text);");
    let serve = project.command(&["serve"]);
    // Of Debian's package bsdutils, which every installation has.
    let mut terminal = std::process::Command::new("script");
    let program = serve.get_program().to_string_lossy().into_owned();
    terminal.args(["-qec", &format!("{program} serve"), "/dev/null"]).current_dir(project.path());
    terminal.envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))));
    terminal.env("TERM", "xterm").env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut terminal = terminal.spawn().expect("`script` gives a terminal");
    let begun = std::time::Instant::now();
    while project.run(&["status"]).code != 0 {
        assert!(terminal.try_wait().expect("asked").is_none(), "it ended");
        assert!(begun.elapsed() < std::time::Duration::from_secs(120), "it does not come up");
    }
    let status = project.status();
    let address = status["API_URL"].as_str().and_then(|url| url.strip_prefix("http://")).expect("a URL");
    asked(address, "GET /realtime/v1/bucket?token=s3cret&apikey=s3cret", &format!("Host: {address}"));
    project.succeed(&["stop"]);
    let mut said = String::new();
    terminal.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    terminal.wait().expect("it ended");
    for part in ["✓ PostgreSQL is ready", "✓ 1 migration is applied", "│ Mail inbox", "sb_publishable_"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let line = said.lines().find(|line| line.contains("/realtime/v1/bucket")).expect("a line");
    assert!(
        line.contains(" GET ") && line.contains("\x1b[33m404\x1b[0m") && line.ends_with(" ms"),
        "{line:?}"
    );
    assert!(!said.contains("s3cret") && !said.contains("{\""), "{said}");
}

// rows: CLI-PORTS
#[test]
fn a_taken_port_is_named_with_its_holder() {
    let project = Project::new();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let output =
        project.command(&["start"]).env("SUPABASE_API_PORT", &port).output().expect("the binary runs");
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        notes.contains(&format!("api.port wants port {port}, which process {}", std::process::id())),
        "{notes}"
    );
}

// rows: CLI-PORTS local/LOC-LOCK
#[test]
fn two_projects_run_at_once() {
    let (one, two) = (Project::new(), Project::new());
    one.succeed(&["start"]);
    two.succeed(&["start"]);
    assert_ne!(one.status()["API_URL"], two.status()["API_URL"]);
    one.query("create table public.mine (id int)");
    assert_eq!(two.query("select to_regclass('public.mine') as found")[0]["found"], serde_json::Value::Null);
}

// rows: CLI-INIT
#[test]
fn init_refuses_to_overwrite() {
    let project = Project::new();
    let again = project.run(&["init"]);
    assert!(again.code == 1 && again.notes.contains("--force"), "{}", again.notes);
    let ignored = std::fs::read_to_string(project.path().join("supabase/.gitignore")).expect("written");
    for secret in [".env.local", "signing_keys.json"] {
        assert!(ignored.lines().any(|line| line == secret), "{secret} is not in {ignored}");
    }
    assert_eq!(project.succeed(&["init", "--force"]).out, "Finished supabase init.\n");
}

/// The answer to a look at the auth service under a name.
fn asked_as(address: &str, host: &str) -> String {
    asked(address, "GET /auth/v1/health", &format!("Host: {host}"))
}

/// The answer to a page of another origin.
fn asked_from(address: &str, what: &str, origin: &str) -> String {
    let asks = "Access-Control-Request-Method: POST";
    asked(address, what, &format!("Host: {address}\r\nOrigin: {origin}\r\n{asks}"))
}

fn asked(address: &str, what: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "{what} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

// rows: server/GW-DEMO-NAMES server/GW-PAGES server/GW-NOSNIFF
#[test]
fn with_the_demo_keys_only_this_machines_names_and_pages_are_answered() {
    let project = Project::new();
    let start = || {
        let notes = project.succeed(&["start"]).notes;
        let url = project.status()["API_URL"].as_str().expect("a URL").to_owned();
        (notes, url.strip_prefix("http://").expect("plain HTTP").to_owned())
    };
    let (notes, address) = start();
    assert!(!notes.contains("demo_keys"), "{notes}");
    assert!(asked_as(&address, &address).starts_with("HTTP/1.1 200"));
    let refused = asked_as(&address, "school.example");
    assert!(refused.starts_with("HTTP/1.1 421") && refused.contains("auth.jwt_secret"), "{refused}");
    only_pages_of_the_project_are_answered(&address);
    project.succeed(&["stop"]);
    std::fs::write(project.path().join("supabase/banyan.toml"), "[server]\ndemo_keys = true\n")
        .expect("written");
    let (notes, address) = start();
    assert!(notes.contains("WARN: banyan.toml: `server.demo_keys`"), "{notes}");
    assert!(asked_as(&address, "school.example").starts_with("HTTP/1.1 200"));
    only_pages_of_the_project_are_answered(&address);
}

fn only_pages_of_the_project_are_answered(address: &str) {
    for foreign in ["https://evil.example", "null"] {
        let refused = asked_from(address, "GET /auth/v1/health", foreign);
        assert!(refused.starts_with("HTTP/1.1 403"), "{foreign}: {refused}");
        assert!(refused.contains("auth.additional_redirect_urls"), "{refused}");
        assert!(refused.contains("access-control-allow-origin"), "the page reads why: {refused}");
        assert!(
            asked_from(address, "OPTIONS /auth/v1/health", foreign).starts_with("HTTP/1.1 204"),
            "{foreign}"
        );
    }
    let returned = asked_from(address, "POST /auth/v1/callback", "https://appleid.apple.com");
    assert!(!returned.starts_with("HTTP/1.1 403"), "a provider's page may return: {returned}");
    let own = asked_from(address, "GET /auth/v1/health", "http://localhost:5173");
    assert!(own.starts_with("HTTP/1.1 200") && own.contains("x-content-type-options: nosniff"), "{own}");
    no_foreign_frame_is_answered(address);
}

fn no_foreign_frame_is_answered(address: &str) {
    let visit = |path: &str, dest: &str| {
        let fetch =
            format!("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: {dest}");
        asked(address, &format!("GET {path}"), &format!("Host: {address}\r\n{fetch}"))
    };
    for path in [
        "/rest/v1/",
        "/rest-admin/v1/ready",
        "/functions/v1/hello",
        "/mail/v1/send",
        "/auth/v1/authorize?provider=google",
        "/auth/v1/verify?type=signup&token=1",
        "/auth/v1/callback",
    ] {
        let framed = visit(path, "iframe");
        assert!(framed.starts_with("HTTP/1.1 403"), "{path}: {framed}");
        let seen = visit(path, "document");
        assert!(!seen.contains("public demo keys"), "{path}: {seen}");
    }
    let app = visit("/", "iframe");
    assert!(app.contains("frame-ancestors 'none'") && app.contains("x-frame-options: DENY"), "{app}");
}
