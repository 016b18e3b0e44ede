//! The section `[storage]`.

use std::{path::Path, time::Duration};

use super::*;
use crate::{SeedBucket, StorageBackend};

fn storage(config: &str, banyan: &str) -> Storage {
    load_text(config, banyan, &[]).expect("loads").config.storage
}

fn refused(config: &str, banyan: &str) -> String {
    load_text(config, banyan, &[]).expect_err("refused").to_string()
}

// rows: CFG-STORAGE
#[test]
fn the_storage_section_of_an_empty_file_gives_the_documented_defaults() {
    let storage = storage("", "");
    assert!(storage.enabled && storage.s3_protocol.enabled && !storage.image_transformation);
    assert_eq!((storage.file_size_limit, storage.buckets.len()), (50 << 20, 0));
    let hours = |hours: u64| Duration::from_secs(hours * 3600);
    assert_eq!((storage.signed_upload_life, storage.resumable_upload_life), (hours(2), hours(1)));
    assert!(!storage.unicode_names && !storage.content_sniffing && !storage.real_status_codes);
    assert!(storage.webhook_url.is_none() && storage.quota_per_user.is_none());
    let StorageBackend::Disk { folder } = storage.backend else { panic!("a folder") };
    assert!(folder.ends_with("storage"), "{}", folder.display());
}

// rows: CFG-BUCKETS
#[test]
fn buckets_are_read_with_their_limits_and_their_folder() {
    let text = "[storage.buckets.images]\npublic = true\nfile_size_limit = \"5MB\"\n\
        allowed_mime_types = [\"image/png\", \"image/*\"]\nobjects_path = \"./images\"\n[storage.buckets.\"my files\"]\n";
    let buckets = storage(text, "").buckets;
    let images = SeedBucket {
        public: true,
        file_size_limit: Some(5 << 20),
        allowed_mime_types: vec!["image/png".to_owned(), "image/*".to_owned()],
        objects_path: buckets["images"].objects_path.clone(),
    };
    assert_eq!(buckets["images"], images);
    assert!(images.objects_path.is_some_and(|path| path.ends_with(Path::new("supabase/images"))));
    let plain = SeedBucket {
        public: false,
        file_size_limit: None,
        allowed_mime_types: Vec::new(),
        objects_path: None,
    };
    assert_eq!(buckets["my files"], plain);
}

// rows: CFG-BUCKETS
#[test]
fn a_bucket_that_no_client_could_make_ends_the_start() {
    for (bucket, key) in [
        ("[storage.buckets.\"a/b\"]", "storage.buckets.a/b: is no name"),
        ("[storage.buckets.\" a\"]", "storage.buckets. a: is no name"),
        ("[storage.buckets.a--table-s3]", "storage.buckets.a--table-s3: is no name"),
        ("[storage.buckets.\"\u{92a}\"]", "storage.buckets.\u{92a}: is no name"),
        ("[storage.buckets.a]\nfile_size_limit = \"1GiB\"", "storage.buckets.a.file_size_limit: is above"),
        ("[storage.buckets.a]\nfile_size_limit = \"big\"", "storage.buckets.a.file_size_limit: `big`"),
        ("[storage.buckets.a]\nallowed_mime_types = [\"png\"]", "storage.buckets.a.allowed_mime_types: must"),
    ] {
        let error = refused(bucket, "");
        assert!(error.starts_with(key), "{error}");
    }
    let long = |letters| format!("[storage.buckets.{}]", "a".repeat(letters));
    assert_eq!(storage(&long(100), "").buckets.len(), 1);
    assert!(refused(&long(101), "").contains("1 to 100"));
}

// rows: CFG-STORAGE-BACKEND
#[test]
fn the_bytes_of_objects_lie_in_a_folder_or_in_a_service_of_s3() {
    let StorageBackend::Disk { folder } = storage("", "[storage]\nfolder = \"../objects\"\n").backend else {
        panic!("a folder")
    };
    assert!(folder.ends_with("objects"), "{}", folder.display());
    let s3 = "[storage.s3]\nbucket = \"school\"\nprefix = \"/a/\"\naccess_key_id = \"id\"\nsecret_access_key = \"secret\"\n";
    let StorageBackend::S3(there) =
        storage("", &format!("{s3}endpoint = \"http://127.0.0.1:9000\"\n")).backend
    else {
        panic!("a service")
    };
    assert_eq!((&*there.bucket, &*there.prefix, &*there.region), ("school", "a", "us-east-1"));
    assert_eq!((there.path_style, there.upload_memory), (true, 256 << 20));
    assert_eq!(there.endpoint.map(String::from).as_deref(), Some("http://127.0.0.1:9000/"));
    for (banyan, key) in [
        ("[storage.s3]\nbucket = \"school\"\n", "storage.s3.access_key_id: is missing"),
        (&*format!("{s3}endpoint = \"minio:9000\"\n"), "storage.s3.endpoint: must be an address"),
        (&*format!("{s3}upload_memory = \"1MiB\"\n"), "storage.s3.upload_memory: must be"),
        (&*format!("[storage]\nfolder = \"a\"\n{s3}"), "storage.folder: and [storage.s3]"),
        ("[storage]\nwebhook_url = \"ftp://a.example\"\n", "storage.webhook_url: must be an address"),
        ("[storage]\nsigned_upload_life = \"0s\"\n", "storage.signed_upload_life: must be 1s"),
        ("[storage]\nquota_per_user = \"much\"\n", "storage.quota_per_user: `much`"),
    ] {
        let error = refused("", banyan);
        assert!(error.starts_with(key), "{error}");
    }
}

const OWN: &str = "[auth]\njwt_secret = \"0123456789abcdef0123456789abcdef0123\"\n";

// rows: CFG-STORAGE-S3
#[test]
fn the_key_of_s3_is_the_demo_key_or_made_of_the_projects_secret() {
    let key = |config: &str, banyan: &str| {
        let s3 = storage(config, banyan).s3_protocol;
        (s3.access_key_id, s3.secret_access_key.expose_secret().to_owned(), s3.region)
    };
    let (id, secret, region) = key("", "");
    assert_eq!((&*id, &*region), ("625729a08b95bf1b7ff351a663f3a23c", "local"));
    assert_eq!(secret, "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907");
    let (own_id, own_secret, _) = key(OWN, "");
    assert_eq!((own_id.len(), own_secret.len()), (32, 64));
    assert!(own_id != id && own_secret != secret && !own_secret.starts_with(&own_id));
    let set =
        "[storage]\ns3_access_key_id = \"id\"\ns3_secret_access_key = \"secret\"\ns3_region = \"auto\"\n";
    assert_eq!(key(OWN, set), ("id".to_owned(), "secret".to_owned(), "auto".to_owned()));
    let half = refused("", "[storage]\ns3_access_key_id = \"id\"\n");
    assert!(half.starts_with("storage.s3_secret_access_key: is missing"), "{half}");
    let unset =
        load_text("", "[storage]\ns3_access_key_id = \"id\"\ns3_secret_access_key = \"env(S3)\"\n", &[]);
    let unset = unset.expect("other commands go on").unset.expect("needed").to_string();
    assert!(unset.starts_with("storage.s3_secret_access_key: environment variable S3 is not set"), "{unset}");
}

// rows: CFG-STORAGE-S3 CFG-DEMO-KEYS
#[test]
fn the_demo_key_of_s3_is_refused_where_others_reach_the_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir(&supabase).expect("created");
    let own =
        format!("{OWN}secret_key = \"sb_secret_0123456789abcdef\"\nsigning_keys_path = \"./keys.json\"\n");
    std::fs::write(supabase.join("config.toml"), format!("{own}site_url = \"https://school.example\"\n"))
        .expect("written");
    let signing = r#"[{"kty":"EC","crv":"P-256","x":"own","y":"own","d":"own"}]"#;
    std::fs::write(supabase.join("keys.json"), signing).expect("written");
    let load = |storage: &str| {
        let banyan = format!("[auth]\nclient_address_header = \"none\"\n{storage}");
        std::fs::write(supabase.join("banyan.toml"), banyan).expect("written");
        load(folder.path(), Environment::of([]), 0)
    };
    assert!(load("").is_ok(), "made of the secret");
    let demo = "[storage]\ns3_access_key_id = \"x\"\ns3_secret_access_key = \
        \"850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907\"\n";
    let error = load(demo).expect_err("refused").to_string();
    assert!(error.starts_with("storage.s3_secret_access_key: others reach this stack by"), "{error}");
}
