//! `banyan storage cp`: between this machine and storage.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use banyan_config::{Config, SeedBucket};
use http_body_util::BodyExt as _;
use tokio::{
    fs::{self, OpenOptions},
    io::AsyncWriteExt as _,
};

use super::{
    list,
    remote_path::{RemotePath, base, join, split},
};
use crate::{
    arguments::StorageCopy,
    bucket_seeds::regular_files,
    jobs::Jobs,
    output,
    storage_client::{StorageClient, UploadOptions, is_refusal},
};

pub(super) async fn run(
    client: &StorageClient,
    config: &Config,
    options: &StorageCopy,
) -> anyhow::Result<()> {
    let StorageCopy { src, dst, recursive, jobs, .. } = options;
    let jobs = Jobs::at_most(*jobs);
    match (RemotePath::of(src), RemotePath::of(dst)) {
        (Some(from), None) if *recursive => download_all(client, &from, Path::new(dst), jobs).await,
        (Some(from), None) => {
            download(client, &from.0, Path::new(dst), OpenOptions::new().create_new(true)).await
        }
        (None, Some(to)) if *recursive => {
            let upload = Upload { client, config, options: upload_options(options, true) };
            upload.all(Path::new(src), &to, jobs).await
        }
        (None, Some(to)) => {
            client.upload(to.0.trim_start_matches('/'), Path::new(src), &upload_options(options, false)).await
        }
        (Some(_), Some(_)) => bail!("Copying between buckets is not supported"),
        (None, None) => {
            bail!("Unsupported operation\nRun cp -r <src> <dst> to copy between local directories.")
        }
    }
}

fn upload_options(options: &StorageCopy, overwrite: bool) -> UploadOptions {
    let StorageCopy { cache_control, content_type, .. } = options.clone();
    let content_type = content_type.filter(|kind| !kind.is_empty());
    UploadOptions { cache_control, content_type, overwrite }
}

/// Writes an object to a file.
async fn download(
    client: &StorageClient,
    from: &str,
    to: &Path,
    options: &OpenOptions,
) -> anyhow::Result<()> {
    let cannot = || format!("failed to create file: {}", to.display());
    let mut body = client.download(from.trim_start_matches('/')).await?.into_body();
    let mut file = options.clone().write(true).open(to).await.with_context(cannot)?;
    while let Some(frame) = body.frame().await {
        let frame = frame.context("the download broke off")?;
        if let Some(data) = frame.data_ref() {
            file.write_all(data).await.with_context(cannot)?;
        }
    }
    file.flush().await.with_context(cannot)
}

/// Writes all objects at or below a path into a folder. Files that are there are replaced.
async fn download_all(
    client: &StorageClient,
    from: &RemotePath,
    to: &Path,
    mut jobs: Jobs,
) -> anyhow::Result<()> {
    let to = if to.is_dir() { to.join(base(&from.0)) } else { to.to_owned() };
    let objects = list::all(client, &from.0).await?;
    if objects.is_empty() {
        bail!("Object not found: {}", from.0);
    }
    for object in objects {
        let below = object.strip_prefix(from.0.as_str()).unwrap_or(&object).trim_start_matches('/');
        let path = local_path(&to, below)?;
        output::note(format_args!("Downloading: {} => {}", output::harmless(&object), path.display()));
        let client = client.clone();
        jobs.start(async move {
            let folder = if object.ends_with('/') { Some(path.as_path()) } else { path.parent() };
            if let Some(folder) = folder {
                fs::create_dir_all(folder)
                    .await
                    .with_context(|| format!("cannot make {}", folder.display()))?;
            }
            if object.ends_with('/') {
                return Ok(());
            }
            download(&client, &object, &path, OpenOptions::new().create(true).truncate(true)).await
        })
        .await?;
    }
    jobs.finish().await
}

/// Where an object is written to. No name leads out of the folder.
fn local_path(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    if name.split('/').any(|part| part == ".." || part.contains('\0')) {
        bail!("the object {} would be written outside of {}", output::harmless(name), folder.display());
    }
    Ok(if name.is_empty() { folder.to_owned() } else { folder.join(name) })
}

/// An upload of several files.
struct Upload<'a> {
    client: &'a StorageClient,
    config: &'a Config,
    options: UploadOptions,
}

impl Upload<'_> {
    /// Uploads a file, or a folder with all that lies below it. Replaces objects of these names.
    async fn all(&self, from: &Path, to: &RemotePath, mut jobs: Jobs) -> anyhow::Result<()> {
        let target = Target::look_at(self.client, to).await?;
        let mut files = regular_files(from).with_context(|| format!("cannot read {}", from.display()))?;
        files.sort();
        let root = from.canonicalize()?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in files {
            let below = file.strip_prefix(from).unwrap_or(&file).to_string_lossy().into_owned();
            let path = target.path(&name, &below, from);
            output::note(format_args!("Uploading: {} => {path}", file.display()));
            let (client, options) = (self.client.clone(), self.options.clone());
            let bucket = self.config.storage.buckets.get(split(&path).0).cloned();
            jobs.start(async move { upload(&client, &path, &file, (&options, bucket)).await }).await?;
        }
        jobs.finish().await
    }
}

/// Where files are uploaded to.
struct Target {
    path: String,
    is_object: bool,
    is_folder: bool,
}

impl Target {
    async fn look_at(client: &StorageClient, to: &RemotePath) -> anyhow::Result<Self> {
        let path = to.0.trim_end_matches('/');
        let names = if path.is_empty() { Vec::new() } else { list::below(client, path).await? };
        let name = base(path);
        Ok(Self {
            path: to.0.clone(),
            is_object: names.iter().any(|found| found == name),
            is_folder: path.is_empty() || names.iter().any(|found| found.strip_suffix('/') == Some(name)),
        })
    }

    /// The path of a file that lies at `below` in the folder `name`; `below` is empty where it was
    /// named itself. A folder goes into one that is there, as with `cp` of a shell.
    fn path(&self, name: &str, below: &str, from: &Path) -> String {
        let is_named_itself = below.is_empty();
        let names_folder = RemotePath(self.path.clone()).is_folder();
        if is_named_itself {
            let into = names_folder || (self.is_folder && !self.is_object);
            return if into { join(&self.path, name) } else { self.path.clone() };
        }
        let keeps_name = self.is_folder && from != Path::new(".");
        join(&if keeps_name { join(&self.path, name) } else { self.path.clone() }, below)
    }
}

/// Uploads a file. A bucket that is not there is made, as config.toml describes it.
async fn upload(
    client: &StorageClient,
    path: &str,
    file: &Path,
    (options, bucket): (&UploadOptions, Option<SeedBucket>),
) -> anyhow::Result<()> {
    let path = path.trim_start_matches('/');
    let (id, name) = split(path);
    match client.upload(path, file, options).await {
        Err(error) if is_refusal(&error, "Bucket not found") && !name.is_empty() => {
            match client.create_bucket(id, &bucket.unwrap_or_default()).await {
                // Another copy of this command made it meanwhile.
                Err(error) if !is_refusal(&error, "Duplicate") => return Err(error),
                _ => {}
            }
            client.upload(path, file, options).await
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-STORAGE-CP
    #[test]
    fn no_object_is_written_outside_of_the_folder() {
        let folder = Path::new("/tmp/copies");
        assert_eq!(local_path(folder, "a/b.txt").expect("inside"), folder.join("a/b.txt"));
        assert_eq!(local_path(folder, "").expect("itself"), folder);
        for name in ["../a", "a/../../b", ".."] {
            assert!(local_path(folder, name).is_err(), "{name}");
        }
    }

    // rows: CLI-STORAGE-CP
    #[test]
    fn a_folder_goes_into_one_that_is_there_and_else_gets_its_name() {
        let path = |to: &str, (is_object, is_folder): (bool, bool), below: &str| {
            Target { path: to.to_owned(), is_object, is_folder }.path("docs", below, Path::new("docs"))
        };
        assert_eq!(path("/bucket/docs", (false, false), "a/b"), "/bucket/docs/a/b");
        assert_eq!(path("/bucket/www", (false, true), "a/b"), "/bucket/www/docs/a/b");
        assert_eq!(path("/bucket/a", (false, false), ""), "/bucket/a");
        assert_eq!(path("/bucket/a/", (false, false), ""), "/bucket/a/docs");
        assert_eq!(path("/bucket/a", (false, true), ""), "/bucket/a/docs");
        assert_eq!(path("/bucket/a", (true, true), ""), "/bucket/a");
    }
}
