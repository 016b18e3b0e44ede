//! `[storage]` of config.toml and banyan.toml.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use secrecy::SecretString;
use url::Url;

use crate::{
    ConfigError,
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// What the supabase CLI gives the reference. Everybody knows them.
const DEMO_ACCESS_KEY: &str = "625729a08b95bf1b7ff351a663f3a23c";
const DEMO_SECRET_KEY: &str = "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907";

impl Storage {
    pub(crate) fn check(
        raw: RawStorage,
        banyan: RawBanyanStorage,
        supabase: &Path,
        state: &Path,
    ) -> Result<Self, ConfigError> {
        let buckets = raw
            .buckets
            .into_iter()
            .map(|(id, bucket)| Ok((id.clone(), SeedBucket::check(&id, bucket, supabase)?)))
            .collect::<Result<_, ConfigError>>()?;
        Ok(Self {
            enabled: raw.enabled,
            file_size_limit: super::bytes("storage.file_size_limit", &raw.file_size_limit)?,
            buckets,
            s3_protocol: S3Protocol {
                enabled: raw.s3_protocol.enabled,
                region: banyan.s3_region.unwrap_or_else(|| "local".to_owned()),
                access_key_id: banyan.s3_access_key_id.unwrap_or_else(|| DEMO_ACCESS_KEY.to_owned()),
                secret_access_key: banyan
                    .s3_secret_access_key
                    .unwrap_or_else(|| DEMO_SECRET_KEY.to_owned())
                    .into(),
            },
            image_transformation: raw.image_transformation.enabled,
            backend: backend(banyan.folder, banyan.s3, supabase, state)?,
            unicode_names: banyan.unicode_names,
            signed_upload_life: super::duration("storage.signed_upload_life", &banyan.signed_upload_life)?,
            resumable_upload_life: super::duration(
                "storage.resumable_upload_life",
                &banyan.resumable_upload_life,
            )?,
            webhook_url: url("storage.webhook_url", banyan.webhook_url)?,
            webhook_secret: banyan.webhook_secret.map(Into::into),
            renders_per_second: banyan.renders_per_second,
            quota_per_user: banyan
                .quota_per_user
                .map(|quota| super::bytes("storage.quota_per_user", &quota))
                .transpose()?,
            content_sniffing: banyan.content_sniffing,
            real_status_codes: banyan.real_status_codes,
        })
    }
}

impl SeedBucket {
    fn check(id: &str, raw: RawBucket, supabase: &Path) -> Result<Self, ConfigError> {
        let key = format!("storage.buckets.{id}.file_size_limit");
        Ok(Self {
            public: raw.public,
            file_size_limit: raw.file_size_limit.map(|size| super::bytes(&key, &size)).transpose()?,
            allowed_mime_types: raw.allowed_mime_types,
            objects_path: raw.objects_path.map(|path| join(supabase, path)),
        })
    }
}

fn backend(
    folder: Option<String>,
    s3: Option<RawStorageS3>,
    supabase: &Path,
    state: &Path,
) -> Result<StorageBackend, ConfigError> {
    let Some(s3) = s3 else {
        let folder = folder.map_or_else(|| state.join("storage"), |folder| join(supabase, folder));
        return Ok(StorageBackend::Disk { folder });
    };
    let needed = |name: &str, value: Option<String>| {
        value.ok_or_else(|| ConfigError::value(&format!("storage.s3.{name}"), "is missing"))
    };
    Ok(StorageBackend::S3(StorageS3 {
        endpoint: url("storage.s3.endpoint", s3.endpoint)?,
        region: s3.region,
        bucket: needed("bucket", s3.bucket)?,
        prefix: s3.prefix.trim_matches('/').to_owned(),
        access_key_id: needed("access_key_id", s3.access_key_id)?,
        secret_access_key: needed("secret_access_key", s3.secret_access_key)?.into(),
        path_style: s3.path_style,
        upload_memory: super::bytes("storage.s3.upload_memory", &s3.upload_memory)?,
    }))
}

fn url(key: &str, text: Option<String>) -> Result<Option<Url>, ConfigError> {
    let read = text.filter(|text| !text.is_empty()).map(|text| text.parse());
    read.transpose().map_err(|_| ConfigError::value(key, "is no URL"))
}
