//! `banyan storage mv`: objects get another name in their bucket.

use anyhow::bail;

use super::{
    list,
    remote_path::{RemotePath, join, split},
};
use crate::{
    output,
    storage_client::{StorageClient, is_refusal},
};

pub(super) async fn run(
    client: &StorageClient,
    from: &RemotePath,
    to: &RemotePath,
    recursive: bool,
) -> anyhow::Result<()> {
    let ((bucket, name), (other, new)) = (from.split(), to.split());
    if name.is_empty() && new.is_empty() {
        bail!("You must specify an object path");
    }
    if bucket != other {
        bail!("Moving between buckets is unsupported");
    }
    tell(&from.0, &to.0);
    match client.move_object(bucket, name, new).await {
        Ok(said) => {
            output::note(output::harmless(&said.message));
            Ok(())
        }
        Err(error) if recursive && is_refusal(&error, "not_found") => {
            all(client, &format!("{}/", from.0.trim_end_matches('/')), &to.0).await
        }
        Err(error) => Err(error),
    }
}

/// Moves all that lies below a folder. All of it is found first, since a move changes the pages of
/// a list.
async fn all(client: &StorageClient, from: &str, to: &str) -> anyhow::Result<()> {
    let objects = list::all(client, from).await?;
    let objects: Vec<_> = objects.iter().filter(|object| !object.ends_with('/')).collect();
    if objects.is_empty() {
        bail!("Object not found: {from}");
    }
    for object in objects {
        let target = join(to, object.strip_prefix(from).unwrap_or(object));
        tell(object, &target);
        let (bucket, name) = split(object);
        client.move_object(bucket, name, split(&target).1).await?;
    }
    Ok(())
}

fn tell(from: &str, to: &str) {
    output::note(format_args!("Moving object: {} => {}", output::harmless(from), output::harmless(to)));
}
