//! `banyan storage ls`, and the walk over what lies below a path.

use super::remote_path::{RemotePath, split};
use crate::{
    output,
    storage_client::{PAGE, StorageClient},
};

/// Prints the names below a path; with `recursive` the paths of all objects.
pub(super) async fn run(client: &StorageClient, path: &RemotePath, recursive: bool) -> anyhow::Result<()> {
    let names = if recursive { all(client, &path.0).await? } else { below(client, &path.0).await? };
    for name in names {
        output::line(output::harmless(&name));
    }
    Ok(())
}

/// The names directly below a path, those of folders with a slash at their end. The last part of
/// the path may be the beginning of a name.
pub(super) async fn below(client: &StorageClient, path: &str) -> anyhow::Result<Vec<String>> {
    let (bucket, prefix) = split(path);
    if bucket.is_empty() || (prefix.is_empty() && !path.ends_with('/')) {
        let buckets = client.buckets().await?.into_iter().map(|there| there.name);
        return Ok(buckets.filter(|name| name.starts_with(bucket)).map(|name| name + "/").collect());
    }
    let mut names = Vec::new();
    for page in 0.. {
        let entries = client.list(bucket, prefix, page).await?;
        let is_last = entries.len() < PAGE;
        let name = |entry: crate::storage_client::Entry| match entry.id {
            Some(_) => entry.name,
            None => entry.name + "/",
        };
        names.extend(entries.into_iter().map(name));
        if is_last {
            break;
        }
        output::note(format_args!("Loading page: {}", page + 1));
    }
    Ok(names)
}

/// The paths of all objects at or below a path, and of buckets that are empty.
pub(super) async fn all(client: &StorageClient, path: &str) -> anyhow::Result<Vec<String>> {
    let base = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let (mut folders, mut objects) = (Vec::new(), Vec::new());
    // The path may name an object or a folder.
    for name in below(client, path).await? {
        let list = if name.ends_with('/') { &mut folders } else { &mut objects };
        list.push(format!("{base}{name}"));
    }
    while let Some(folder) = folders.pop() {
        let names = below(client, &folder).await?;
        let (bucket, prefix) = split(&folder);
        if names.is_empty() && prefix.is_empty() {
            objects.push(format!("{bucket}/"));
        }
        for name in names {
            let list = if name.ends_with('/') { &mut folders } else { &mut objects };
            list.push(format!("{folder}{name}"));
        }
    }
    Ok(objects)
}
