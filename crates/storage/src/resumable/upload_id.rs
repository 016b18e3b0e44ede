//! The name of an upload in its URL (CONTRACT.md T03).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    error::TusRefusal,
    model::{ResumableUpload, Version},
};

/// The name of an upload in its URL: bucket, object and version, in letters that a URL may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UploadId {
    pub(crate) bucket: String,
    pub(crate) object: String,
    pub(crate) version: Version,
}

impl UploadId {
    /// Reads the last part of an upload's URL.
    ///
    /// # Errors
    /// `NoUpload` for what names none.
    pub(crate) fn decode(text: &str) -> Result<Self, TusRefusal> {
        Self::read(text).ok_or(TusRefusal::NoUpload)
    }

    fn read(text: &str) -> Option<Self> {
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?).ok()?;
        let (bucket, rest) = decoded.split_once('/')?;
        let (object, version) = rest.rsplit_once('/')?;
        let version = Version::read(version)?;
        Some(Self { bucket: bucket.to_owned(), object: object.to_owned(), version })
    }

    /// The last part of the upload's URL.
    pub(crate) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}/{}/{}", self.bucket, self.object, self.version))
    }

    /// Whether it names this upload: whoever signs a URL for one object must not reach another.
    pub(crate) fn names(&self, upload: &ResumableUpload) -> bool {
        (&self.bucket, &self.object, self.version) == (&upload.bucket_id, &upload.name, upload.version)
    }

    /// What a signature of an upload URL opens.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.bucket, self.object)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    // rows: T03
    #[test]
    fn an_id_names_bucket_object_and_version() {
        let id = UploadId {
            bucket: "samples".to_owned(),
            object: "5/नमूना//a.pdf".to_owned(),
            version: Version(Uuid::from_u128(7)),
        };
        assert_eq!(UploadId::decode(&id.encode()), Ok(id.clone()));
        assert_eq!(UploadId::decode(&format!("{}==", id.encode())), Ok(id));
    }

    // rows: T04
    #[test]
    fn what_is_no_id_names_no_upload() {
        let texts = ["", "a/b", "a/b/c", "a", "/", "//", "a/00000000-0000-0000-0000-000000000007"];
        let encoded = texts.iter().map(|text| URL_SAFE_NO_PAD.encode(text));
        for text in encoded.chain(["%", "..", "_w"].map(str::to_owned)) {
            assert_eq!(UploadId::decode(&text), Err(TusRefusal::NoUpload), "{text}");
        }
    }
}
