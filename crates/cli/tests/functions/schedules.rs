//! Functions that the stack calls by itself (edge/CONTRACT.md W08, product decision D17).

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{
    project::Project,
    support::{Stage, append, component},
};

const EVERY: Duration = Duration::from_secs(1);

/// Notes when it is called.
fn listener() -> (SocketAddr, Arc<Mutex<Vec<Instant>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let calls = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&calls);
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            noted.lock().expect("no panic").push(Instant::now());
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
        }
    });
    (address, calls)
}

/// The next calls, once there are so many.
fn next(calls: &Mutex<Vec<Instant>>, count: usize) -> Vec<Instant> {
    calls.lock().expect("no panic").clear();
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let noted = calls.lock().expect("no panic").clone();
        if noted.len() >= count {
            return noted;
        }
        assert!(Instant::now() < end, "{} of {count} calls came", noted.len());
        thread::sleep(Duration::from_millis(50));
    }
}

// rows: edge/W08
#[test]
fn of_two_nodes_one_calls_the_function_in_each_interval_and_the_other_goes_on_alone() {
    let (outside, calls) = listener();
    let config = format!("[functions.tick.env]\nTARGET = \"http://{outside}/\"\n");
    let banyan = format!(
        "[functions.tick]\nschedule = \"1s\"\nroles = [\"service_role\"]\noutbound_hosts = [\"http://{outside}\"]\n"
    );
    let first = Stage::start(&[("tick", "caller")], &config, &banyan);
    let second = Project::new();
    append(&second, "config.toml", &config);
    append(&second, "banyan.toml", &banyan);
    let components = second.path().join("state/components");
    std::fs::create_dir_all(&components).expect("made");
    std::fs::copy(component("caller"), components.join("tick.wasm")).expect("copied");
    // The second one gives its logins a password that it makes of the superuser's, but `postgres`
    // only where it has none.
    first.project.succeed(&["db", "query", "alter role postgres password null"]);
    let database = first.project.superuser_url();
    let started = second.command(&["start"]).env("BANYAN_DATABASE_URL", database).output();
    let started = started.expect("the binary runs");
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));

    let both = next(&calls, 4);
    let gaps = both.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.clone().all(|gap| gap > EVERY / 2), "{:?}", gaps.collect::<Vec<_>>());
    second.succeed(&["stop"]);
    next(&calls, 2);
}
