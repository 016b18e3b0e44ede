//! `banyan storage rm`: deletes objects, and with `-r` folders and buckets.

use std::collections::BTreeMap;

use anyhow::bail;

use super::{list, remote_path::RemotePath};
use crate::{
    output,
    storage_client::{StorageClient, is_refusal},
};

/// Names that one request deletes.
const AT_A_TIME: usize = 1000;

/// `confirm` is asked before anything of a bucket is deleted.
pub(super) async fn run(
    client: &StorageClient,
    paths: &[RemotePath],
    recursive: bool,
    confirm: impl Fn(&str) -> bool,
) -> anyhow::Result<()> {
    for (bucket, names) in groups(client, paths, recursive).await? {
        if !confirm(&format!("Confirm deleting files in bucket {bucket}?")) {
            continue;
        }
        // A path may be that of an object without an ending.
        let removed = remove(client, &bucket, &names).await?;
        for name in names.iter().filter(|name| !removed.contains(name)) {
            match (recursive, name.as_str()) {
                (false, name) => output::note(format_args!("Object not found: {}", output::harmless(name))),
                (true, "") => empty(client, &bucket).await?,
                (true, name) => below(client, &bucket, &format!("{}/", name.trim_end_matches('/'))).await?,
            }
        }
    }
    Ok(())
}

/// The paths by their buckets. Without any, all buckets are meant.
async fn groups(
    client: &StorageClient,
    paths: &[RemotePath],
    recursive: bool,
) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let (bucket, name) = path.split();
        if bucket.is_empty() {
            bail!("You must specify a bucket to delete.");
        }
        if path.is_folder() && !recursive {
            bail!(NEEDS_FLAG);
        }
        groups.entry(bucket.to_owned()).or_default().push(name.to_owned());
    }
    if paths.is_empty() {
        if !recursive {
            bail!(NEEDS_FLAG);
        }
        groups.extend(client.buckets().await?.into_iter().map(|there| (there.name, vec![String::new()])));
    }
    Ok(groups)
}

const NEEDS_FLAG: &str = "You must specify -r flag to delete directories.";

/// Deletes objects, and gives the names of those that were there.
async fn remove(client: &StorageClient, bucket: &str, names: &[String]) -> anyhow::Result<Vec<String>> {
    let mut removed = Vec::new();
    let names: Vec<_> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    for names in names.chunks(AT_A_TIME) {
        output::note(format_args!("Deleting objects: {}", output::harmless(&format!("{names:?}"))));
        removed.extend(client.remove(bucket, names).await?);
    }
    Ok(removed)
}

/// Deletes all that lies below a folder.
async fn below(client: &StorageClient, bucket: &str, prefix: &str) -> anyhow::Result<()> {
    let start = format!("/{bucket}/");
    let objects = list::all(client, &format!("{start}{prefix}")).await?;
    let names: Vec<_> =
        objects.iter().filter_map(|object| object.strip_prefix(&start)).map(str::to_owned).collect();
    if names.is_empty() {
        bail!("Object not found: {bucket}/{prefix}");
    }
    remove(client, bucket, &names).await.map(drop)
}

/// Deletes a bucket with all that is in it.
async fn empty(client: &StorageClient, bucket: &str) -> anyhow::Result<()> {
    let start = format!("/{bucket}/");
    let objects = list::all(client, &start).await?;
    let names: Vec<_> =
        objects.iter().filter_map(|object| object.strip_prefix(&start)).map(str::to_owned).collect();
    remove(client, bucket, &names).await?;
    output::note(format_args!("Deleting bucket: {bucket}"));
    match client.delete_bucket(bucket).await {
        Ok(said) => output::note(output::harmless(&said.message)),
        Err(error) if is_refusal(&error, "Bucket not found") => {
            output::note(format_args!("Bucket not found: {bucket}"));
        }
        Err(error) => return Err(error),
    }
    Ok(())
}
