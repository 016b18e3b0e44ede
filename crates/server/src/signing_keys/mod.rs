//! Rotation of the signing keys while the stack runs (auth/CONTRACT.md J5, J7).

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use banyan_config::Keys;
use banyan_identity::Keyring;
use tokio_util::sync::CancellationToken;

/// Time between two looks at the file.
const INTERVAL: Duration = Duration::from_secs(2);

/// Takes the keys over whenever the file of `auth.signing_keys_path` changes from what it is now,
/// until `stop`, and calls `changed`. A file that cannot be used is logged and changes nothing.
/// Without such a file there is nothing to follow.
pub(crate) fn follow(
    keys: Keys,
    keyring: Arc<Keyring>,
    changed: impl Fn() + Send + Sync + 'static,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send {
    let file = keys.signing_keys_file.clone();
    // Looked at before the task first runs: a change until then counts too.
    let seen = file.as_deref().and_then(stamp);
    async move {
        if let Some(file) = file {
            let take_over = || {
                if take_over(&keys, &keyring, &file) {
                    changed();
                }
            };
            watch(take_over, (&file, seen), &stop).await;
        }
    }
}

async fn watch(take_over: impl Fn(), (file, mut seen): (&Path, Option<Stamp>), stop: &CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
        let now = stamp(file);
        if now != seen {
            seen = now;
            take_over();
        }
    }
}

/// Whether the keys of the file were taken over.
fn take_over(keys: &Keys, keyring: &Keyring, file: &Path) -> bool {
    let taken = keys
        .with_signing_keys_of_now()
        .map_err(|error| error.to_string())
        .and_then(|keys| keyring.replace(&keys).map_err(|error| error.to_string()));
    match taken {
        Ok(()) => tracing::info!(file = %file.display(), "the signing keys changed"),
        Err(error) => {
            tracing::error!(file = %file.display(), error, "the changed signing keys cannot be used; the old ones stay");
            return false;
        }
    }
    true
}

/// What changes with a file, as long as nobody hides it.
type Stamp = (SystemTime, u64);

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests;
