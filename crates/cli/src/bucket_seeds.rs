//! Makes the buckets of `[storage.buckets.*]`, and uploads the files of `objects_path`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use banyan_config::{Config, SeedBucket};
use secrecy::ExposeSecret as _;

use crate::{
    jobs::Jobs,
    storage_client::{CACHE_CONTROL, StorageClient, UploadOptions},
};

/// Uploads at a time.
const AT_A_TIME: usize = 5;

/// Prints the steps, and decides whether a bucket that is there gets the properties of the file.
pub(crate) struct Steps<'a> {
    pub(crate) tell: &'a (dyn Fn(String) + Send + Sync),
    pub(crate) overwrites: &'a (dyn Fn(&str) -> bool + Send + Sync),
}

/// Makes what is missing, brings the others up to date, and uploads the files.
pub(crate) async fn seed(client: &StorageClient, config: &Config, steps: &Steps<'_>) -> anyhow::Result<()> {
    let buckets = &config.storage.buckets;
    if buckets.is_empty() {
        return Ok(());
    }
    let there = client.buckets().await?;
    for (name, bucket) in buckets {
        match there.iter().find(|there| there.name == *name) {
            None => {
                (steps.tell)(format!("Creating Storage bucket: {name}"));
                client.create_bucket(name, bucket).await?;
            }
            Some(there) if (steps.overwrites)(&there.id) => {
                (steps.tell)(format!("Updating Storage bucket: {}", there.id));
                client.update_bucket(&there.id, bucket).await?;
            }
            Some(_) => {}
        }
    }
    upload(client, config, steps).await
}

/// The same for a stack at `origin` whose database is new. The stack runs without these buckets as
/// well, so a failure is a remark.
pub(crate) async fn seed_new(config: &Config, origin: &str, tell: &(dyn Fn(String) + Send + Sync)) {
    if !config.storage.enabled {
        return;
    }
    let client = StorageClient::at(origin, config.keys.secret_key.expose_secret());
    let steps = Steps { tell, overwrites: &|_| true };
    if let Err(error) = seed(&client, config, &steps).await {
        tell(format!(
            "WARN: not all buckets of config.toml were made: {error:#}. `banyan seed buckets` tries it again"
        ));
    }
}

async fn upload(client: &StorageClient, config: &Config, steps: &Steps<'_>) -> anyhow::Result<()> {
    let mut jobs = Jobs::at_most(AT_A_TIME);
    for (name, bucket) in &config.storage.buckets {
        for (file, key) in files(bucket)? {
            let path = format!("{name}/{key}");
            (steps.tell)(format!("Uploading: {} => {path}", file.display()));
            let client = client.clone();
            jobs.start(async move {
                let options = UploadOptions {
                    cache_control: CACHE_CONTROL.to_owned(),
                    content_type: None,
                    overwrite: true,
                };
                client.upload(&path, &file, &options).await
            })
            .await?;
        }
    }
    jobs.finish().await
}

/// The files of a bucket's folder, each with its name in the bucket.
fn files(bucket: &SeedBucket) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let Some(root) = &bucket.objects_path else { return Ok(Vec::new()) };
    let mut files = regular_files(root).with_context(|| format!("cannot read {}", root.display()))?;
    files.sort();
    let key = |file: &Path| match file.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => below.to_string_lossy().into_owned(),
        _ => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    Ok(files.into_iter().map(|file| (file.clone(), key(&file))).collect())
}

/// A file by itself, or the files of a folder and those below it. Links are left out.
pub(crate) fn regular_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-SEED-BUCKETS
    #[test]
    fn the_files_of_a_folder_keep_their_paths_and_a_file_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("a")).expect("made");
        for name in ["b.txt", "a/c.txt"] {
            std::fs::write(folder.path().join(name), name).expect("written");
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("made");
        let keys = |path: PathBuf| {
            let bucket = SeedBucket {
                public: false,
                file_size_limit: None,
                allowed_mime_types: Vec::new(),
                objects_path: Some(path),
            };
            files(&bucket).map(|files| files.into_iter().map(|(_, key)| key).collect::<Vec<_>>())
        };
        assert_eq!(keys(folder.path().to_owned()).expect("read"), ["a/c.txt", "b.txt"]);
        assert_eq!(keys(folder.path().join("b.txt")).expect("read"), ["b.txt"]);
        assert!(keys(folder.path().join("none")).is_err());
    }
}
