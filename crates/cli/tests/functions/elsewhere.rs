//! Commands against a stack on another machine, which a public server passes them on to
//! (edge/CONTRACT.md G06 to G10).

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
};

use crate::{
    project::Project,
    support::{Stage, append, component},
};

/// The name by which everybody knows the stack.
const NAME: &str = "stack.school.example";

/// A project whose keys are its own: only such a stack answers to a public name.
fn with_own_keys() -> Project {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let keys = "[auth]\njwt_secret = \"a secret of this project alone, long enough\"\n\
        secret_key = \"sb_secret_of-this-project_alone0123\"\n\
        signing_keys_path = \"./signing_keys.json\"\n";
    assert!(text.contains("[auth]\n"), "{text}");
    std::fs::write(&path, text.replacen("[auth]\n", keys, 1)).expect("written");
    project.succeed(&["gen", "signing-key"]);
    project
}

/// A public server before the admin port, as one that has ended TLS: requests come by the stack's
/// public name.
fn public_server(admin: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let admin = admin.strip_prefix("http://").expect("an address without TLS").to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let admin = admin.clone();
            std::thread::spawn(move || pass_on(stream, &admin));
        }
    });
    address
}

/// One request, read to its end, and its answer.
fn pass_on(mut client: TcpStream, admin: &str) {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        let mut piece = [0; 64 << 10];
        let count = client.read(&mut piece).expect("a request");
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&piece[..count]);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).expect("a head in ASCII");
            let is_length = |line: &&str| line.to_ascii_lowercase().starts_with("content-length:");
            let length =
                head.lines().find(is_length).and_then(|line| line.split(':').nth(1)?.trim().parse().ok());
            if bytes.len() >= end + 4 + length.unwrap_or(0_usize) {
                break (head, bytes[end + 4..].to_vec());
            }
        }
    };
    let lines = head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("host:"));
    let head: String = lines.map(|line| format!("{line}\r\n")).collect();
    let head = format!("{head}host: {NAME}\r\nx-forwarded-host: {NAME}\r\nconnection: close\r\n\r\n");
    let mut stack = TcpStream::connect(admin).expect("the admin port");
    stack.write_all(&[head.as_bytes(), &body].concat()).expect("passed on");
    std::io::copy(&mut stack, &mut client).expect("passed back");
}

// rows: edge/G06 edge/G07 edge/G08 edge/G09 edge/G10 edge/V05
#[test]
fn a_stack_behind_a_public_name_is_deployed_to_with_its_token() {
    let server = Stage::of(with_own_keys(), &[]);
    let url = format!("http://{}", public_server(server.value("BANYAN_ADMIN_URL")));
    let token = std::fs::read_to_string(server.project.path().join("state/access-token")).expect("a token");
    let here = Project::new();
    append(&here, "banyan.toml", "[functions.greet]\ncomponent = \"greet.wasm\"\nverify_jwt = false\n");
    let at_server = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--url", &url, "--access-token", token.trim()]);
        here.succeed(&all).out
    };
    for (guest, version) in [("hello", "1"), ("mirror", "2")] {
        std::fs::copy(component(guest), here.path().join("supabase/greet.wasm")).expect("copied");
        let told = at_server(&["functions", "deploy", "greet"]);
        assert_eq!(
            told,
            format!(
                "Deployed Functions on project {}: greet\n",
                server.project.path().file_name().expect("a name").display()
            ),
            "{guest}"
        );
        let listed = at_server(&["functions", "list"]);
        let row: Vec<&str> = listed.lines().nth(2).expect("a row").split('|').map(str::trim).collect();
        assert_eq!(row[1..5], ["greet", "greet", "ACTIVE", version], "{listed}");
    }
    assert_eq!(server.get("/functions/v1/greet").json()["method"], "GET");
    assert!(at_server(&["functions", "rollback", "greet"]).contains("is served in version 1"));
    assert_eq!(server.get("/functions/v1/greet").body, "Hello World");
    at_server(&["secrets", "set", "MODEL_KEY=x"]);
    assert!(at_server(&["secrets", "list"]).contains("MODEL_KEY"));
    assert!(at_server(&["functions", "logs", "greet"]).contains("[greet]"));

    let wrong = here.run(&["functions", "list", "--url", &url, "--access-token", "sbp_wrong"]);
    assert!(
        wrong.notes.contains("refuses this access token") && wrong.notes.contains("`access-token`"),
        "{}",
        wrong.notes
    );
    let api = server.value("API_URL");
    let mistaken = here.run(&["functions", "list", "--url", api, "--access-token", token.trim()]);
    assert!(mistaken.code == 1 && mistaken.notes.contains("BANYAN_ADMIN_URL"), "{}", mistaken.notes);
    at_server(&["functions", "delete", "greet"]);
    assert_eq!(server.get("/functions/v1/greet").status, 404);
}

// rows: edge/G09
#[test]
fn with_the_demo_keys_no_public_name_leads_to_the_functions() {
    let server = Stage::start(&[], "", "");
    let url = format!("http://{}", public_server(server.value("BANYAN_ADMIN_URL")));
    let token = std::fs::read_to_string(server.project.path().join("state/access-token")).expect("a token");
    let refused = server.project.run(&["functions", "list", "--url", &url, "--access-token", token.trim()]);
    assert!(refused.code == 1 && refused.notes.contains("demo keys"), "{}", refused.notes);
}
