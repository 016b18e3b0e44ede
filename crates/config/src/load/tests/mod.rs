/// The section `[auth]`.
mod auth;

/// API keys and token keys.
mod keys;

/// What is wrong in the files, and how it is said.
mod mistakes;

/// The section `[realtime]`.
mod realtime;

/// The section `[storage]`.
mod storage;

/// Variables of the environment.
mod variables;

use secrecy::ExposeSecret as _;

use super::*;

fn load_text(config: &str, banyan: &str, variables: &[(&str, &str)]) -> Result<Loaded, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir(&supabase).expect("created");
    std::fs::write(supabase.join("config.toml"), config).expect("written");
    if !banyan.is_empty() {
        std::fs::write(supabase.join("banyan.toml"), banyan).expect("written");
    }
    load(folder.path(), Environment::of(variables.iter().copied()), 0)
}

/// A project whose application is for everybody.
const PUBLIC_SITE: &str = "[auth]\nsite_url = \"https://school.example\"\n";
/// What its developer says who means to show it with the demo keys, without a proxy.
const DEMO: &str = "[server]\ndemo_keys = true\n[auth]\nclient_address_header = \"none\"\n";
/// The warning that comes with it.
const KNOWN: &str = "banyan.toml: `server.demo_keys` lets others reach a stack whose `auth.jwt_secret` everybody knows: \
    whoever does so can read and change all that it holds";

/// The warning of a setting whose variable is not set.
fn not_set(key: &str, variable: &str) -> String {
    format!(
        "config.toml: `{key}`: environment variable {variable} is not set, or empty: {variable}=… in supabase/.env.local sets it"
    )
}

// rows: rest/config-supabase-local-defaults CFG-ORDER CFG-API
#[test]
fn an_empty_file_gives_the_documented_defaults() {
    let config = load_text("", "", &[]).expect("loads").config;
    assert_eq!(config.api.port, 54321);
    assert_eq!(config.api_url(), "http://127.0.0.1:54321");
    assert_eq!(config.auth.jwt_issuer, "http://127.0.0.1:54321/auth/v1");
    assert_eq!(config.auth.otp.length, 6);
    assert_eq!(config.local_smtp.port, 54324);
    assert_eq!(config.api.schemas, ["public", "graphql_public"]);
    assert_eq!(config.api.extra_search_path, ["public", "extensions"]);
    assert_eq!(config.api.max_rows, 1000);
}

#[test]
fn a_byte_order_mark_at_the_head_of_any_file_is_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir_all(supabase.join("functions")).expect("created");
    let template = "[auth.email.template.magic_link]\ncontent_path = \"supabase/mail.html\"\n";
    for (name, text) in [
        ("config.toml", format!("project_id = \"env(ID)\"\n{template}")),
        ("banyan.toml", "[server]\nmax_body = \"7MiB\"\n".to_owned()),
        ("mail.html", "<p>{{ .Token }}</p>".to_owned()),
        (".env", "ID=school\n".to_owned()),
        ("functions/.env", "MODEL_KEY=1\n".to_owned()),
    ] {
        std::fs::write(supabase.join(name), format!("\u{feff}{text}")).expect("written");
    }
    let Loaded { config, warnings, .. } = load(folder.path(), Environment::of([]), 0).expect("loads");
    assert_eq!((config.project_id.as_str(), warnings), ("school", Vec::new()));
    assert_eq!(config.server.max_body, 7 << 20);
    let mail = &config.auth.templates["magic_link"];
    assert_eq!(mail.content.as_deref(), Some("<p>{{ .Token }}</p>"));
    assert!(config.edge_runtime.secrets.contains_key("MODEL_KEY"));
}

// rows: CFG-SPELLINGS CFG-MAIL
#[test]
fn the_old_and_the_new_spelling_of_the_inbox_are_read() {
    for section in ["inbucket", "local_smtp"] {
        let config = load_text(&format!("[{section}]\nport = 1234\n"), "", &[]).expect("loads").config;
        assert_eq!(config.local_smtp.port, 1234, "{section}");
    }
}

// rows: CFG-UNUSED
#[test]
fn what_supabase_init_writes_loads_and_its_every_key_is_known() {
    let warnings =
        load_text(include_str!("../fixtures/supabase_init.toml"), "", &[]).expect("loads").warnings;
    let left: Vec<&String> =
        warnings.iter().filter(|warning| !warning.ends_with(" is not used by this version")).collect();
    assert_eq!(left, Vec::<&String>::new());
    assert!(warnings.len() > 5, "{warnings:?}");
}

// rows: CFG-UNUSED
#[test]
fn what_banyan_init_writes_loads_with_all_that_its_comments_offer() {
    let written = include_str!("../../../../cli/src/commands/init.toml").replace("{project_id}", "school");
    let offered = |line: &str| {
        line.strip_prefix("# ")
            .filter(|rest| rest.starts_with('[') || rest.contains(" = "))
            .map(str::to_owned)
    };
    let lines = written.lines().map(|line| offered(line).unwrap_or_else(|| line.to_owned()));
    // The template is the project's to write.
    let text: String =
        lines.filter(|line| !line.starts_with("content_path")).map(|line| line + "\n").collect();
    assert!(text.contains("\n[auth.email.template.magic_link]\nsubject"), "{text}");
    assert_eq!(load_text(&text, "", &[]).expect("loads").warnings, [""; 0]);
}

// rows: CFG-BANYAN
#[test]
fn both_files_describe_one_function() {
    let config = load_text(
        "[functions.hello]\nverify_jwt = false\n",
        "[functions.hello]\noutbound_hosts = [\"https://a.example\"]\nschedule = \"30s\"\n",
        &[],
    )
    .expect("loads")
    .config;
    let hello = &config.functions["hello"];
    assert!(!hello.verify_jwt);
    assert_eq!(hello.outbound_hosts[0].host, "a.example");
    assert_eq!(hello.schedule.map(|s| s.every.as_secs()), Some(30));
}

#[test]
fn a_function_has_no_span_of_nothing() {
    for key in ["schedule", "wall_clock", "body_idle"] {
        let banyan = format!("[functions.hello]\n{key} = \"0s\"\n");
        let error = load_text("", &banyan, &[]).expect_err("refused").to_string();
        assert!(error.starts_with(&format!("functions.hello.{key}")), "{error}");
    }
}

// rows: CFG-EDGE
#[test]
fn the_memory_of_all_functions_is_the_machines_business_unless_it_is_said() {
    let memory = |banyan: &str| load_text("", banyan, &[]).map(|loaded| loaded.config.edge_runtime.memory);
    assert_eq!(memory("").expect("loads"), None);
    assert_eq!(memory("[edge_runtime]\nmemory = \"2GiB\"\n").expect("loads"), Some(2 << 30));
    let error = memory("[edge_runtime]\nmemory = \"1MiB\"\n").expect_err("too little");
    assert!(error.to_string().starts_with("edge_runtime.memory"), "{error}");
}

// rows: CFG-PORT-OFFSET
#[test]
fn a_port_chosen_by_the_system_reaches_every_derived_address() {
    let mut config = load_text("[api]\nport = 0\n[auth]\nsite_url = \"https://school.example\"\n", DEMO, &[])
        .expect("loads")
        .config;
    config.listening_on(40_001);
    assert_eq!(config.api_url(), "http://127.0.0.1:40001");
    assert_eq!(config.auth.jwt_issuer, "http://127.0.0.1:40001/auth/v1");
    assert_eq!(config.auth.site_url, "https://school.example");
}

// rows: CFG-PORT-OFFSET
#[test]
fn addresses_that_are_given_out_are_those_that_listen() {
    for (host, origin) in [
        ("127.0.0.1", "http://127.0.0.1:"),
        ("127.0.0.2", "http://127.0.0.2:"),
        ("::1", "http://[::1]:"),
        ("0.0.0.0", "http://127.0.0.1:"),
        ("::", "http://127.0.0.1:"),
        ("192.168.1.5", "http://192.168.1.5:"),
    ] {
        let banyan = format!(
            "[server]\nhost = \"{host}\"\ndemo_keys = true\n[auth]\nclient_address_header = \"none\"\n"
        );
        let mut config = load_text("[api]\nport = 0\n", &banyan, &[]).expect("loads").config;
        config.listening_on(40_001);
        assert_eq!(config.api_url(), format!("{origin}40001"));
        assert_eq!(config.auth.external_url, format!("{origin}40001/auth/v1"), "as mails have it");
    }
    let set = load_text("[api]\nexternal_url = \"http://localhost:1\"\n", "[server]\nhost = \"::1\"\n", &[]);
    assert_eq!(set.expect("loads").config.api_url(), "http://localhost:1", "who sets it knows it");
}

// rows: CFG-EXPOSE
#[test]
fn new_tables_are_closed_unless_a_project_opens_them() {
    let exposes = |config: &str| load_text(config, "", &[]).expect("loads").config.api.auto_expose_new_tables;
    assert!(!exposes("") && !exposes("[api]\nauto_expose_new_tables = false\n"));
    assert!(exposes("[api]\nauto_expose_new_tables = true\n"));
}

// rows: CFG-STATE
#[test]
fn data_made_before_the_projects_folder_got_another_name_are_pointed_to() {
    let root = tempfile::tempdir().expect("a folder");
    let projects = tempfile::tempdir().expect("a folder");
    let project = |name: &str| projects.path().join(name);
    let place = |id: &str, name: &str| root.path().join(format!("{id}-{:08x}", fingerprint(&project(name))));
    let make = |id: &str, name: &str| {
        let paths = Paths { project: project(name), state: place(id, name), cache: PathBuf::new() };
        std::fs::create_dir(&paths.state).expect("made");
        paths.note_origin().expect("noted");
    };
    let lost = |id: &str| states_of(root.path(), id, &project("new")).lost;
    make("school", "old");
    make("school", "neighbour");
    std::fs::create_dir_all(project("neighbour").join("supabase")).expect("made");
    std::fs::write(project("neighbour").join("supabase/config.toml"), "").expect("written");
    let old = (place("school", "old"), project("old"));
    assert_eq!(lost("school"), std::slice::from_ref(&old), "a project that is there keeps its data");
    assert_eq!(lost("new"), [old], "its name was its id");
    let components = place("school", "new").join("components");
    std::fs::create_dir_all(&components).expect("made");
    assert_eq!(lost("school").len(), 1, "a build of functions is no data");
    std::fs::remove_dir_all(place("school", "new")).expect("removed");
    make("school", "new");
    assert_eq!(lost("school"), [], "it has data of its own by now");
}

// rows: cli/CLI-NEW-DATA
#[test]
fn the_hint_for_data_of_another_name_never_moves_them_into_a_folder() {
    let root = tempfile::tempdir().expect("a folder");
    let [state, place] = ["old", "new"].map(|name| root.path().join(name));
    let left = LeftData { state: state.clone(), made_for: "/srv/old".into(), place: place.clone() };
    let (from, to) = (state.display(), place.display());
    assert!(left.to_string().ends_with(&format!("\n  mv {from} {to}")), "{left}");
    std::fs::create_dir(&place).expect("made");
    assert!(left.to_string().ends_with(&format!("\n  mv {to} {to}.aside && mv {from} {to}")), "{left}");
}

// rows: CFG-STATE
#[test]
fn the_data_of_a_project_are_found_by_its_folder_whatever_its_id_is_by_now() {
    let root = tempfile::tempdir().expect("a folder");
    let (school, other) = (Path::new("/srv/school"), Path::new("/srv/other"));
    let name = |id: &str, project| format!("{id}-{:08x}", fingerprint(project));
    let of = |id: &str| states_of(root.path(), id, school).all;
    assert_eq!(of("new"), [root.path().join(name("new", school))]);
    let packed = root.path().join(name("packed", school));
    std::fs::write(&packed, "").expect("written");
    std::os::unix::fs::symlink("/", root.path().join(name("link", school))).expect("linked");
    for folder in [name("other", other), name("old", school)] {
        std::fs::create_dir(root.path().join(folder)).expect("made");
    }
    assert_eq!(of("new"), [root.path().join(name("old", school))], "not an empty one beside it");
    std::fs::create_dir(root.path().join(name("new", school))).expect("made");
    assert_eq!(of("new"), ["new", "old"].map(|id| root.path().join(name(id, school))));
    assert_eq!(of("third").len(), 2, "the last used of both comes first");
}

// rows: CFG-STATE
#[test]
fn data_that_were_moved_or_copied_are_named_and_not_used() {
    let root = tempfile::tempdir().expect("a folder");
    let school = Path::new("/srv/school");
    let place = |id: &str| root.path().join(format!("{id}-{:08x}", fingerprint(school)));
    let make = |id: &str| {
        let paths = Paths { project: school.to_owned(), state: place(id), cache: PathBuf::new() };
        std::fs::create_dir(&paths.state).expect("made");
        paths.note_origin().expect("noted");
        paths.note_origin().expect("noted before");
    };
    make("school");
    assert_eq!(states_of(root.path(), "new", school).all, [place("school")], "as it was made");
    std::fs::rename(place("school"), place("broken-school")).expect("moved");
    let States { all, moved, .. } = states_of(root.path(), "school", school);
    assert_eq!((all, moved), (vec![place("school")], vec![place("broken-school")]));
    make("school");
    let elsewhere = states_of(root.path(), "school", school);
    assert_eq!((elsewhere.all, elsewhere.moved), (vec![place("school")], vec![place("broken-school")]));
}

// rows: CFG-FILTER db/PG-SAFE-UPDATES
#[test]
fn changes_without_a_filter_are_refused_unless_the_project_asks_for_them() {
    let asks = |banyan: &str| {
        let loaded = load_text("", banyan, &[]).expect("loaded");
        assert_eq!(loaded.warnings, Vec::<String>::new());
        crate::postgrest::Layers::of_stack(&loaded.config.api).check(&[]).expect("options").unfiltered_writes
    };
    assert!(!asks(""), "the stack");
    assert!(asks("[api]\nunfiltered_writes = true\n"), "a project that means it");
    let alone = crate::postgrest::Layers::read(None, &Environment::of([])).expect("read");
    assert!(
        alone.check(&[]).expect("options").unfiltered_writes,
        "the data API by itself, as PostgREST has it"
    );
}

// rows: CFG-OFF
#[test]
fn a_service_may_be_switched_off_and_none_is_by_default() {
    let enabled = |config: &str| {
        let config = load_text(config, "", &[]).expect("loads").config;
        (config.api.enabled, config.auth.enabled, config.edge_runtime.enabled)
    };
    assert_eq!(enabled(""), (true, true, true));
    assert_eq!(enabled("[api]\nenabled = false\n"), (false, true, true));
    assert_eq!(enabled("[auth]\nenabled = false\n"), (true, false, true));
    assert_eq!(enabled("[edge_runtime]\nenabled = false\n"), (true, true, false));
}

// rows: CFG-DB
#[test]
fn the_database_section_of_an_empty_file_gives_the_documented_defaults() {
    let database = load_text("", "", &[]).expect("loads").config.database;
    assert_eq!((database.port, database.major_version), (54322, 17));
    assert!(database.migrations_enabled && database.seed.enabled);
    assert_eq!(database.seed.sql_paths, ["./seed.sql"]);
}

// rows: CFG-PROJECT
#[test]
fn the_project_is_the_nearest_folder_above_and_is_called_by_its_id_or_by_its_folder() {
    let outer = tempfile::tempdir().expect("a folder");
    let school = outer.path().join(".my school!");
    for (project, config) in [(outer.path(), "project_id = \"-_outer/1\"\n"), (&school, "")] {
        std::fs::create_dir_all(project.join("supabase/functions")).expect("created");
        std::fs::write(project.join("supabase/config.toml"), config).expect("written");
    }
    let found = |start: &Path| {
        let config = load(start, Environment::of([]), 0).expect("loads").config;
        (config.project_id, config.paths.project)
    };
    let inner = school.join("supabase/functions");
    for start in [&school, &inner] {
        assert_eq!(found(start), ("my_school_".to_owned(), school.clone()), "{}", start.display());
    }
    let beside = outer.path().join("supabase/functions");
    assert_eq!(found(&beside), ("outer_1".to_owned(), outer.path().to_owned()));
    let nowhere = tempfile::tempdir().expect("a folder");
    assert!(matches!(load(nowhere.path(), Environment::of([]), 0), Err(ConfigError::NoProject(_))));
}
