//! `[storage]` of config.toml and banyan.toml.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use url::Url;

use super::keys::{DEMO_JWT_SECRET, Keys};
use crate::{
    ConfigError, Paths,
    error::{every, together},
    paths::join,
    raw::{RawBanyanStorage, RawBucket, RawStorage, RawStorageS3},
};

/// Settings of the storage service.
#[derive(Debug, Clone)]
pub struct Storage {
    /// `true`: `/storage/v1` answers.
    pub enabled: bool,
    /// Largest object in bytes; a bucket may have a smaller limit.
    pub file_size_limit: u64,
    /// Buckets that a first start and `seed buckets` make, by id.
    pub buckets: BTreeMap<String, SeedBucket>,
    /// The protocol of S3.
    pub s3_protocol: S3Protocol,
    /// `true`: `/render/image` answers.
    pub image_transformation: bool,
    /// Where the bytes of objects lie.
    pub backend: StorageBackend,
    /// `true`: names of objects may have letters of every script (storage/CONTRACT.md B2).
    pub unicode_names: bool,
    /// How long a signed URL for an upload is valid.
    pub signed_upload_life: Duration,
    /// How long a resumable upload may take.
    pub resumable_upload_life: Duration,
    /// Where changes of objects and buckets are posted to.
    pub webhook_url: Option<Url>,
    /// Key that signs what is posted there; none leaves it unsigned.
    pub webhook_secret: Option<SecretString>,
    /// How often a path of `/render/image` is answered in a second; none sets no bound
    /// (storage/CONTRACT.md I07).
    pub renders_per_second: Option<u32>,
    /// Bytes that the objects of one user may take; none sets no bound (storage/CONTRACT.md B6).
    pub quota_per_user: Option<u64>,
    /// `true`: what the first bytes say of an image or a PDF must agree with its declared type
    /// (storage/CONTRACT.md B3).
    pub content_sniffing: bool,
    /// `true`: errors of REST have their real status in place of 400 (storage/CONTRACT.md B8).
    pub real_status_codes: bool,
}

/// The protocol of S3 (storage/CONTRACT.md X01).
#[derive(Debug, Clone)]
pub struct S3Protocol {
    /// `true`: `/storage/v1/s3` answers.
    pub enabled: bool,
    /// The region that signatures name.
    pub region: String,
    /// Key whose holder acts as `service_role`.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: SecretString,
}

/// A bucket of `[storage.buckets.<id>]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeedBucket {
    /// `true`: everybody may read its objects.
    pub public: bool,
    /// Largest object in bytes; none leaves it to `storage.file_size_limit`.
    pub file_size_limit: Option<u64>,
    /// MIME types that it takes; empty takes all.
    pub allowed_mime_types: Vec<String>,
    /// Folder whose files are uploaded.
    pub objects_path: Option<PathBuf>,
}

/// Where the bytes of objects lie.
#[derive(Debug, Clone)]
pub enum StorageBackend {
    /// A folder of this machine.
    Disk {
        /// The folder.
        folder: PathBuf,
    },
    /// A bucket of a service of S3.
    S3(StorageS3),
}

/// A bucket of a service of S3.
#[derive(Debug, Clone)]
pub struct StorageS3 {
    /// Address of the service; none is that of AWS for the region.
    pub endpoint: Option<Url>,
    /// Region.
    pub region: String,
    /// Bucket that holds the bytes of all buckets.
    pub bucket: String,
    /// Prefix of all keys, without a slash at its end; may be empty.
    pub prefix: String,
    /// Access key.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: SecretString,
    /// `true`: the bucket is part of the path and not of the host name.
    pub path_style: bool,
    /// Memory that parts of uploads may take together, in bytes.
    pub upload_memory: u64,
}

/// The key that every local Supabase stack shares: its id and its secret.
const DEMO_KEY: [&str; 2] =
    ["625729a08b95bf1b7ff351a663f3a23c", "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907"];
/// Least memory for parts of uploads: two parts, and what else a service of S3 is sent.
const LEAST_UPLOAD_MEMORY: u64 = 16 << 20;
/// Characters of the longest name of a bucket (storage/CONTRACT.md C12).
const LONGEST_BUCKET: usize = 100;

/// What the section depends on beside its own keys.
pub(crate) struct Around<'a> {
    /// The folder `supabase/`.
    pub(crate) supabase: &'a Path,
    /// The folder of the stack's data.
    pub(crate) state: &'a Path,
    /// The keys of the project, where they could be read.
    pub(crate) keys: Option<&'a Keys>,
    /// By what others than this machine reach the stack, where they must not find the demo key.
    pub(crate) others: Option<&'a str>,
}

impl Storage {
    pub(crate) fn check(
        raw: RawStorage,
        banyan: RawBanyanStorage,
        around: &Around<'_>,
    ) -> Result<Self, ConfigError> {
        let file_size_limit = super::bytes("storage.file_size_limit", &raw.file_size_limit);
        let largest = file_size_limit.as_ref().copied().unwrap_or(u64::MAX);
        let bucket = |(id, bucket)| SeedBucket::check(id, bucket, largest, around.supabase);
        let buckets = every(raw.buckets.into_iter().map(bucket));
        let s3_protocol = S3Protocol::check(raw.s3_protocol.enabled, &banyan, around);
        let signed_upload_life = life("storage.signed_upload_life", &banyan.signed_upload_life);
        let resumable_upload_life = life("storage.resumable_upload_life", &banyan.resumable_upload_life);
        let webhook_url = url("storage.webhook_url", banyan.webhook_url);
        let webhook_secret = banyan.webhook_secret.filter(|secret| !secret.is_empty()).map(Into::into);
        let quota_per_user = banyan.quota_per_user.filter(|quota| !quota.is_empty());
        let quota_per_user =
            quota_per_user.map(|quota| super::bytes("storage.quota_per_user", &quota)).transpose();
        let backend = backend(banyan.folder, banyan.s3, around);
        together!(
            file_size_limit,
            buckets,
            s3_protocol,
            signed_upload_life,
            resumable_upload_life,
            webhook_url,
            quota_per_user,
            backend
        );
        Ok(Self {
            enabled: raw.enabled,
            file_size_limit,
            buckets,
            s3_protocol,
            image_transformation: raw.image_transformation.enabled,
            backend,
            unicode_names: banyan.unicode_names,
            signed_upload_life,
            resumable_upload_life,
            webhook_url,
            webhook_secret,
            renders_per_second: banyan.renders_per_second,
            quota_per_user,
            content_sniffing: banyan.content_sniffing,
            real_status_codes: banyan.real_status_codes,
        })
    }
}

impl S3Protocol {
    /// The key is the one of the file, or is made of the project's secret, or is the demo key where
    /// that secret is (CONTRACT.md CFG-STORAGE-S3).
    fn check(enabled: bool, raw: &RawBanyanStorage, around: &Around<'_>) -> Result<Self, ConfigError> {
        let set = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
        let [access_key_id, secret_access_key] =
            match (set(&raw.s3_access_key_id), set(&raw.s3_secret_access_key)) {
                (Some(id), Some(secret)) => [id, secret],
                (None, None) => around.keys.map_or_else(demo_key, key_of),
                (Some(_), None) => return Err(missing("s3_secret_access_key")),
                (None, Some(_)) => return Err(missing("s3_access_key_id")),
            };
        let others = around.others.filter(|_| enabled && around.keys.is_some());
        if let Some(others) = others.filter(|_| secret_access_key == DEMO_KEY[1]) {
            return Err(known_to_everybody(others));
        }
        Ok(Self {
            enabled,
            region: set(&raw.s3_region).unwrap_or_else(|| "local".to_owned()),
            access_key_id,
            secret_access_key: secret_access_key.into(),
        })
    }
}

fn missing(key: &str) -> ConfigError {
    ConfigError::value(&format!("storage.{key}"), "is missing: a key of S3 has an id and a secret")
}

fn known_to_everybody(others: &str) -> ConfigError {
    let message = format!(
        "others reach this stack by {others}, and this is the public demo value: strike it and s3_access_key_id out of \
         banyan.toml, and both are made of auth.jwt_secret"
    );
    ConfigError::value("storage.s3_secret_access_key", message)
}

fn demo_key() -> [String; 2] {
    DEMO_KEY.map(str::to_owned)
}

/// The key of a project whose files name none, as its legacy keys are made.
fn key_of(keys: &Keys) -> [String; 2] {
    let secret = keys.jwt_secret.expose_secret();
    if secret == DEMO_JWT_SECRET {
        return demo_key();
    }
    let made = |purpose: &str| {
        let mut made =
            Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a secret may have any length");
        made.update(purpose.as_bytes());
        hex::encode(made.finalize().into_bytes())
    };
    [made("storage.s3_access_key_id")[..32].to_owned(), made("storage.s3_secret_access_key")]
}

impl SeedBucket {
    fn check(
        id: String,
        raw: RawBucket,
        largest: u64,
        supabase: &Path,
    ) -> Result<(String, Self), ConfigError> {
        let refuse = |key: &str, message: &str| {
            Err(ConfigError::value(&format!("storage.buckets.{id}{key}"), message))
        };
        if !is_bucket_name(&id) {
            return refuse("", BUCKET_NAME);
        }
        let key = format!("storage.buckets.{id}.file_size_limit");
        let file_size_limit = raw.file_size_limit.filter(|size| !size.is_empty());
        let file_size_limit = file_size_limit.map(|size| super::bytes(&key, &size)).transpose()?;
        if file_size_limit.is_some_and(|limit| limit > largest) {
            return refuse(".file_size_limit", "is above storage.file_size_limit");
        }
        if !raw.allowed_mime_types.iter().all(|pattern| is_mime_pattern(pattern)) {
            return refuse(".allowed_mime_types", "must be types such as image/png or image/*");
        }
        let objects_path = raw.objects_path.filter(|path| !path.is_empty());
        let objects_path = objects_path.map(|path| join(supabase, path));
        let RawBucket { public, allowed_mime_types, .. } = raw;
        Ok((id, Self { public, file_size_limit, allowed_mime_types, objects_path }))
    }
}

const BUCKET_NAME: &str = "is no name of a bucket: 1 to 100 letters, digits, spaces and signs of _!.*'()&$@=;:+,?- without a \
    space at either end";

/// storage/CONTRACT.md C12
fn is_bucket_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_!.*'()&$@=;:+,?- ".contains(c);
    (1..=LONGEST_BUCKET).contains(&name.len())
        && name.chars().all(is_letter)
        && name.trim() == name
        && !name.ends_with("--table-s3")
}

/// storage/CONTRACT.md B08
fn is_mime_pattern(pattern: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(['/', ' ', ';', ',']);
    pattern.split_once('/').is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}

fn backend(
    folder: Option<String>,
    s3: Option<RawStorageS3>,
    around: &Around<'_>,
) -> Result<StorageBackend, ConfigError> {
    let folder = folder.filter(|folder| !folder.is_empty());
    let Some(s3) = s3 else {
        let folder =
            folder.map_or_else(|| around.state.join(Paths::OBJECTS), |folder| join(around.supabase, folder));
        return Ok(StorageBackend::Disk { folder });
    };
    if folder.is_some() {
        return Err(ConfigError::value("storage.folder", "and [storage.s3] both say where objects lie"));
    }
    let needed = |name: &str, value: Option<String>| {
        value
            .filter(|text| !text.is_empty())
            .ok_or_else(|| ConfigError::value(&format!("storage.s3.{name}"), "is missing"))
    };
    let endpoint = url("storage.s3.endpoint", s3.endpoint);
    let bucket = needed("bucket", s3.bucket);
    let access_key_id = needed("access_key_id", s3.access_key_id);
    let secret_access_key = needed("secret_access_key", s3.secret_access_key);
    let upload_memory = super::bytes("storage.s3.upload_memory", &s3.upload_memory).and_then(|memory| {
        let is_enough = memory >= LEAST_UPLOAD_MEMORY;
        is_enough
            .then_some(memory)
            .ok_or_else(|| ConfigError::value("storage.s3.upload_memory", "must be 16MiB or more"))
    });
    together!(endpoint, bucket, access_key_id, secret_access_key, upload_memory);
    Ok(StorageBackend::S3(StorageS3 {
        endpoint,
        region: s3.region,
        bucket,
        prefix: s3.prefix.trim_matches('/').to_owned(),
        access_key_id,
        secret_access_key: secret_access_key.into(),
        path_style: s3.path_style,
        upload_memory,
    }))
}

/// A time that something stays valid.
fn life(key: &str, text: &str) -> Result<Duration, ConfigError> {
    let life = super::duration(key, text)?;
    if life.as_secs() == 0 { Err(ConfigError::value(key, "must be 1s or more")) } else { Ok(life) }
}

fn url(key: &str, text: Option<String>) -> Result<Option<Url>, ConfigError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let url =
        text.parse().ok().filter(|url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.map(Some)
        .ok_or_else(|| ConfigError::value(key, "must be an address that begins with http:// or https://"))
}
