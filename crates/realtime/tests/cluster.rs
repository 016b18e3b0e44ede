//! Several nodes, connected by a real server of NATS.

use std::time::Duration;

use banyan_config::Config;
use banyan_realtime::Patience;
use banyan_testkit::Nats;
use serde_json::{Value, json};

use crate::support::{Client, Realtime, Sent};

/// How often nodes of these tests tell that they are alive.
const BEAT: Duration = Duration::from_millis(200);

/// None, said in the output, where there is no such server.
fn nats(test: &str) -> Option<Nats> {
    let started = Nats::start();
    started.inspect_err(|error| println!("left out: {test}: nats-server cannot be run: {error}")).ok()
}

fn config(nats: &Nats) -> Config {
    let mut config = banyan_testkit::config();
    config.realtime.nats_servers = vec![nats.url().into()];
    config.realtime.node_beat = BEAT;
    config
}

async fn nodes<const COUNT: usize>(nats: &Nats) -> [Realtime; COUNT] {
    let mut nodes = Vec::new();
    for _ in 0..COUNT {
        nodes.push(Realtime::start_with(config(nats), Patience::default()).await);
    }
    nodes.try_into().unwrap_or_else(|_| unreachable!("as many as were asked for"))
}

async fn member(node: &Realtime, topic: &str, key: &str) -> Client {
    let mut client = node.client().await;
    client.joined(topic, json!({"presence": {"key": key, "enabled": true}})).await;
    client
}

async fn track(client: &mut Client, topic: &str, payload: Value) {
    let call = json!({"type": "presence", "event": "track", "payload": payload});
    client.send(&format!("realtime:{topic}"), "presence", call).await;
}

/// Waits until the client knows exactly these keys, by the state and the diffs that come.
async fn knows(client: &mut Client, known: &mut Vec<String>, expected: &[&str]) {
    known.sort();
    while known != expected {
        let (event, payload) = client.event().await;
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        match &*event {
            "presence_state" => *known = keys(&payload),
            "presence_diff" => {
                let (joins, leaves) = (keys(&payload["joins"]), keys(&payload["leaves"]));
                known.retain(|key| !leaves.contains(key));
                known.extend(joins.into_iter().filter(|key| !known.contains(key)).collect::<Vec<_>>());
            }
            _ => {}
        }
        known.sort();
    }
}

/// Sends broadcasts until one arrives, and forgets what else came on the way.
async fn reaches(sender: &mut Client, receiver: &mut Client, topic: &str, event: &str) {
    loop {
        sender.broadcast(topic, event, json!({})).await;
        sender.so_far().await;
        let heard = receiver.so_far().await;
        if heard.iter().any(|sent| matches!(sent, Sent::Text([.., payload]) if payload["event"] == event)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

// rows: N1 B1 B7 S6
#[tokio::test(flavor = "multi_thread")]
async fn a_broadcast_reaches_the_members_on_all_nodes_once_and_in_order() {
    let Some(nats) = nats("broadcasts among nodes") else { return };
    let [here, there, elsewhere] = nodes(&nats).await;
    let mut sender = here.client().await;
    sender.joined("room", json!({"broadcast": {"self": true}})).await;
    let mut receivers = [there.client().await, elsewhere.old_client().await];
    for receiver in &mut receivers {
        receiver.joined("room", json!({})).await;
        reaches(&mut sender, receiver, "room", "hello").await;
        receiver.so_far().await;
    }
    for number in 0..50 {
        sender.broadcast("room", "count", json!({ "number": number })).await;
    }
    // Larger than what the server takes at a time.
    sender.broadcast("room", "large", json!({"text": "x".repeat(2_500_000)})).await;
    for client in [&mut sender].into_iter().chain(&mut receivers) {
        let mut numbers = Vec::new();
        loop {
            let (_, payload) = client.event().await;
            match payload["event"].as_str() {
                Some("count") => numbers.push(payload["payload"]["number"].as_u64().unwrap()),
                Some("large") => break,
                _ => {}
            }
        }
        assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    }
    let [bystander, _] = &mut receivers;
    assert!(bystander.so_far().await.is_empty(), "nothing comes twice");
}

// rows: N3 R4 R10
#[tokio::test(flavor = "multi_thread")]
async fn members_on_other_nodes_are_present_until_they_leave() {
    let Some(nats) = nats("presence among nodes") else { return };
    let [here, there] = nodes(&nats).await;
    let (mut asha, mut ravi) = (member(&here, "room", "asha").await, member(&there, "room", "ravi").await);
    let (mut of_asha, mut of_ravi) = (Vec::new(), Vec::new());
    track(&mut asha, "room", json!({"a": 1})).await;
    track(&mut ravi, "room", json!({"r": 1})).await;
    knows(&mut asha, &mut of_asha, &["asha", "ravi"]).await;
    knows(&mut ravi, &mut of_ravi, &["asha", "ravi"]).await;
    // A node that comes later is told of those who are there.
    let [late] = nodes(&nats).await;
    let (mut kavya, mut of_kavya) = (member(&late, "room", "kavya").await, Vec::new());
    knows(&mut kavya, &mut of_kavya, &["asha", "ravi"]).await;
    drop(ravi);
    knows(&mut asha, &mut of_asha, &["asha"]).await;
    knows(&mut kavya, &mut of_kavya, &["asha"]).await;
}

// rows: N3 R10
#[tokio::test(flavor = "multi_thread")]
async fn the_members_of_a_node_that_dies_or_stops_are_removed() {
    let Some(nats) = nats("nodes that die") else { return };
    let [here, dying, stopping] = nodes(&nats).await;
    let (mut asha, mut known) = (member(&here, "room", "asha").await, Vec::new());
    let (mut ravi, mut kavya) =
        (member(&dying, "room", "ravi").await, member(&stopping, "room", "kavya").await);
    track(&mut ravi, "room", json!({})).await;
    track(&mut kavya, "room", json!({})).await;
    knows(&mut asha, &mut known, &["kavya", "ravi"]).await;
    stopping.stopping.cancel();
    knows(&mut asha, &mut known, &["ravi"]).await;
    // Its sockets stay open, so nobody has left.
    dying.die();
    knows(&mut asha, &mut known, &[]).await;
}

// rows: N1 N3 N6
#[tokio::test(flavor = "multi_thread")]
async fn nodes_go_on_alone_without_nats_and_agree_again_once_it_is_back() {
    let Some(mut nats) = nats("NATS that dies") else { return };
    let [here, there] = nodes(&nats).await;
    let (mut asha, mut ravi) = (member(&here, "room", "asha").await, member(&there, "room", "ravi").await);
    let (mut of_asha, mut of_ravi) = (Vec::new(), Vec::new());
    track(&mut ravi, "room", json!({})).await;
    knows(&mut asha, &mut of_asha, &["ravi"]).await;
    knows(&mut ravi, &mut of_ravi, &["ravi"]).await;
    nats.kill();
    // Those of the other node are given up after a while; here all goes on.
    knows(&mut asha, &mut of_asha, &[]).await;
    track(&mut asha, "room", json!({})).await;
    knows(&mut asha, &mut of_asha, &["asha"]).await;
    let mut neighbour = here.client().await;
    neighbour.joined("room", json!({})).await;
    reaches(&mut asha, &mut neighbour, "room", "local").await;
    nats.restart();
    knows(&mut asha, &mut of_asha, &["asha", "ravi"]).await;
    knows(&mut ravi, &mut of_ravi, &["asha", "ravi"]).await;
    reaches(&mut asha, &mut ravi, "room", "again").await;
}

// rows: N6
#[tokio::test]
async fn without_its_database_a_node_serves_public_broadcasts_and_presence() {
    let realtime = Realtime::start().await;
    realtime.database.close().await;
    let (mut asha, mut ravi) =
        (member(&realtime, "room", "asha").await, member(&realtime, "room", "ravi").await);
    track(&mut asha, "room", json!({})).await;
    knows(&mut ravi, &mut Vec::new(), &["asha"]).await;
    reaches(&mut asha, &mut ravi, "room", "hello").await;
}

// rows: N5
#[tokio::test]
async fn limits_are_those_of_one_node() {
    let Some(nats) = nats("limits of nodes") else { return };
    let mut config = config(&nats);
    config.realtime.limits.connections = 1;
    let [here, there] = [
        Realtime::start_with(config.clone(), Patience::default()).await,
        Realtime::start_with(config, Patience::default()).await,
    ];
    let _sockets = [here.client().await, there.client().await];
    let query = format!("apikey={}&vsn=2.0.0", crate::support::anon());
    assert_eq!(Client::open(here.address, &query).await.err(), Some(429));
}
