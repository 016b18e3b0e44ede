//! What the database tells of changed rows.

use std::{collections::BTreeMap, sync::Arc};

use banyan_db::listen::{Notice, Notifications};
use serde::Deserialize;

use super::Caches;

/// The channel on which triggers of `storage.objects` and `storage.buckets` tell of changes.
pub(crate) const CHANNEL: &str = "banyan_storage";

/// One notice, such as `{"objects": {"bucket": ["name"]}}` or `{"buckets": {"bucket": null}}`. Null
/// in place of names stands for all of a bucket, and in place of buckets for all of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Objects(Option<BTreeMap<String, Option<Vec<String>>>>),
    Buckets(Option<BTreeMap<String, Option<()>>>),
}

/// Forgets what the database says was changed, for as long as it is polled.
pub(crate) async fn follow(mut notices: Notifications, caches: Arc<Caches>) {
    loop {
        match notices.next().await {
            Notice::Connected => caches.rows.begin_to_hear(),
            Notice::Lost => caches.rows.hear_no_more(),
            Notice::Payload(payload) => forget(&payload, &caches),
        }
    }
}

/// A notice that cannot be read may be about any row.
fn forget(payload: &str, caches: &Caches) {
    let rows = &caches.rows;
    match serde_json::from_str(payload) {
        Ok(Change::Objects(Some(buckets))) => {
            for (bucket, names) in buckets {
                match names {
                    Some(names) => names.iter().for_each(|name| rows.forget_object(&bucket, name)),
                    None => rows.forget_objects_of(&bucket),
                }
            }
        }
        Ok(Change::Buckets(Some(buckets))) => {
            buckets.keys().for_each(|bucket| rows.forget_bucket(bucket));
        }
        Ok(Change::Objects(None) | Change::Buckets(None)) | Err(_) => rows.forget_all(),
    }
}
