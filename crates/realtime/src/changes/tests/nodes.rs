use std::sync::Arc;

use banyan_identity::Caller;
use bytes::Bytes;
use serde_json::json;
use tokio::sync::mpsc;

use super::{Heard, Rig, all_of, changes, join};
use crate::{
    bus::{Bus, Kind, Subject},
    changes::Changes,
    model::Shard,
};

/// The way to the other node.
#[derive(Debug)]
struct Wire(mpsc::UnboundedSender<Bytes>);

impl Bus for Wire {
    fn publish(&self, _: Subject, kind: Kind, message: Bytes) {
        if kind == Kind::Changes {
            let _ = self.0.send(message);
        }
    }

    fn follow(&self, _: Shard) {}

    fn unfollow(&self, _: Shard) {}

    fn has_peers(&self) -> bool {
        true
    }
}

fn wire() -> (Arc<dyn Bus>, mpsc::UnboundedReceiver<Bytes>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Arc::new(Wire(sender)), receiver)
}

/// Hands everything on, but for the messages that `loses` holds of.
fn carry(
    mut from: mpsc::UnboundedReceiver<Bytes>,
    to: Changes,
    loses: impl Fn(&[u8]) -> bool + Send + 'static,
) {
    tokio::spawn(async move {
        while let Some(message) = from.recv().await {
            if !loses(&message) {
                to.receive(message);
            }
        }
    });
}

const NOTES: &str = "create table public.notes (id bigint primary key, body text);
    alter publication supabase_realtime add table public.notes;";
const LOST: &str = "Connection to the database lost, changes may be missing";

// rows: N2 N4
#[tokio::test]
async fn one_node_reads_the_log_for_all_and_another_takes_over() {
    let (bus, from_one) = wire();
    let one = Rig::with_bus(NOTES, bus).await;
    let mut at_one = one.channel(Caller::anonymous(), all_of("notes")).await;
    let (bus, _from_other) = wire();
    let (other, _) = changes(one.database.database(), bus);
    carry(from_one, other.clone(), |_| false);
    let mut at_other = join(&other, Caller::anonymous(), &[all_of("notes")]);
    at_other.is_subscribed().await;
    one.run("insert into notes values (1)").await;
    one.run("update notes set body = 'x'").await;
    for channel in [&mut at_one, &mut at_other] {
        assert_eq!(channel.change().await["type"], json!("INSERT"));
        assert_eq!(channel.change().await["record"]["body"], json!("x"));
    }
    one.changes.stop().await;
    assert_eq!(at_other.next().await, Heard::System("error".to_owned(), LOST.to_owned()));
    at_other.is_subscribed().await;
    one.run("insert into notes values (2)").await;
    assert_eq!(at_other.change().await["record"]["id"], json!(2));
}

// rows: N4 G23
#[tokio::test]
async fn a_node_that_misses_a_part_of_the_log_says_so() {
    let (bus, from_one) = wire();
    let one = Rig::with_bus(NOTES, bus).await;
    let mut at_one = one.channel(Caller::anonymous(), all_of("notes")).await;
    let (bus, _from_other) = wire();
    let (other, _) = changes(one.database.database(), bus);
    let is_lost = |message: &[u8]| message.windows(4).any(|part| part == b"lost");
    carry(from_one, other.clone(), is_lost);
    let mut at_other = join(&other, Caller::anonymous(), &[all_of("notes")]);
    at_other.is_subscribed().await;
    one.run("insert into notes values (1, 'lost')").await;
    at_one.change().await;
    one.run("insert into notes values (2, 'found')").await;
    // The change may come before the node notices, or after.
    let mut heard = vec![];
    while heard.len() < 3 {
        heard.push(at_other.next().await);
    }
    let is_found =
        |heard: &Heard| matches!(heard, Heard::Change(change) if change["data"]["record"]["id"] == 2);
    assert!(heard.iter().any(is_found), "{heard:?}");
    assert!(heard.contains(&Heard::System("error".to_owned(), LOST.to_owned())), "{heard:?}");
}
