//! What the database tells of changed rows.

use std::sync::Arc;

use banyan_db::listen::{Notice, Notifications};
use serde::Deserialize;

use super::Caches;

/// The channel on which triggers of `storage.objects` and `storage.buckets` tell of changes.
pub(crate) const CHANNEL: &str = "banyan_storage";

/// One notice.
#[derive(Debug, Deserialize)]
struct Change {
    bucket: String,
    /// Names of changed objects; none: the bucket itself was changed, or too many of its objects.
    names: Option<Vec<String>>,
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
        Ok(Change { bucket, names: Some(names) }) => {
            names.iter().for_each(|name| rows.forget_object(&bucket, name));
        }
        Ok(Change { bucket, names: None }) => {
            rows.forget_bucket(&bucket);
            rows.forget_objects_of(&bucket);
        }
        Err(_) => rows.forget_all(),
    }
}
