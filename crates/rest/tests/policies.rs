//! Row-level security as the wrong user (CONTRACT.md I21, V04).

use banyan_identity::Caller;
use http::Method;
use serde_json::json;
use uuid::Uuid;

use crate::support::{Preferring, School, school};

fn owner() -> Caller {
    banyan_testkit::user(Uuid::from_u128(1))
}

fn stranger() -> Caller {
    banyan_testkit::user(Uuid::from_u128(2))
}

async fn with_a_note() -> School {
    let school = school().await;
    let written =
        school.post("/notes?select=text,owner", json!({"text": "mine"})).by(owner()).representation();
    assert_eq!(written.await.json(), json!([{"text": "mine", "owner": Uuid::from_u128(1)}]));
    school
}

// rows: I21
#[tokio::test]
async fn a_stranger_reads_changes_and_deletes_nothing() {
    let school = with_a_note().await;
    assert_eq!(
        school.call(Method::GET, "/notes?select=text").by(owner()).await.ok(),
        json!([{"text": "mine"}])
    );
    assert_eq!(school.call(Method::GET, "/notes").by(stranger()).await.ok(), json!([]));
    assert_eq!(school.get("/notes").await.ok(), json!([]));
    let changed = school.patch("/notes", json!({"text": "theirs"})).by(stranger()).representation().await;
    assert_eq!(changed.ok(), json!([]));
    let gone = school.call(Method::DELETE, "/notes").by(stranger()).representation().await;
    assert_eq!(gone.ok(), json!([]));
    assert_eq!(school.number("select count(*) from notes where text = 'mine'").await, 1);
}

// rows: I21
#[tokio::test]
async fn nobody_writes_in_the_name_of_another() {
    let school = with_a_note().await;
    let theirs = json!({"text": "forged", "owner": Uuid::from_u128(1)});
    let forged = school.post("/notes", theirs.clone()).by(stranger()).await;
    assert_eq!(forged.error(), (403, "42501"));
    let anonymous = school.post("/notes", theirs).await;
    assert_eq!(anonymous.error(), (401, "42501"));
    let given = school.patch("/notes", json!({"owner": Uuid::from_u128(2)})).by(owner()).await;
    assert_eq!(given.error(), (403, "42501"));
}

// rows: V04 B11
#[tokio::test]
async fn callers_do_not_leak_into_each_other() {
    let school = with_a_note().await;
    let as_owner = async {
        for _ in 0..20 {
            let seen = school.call(Method::GET, "/notes?select=text").by(owner()).await.ok();
            assert_eq!(seen, json!([{"text": "mine"}]));
        }
    };
    let as_others = async {
        for turn in 0..20 {
            let seen = match turn % 3 {
                0 => school.call(Method::GET, "/notes?select=text").by(stranger()).await.ok(),
                1 => school.get("/notes?select=text").await.ok(),
                _ => {
                    let failed = school.call(Method::GET, "/notes?select=text&id=eq.x").by(owner()).await;
                    assert_eq!(failed.error().0, 400);
                    json!([])
                }
            };
            assert_eq!(seen, json!([]));
        }
    };
    tokio::join!(as_owner, as_others);
}
