//! What a request says of its signature: in `Authorization`, in its query or in a form.

use http::{HeaderMap, header::AUTHORIZATION};
use ring::digest::{SHA256, digest};
use time::{Duration, OffsetDateTime, PrimitiveDateTime, macros::format_description};

use super::super::query::Query;
use crate::error::StorageError;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Where a signature stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::s3) enum Place {
    /// In the header `Authorization`.
    Header,
    /// In the query: a URL that was signed beforehand, and is valid for so long.
    Query(Duration),
    /// In the fields of a form.
    Form,
}

/// The day, the region and the service that a signature is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::s3) struct Scope {
    /// Such as `20130524`.
    pub(in crate::s3) day: String,
    pub(in crate::s3) region: String,
}

impl Scope {
    pub(in crate::s3) fn text(&self) -> String {
        format!("{}/{}/s3/aws4_request", self.day, self.region)
    }
}

/// What a request says of its payload's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::s3) enum PayloadHash {
    Unsigned,
    /// The SHA-256 of the body.
    Whole([u8; 32]),
    /// The body comes in chunks, each with a signature; perhaps with a signed trailer.
    SignedChunks {
        trailer: bool,
    },
    /// The body comes in chunks without signatures, with a trailer.
    UnsignedChunks,
}

/// A signature, and what it claims to be of.
#[derive(Debug, Clone)]
pub(in crate::s3) struct Claim {
    pub(in crate::s3) place: Place,
    pub(in crate::s3) access_key: String,
    pub(in crate::s3) scope: Scope,
    pub(in crate::s3) signed_headers: Vec<String>,
    /// Hexadecimal digits.
    pub(in crate::s3) signature: String,
    /// As it was sent, such as `20130524T000000Z`.
    pub(in crate::s3) date: String,
    pub(in crate::s3) session_token: Option<String>,
    /// The payload's hash as it was sent.
    pub(in crate::s3) payload: String,
}

/// Why there is no signature: of version 2 the client is told which one to use.
fn missing(authorization: Option<&str>, query: &Query) -> &'static str {
    let is_of_version_2 =
        authorization.is_some_and(|value| value.starts_with("AWS ")) || query.has("AWSAccessKeyId");
    if is_of_version_2 { "Only AWS4-HMAC-SHA256 is supported" } else { "Missing signature" }
}

impl Claim {
    /// Reads the signature of a request. A signed URL keeps its signature when a client adds an
    /// `Authorization` of another kind.
    pub(in crate::s3) fn of_request(headers: &HeaderMap, query: &Query) -> Result<Self, StorageError> {
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        match authorization.and_then(|value| value.strip_prefix(ALGORITHM)) {
            Some(parameters) => Self::of_header(parameters, headers),
            None if query.has("X-Amz-Signature") => Self::of_query(headers, query),
            None => Err(StorageError::AccessDenied(missing(authorization, query).to_owned())),
        }
    }

    fn of_header(parameters: &str, headers: &HeaderMap) -> Result<Self, StorageError> {
        let parameter = |name: &str| {
            let mut all = parameters.split(',').filter_map(|parameter| parameter.trim().split_once('='));
            all.find(|(found, _)| *found == name).map(|(_, value)| value).ok_or(MALFORMED)
        };
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let (access_key, scope) = read_credential(parameter("Credential")?)?;
        Ok(Self {
            place: Place::Header,
            access_key,
            scope,
            signed_headers: read_names(parameter("SignedHeaders")?),
            signature: parameter("Signature")?.to_owned(),
            date: header("x-amz-date").ok_or(MALFORMED)?.to_owned(),
            session_token: header("x-amz-security-token").map(str::to_owned),
            payload: header("x-amz-content-sha256")
                .ok_or(StorageError::MissingParameter("x-amz-content-sha256"))?
                .to_owned(),
        })
    }

    fn of_query(headers: &HeaderMap, query: &Query) -> Result<Self, StorageError> {
        let parameter = |name: &str| query.text(name).ok_or(MALFORMED);
        if parameter("X-Amz-Algorithm")? != ALGORITHM {
            return Err(MALFORMED);
        }
        let (access_key, scope) = read_credential(parameter("X-Amz-Credential")?)?;
        let signed_headers = read_names(parameter("X-Amz-SignedHeaders")?);
        let sent = headers.get("x-amz-content-sha256").and_then(|value| value.to_str().ok());
        let signed = sent.filter(|_| signed_headers.iter().any(|name| name == "x-amz-content-sha256"));
        Ok(Self {
            place: Place::Query(read_life(parameter("X-Amz-Expires")?)?),
            access_key,
            scope,
            signature: parameter("X-Amz-Signature")?.to_owned(),
            date: parameter("X-Amz-Date")?.to_owned(),
            session_token: query.text("X-Amz-Security-Token").map(str::to_owned),
            payload: query.text("X-Amz-Content-Sha256").or(signed).unwrap_or(UNSIGNED).to_owned(),
            signed_headers,
        })
    }

    /// Reads the signature of a form, whose fields have names in lower case.
    pub(in crate::s3) fn of_form<'a>(field: impl Fn(&str) -> Option<&'a str>) -> Result<Self, StorageError> {
        let needed = |name: &str| field(name).ok_or(MALFORMED);
        if needed("x-amz-algorithm")? != ALGORITHM {
            return Err(MALFORMED);
        }
        let (access_key, scope) = read_credential(needed("x-amz-credential")?)?;
        Ok(Self {
            place: Place::Form,
            access_key,
            scope,
            signed_headers: Vec::new(),
            signature: needed("x-amz-signature")?.to_owned(),
            date: needed("x-amz-date")?.to_owned(),
            session_token: field("x-amz-security-token").map(str::to_owned),
            payload: UNSIGNED.to_owned(),
        })
    }

    /// When it was signed.
    pub(in crate::s3) fn signed_at(&self) -> Result<OffsetDateTime, StorageError> {
        let format = format_description!("[year][month][day]T[hour][minute][second]Z");
        let time = PrimitiveDateTime::parse(&self.date, format).map_err(|_| MALFORMED)?;
        Ok(time.assume_utc())
    }

    /// What is signed for a canonical request.
    pub(super) fn string_to_sign(&self, canonical_request: &str) -> String {
        let hash = hex::encode(digest(&SHA256, canonical_request.as_bytes()));
        format!("{ALGORITHM}\n{}\n{}\n{hash}", self.date, self.scope.text())
    }

    /// What it says of the payload.
    pub(in crate::s3) fn payload_hash(&self) -> Result<PayloadHash, StorageError> {
        Ok(match self.payload.as_str() {
            UNSIGNED => PayloadHash::Unsigned,
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" => PayloadHash::SignedChunks { trailer: false },
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" => PayloadHash::SignedChunks { trailer: true },
            "STREAMING-UNSIGNED-PAYLOAD-TRAILER" => PayloadHash::UnsignedChunks,
            digits => PayloadHash::Whole(read_hash(digits)?),
        })
    }
}

const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

const MALFORMED: StorageError = StorageError::InvalidSignature("Invalid signature format");

/// Reads `<access key>/<day>/<region>/s3/aws4_request`. An access key may have slashes.
fn read_credential(text: &str) -> Result<(String, Scope), StorageError> {
    let mut parts = text.rsplitn(5, '/');
    let mut next = || parts.next().unwrap_or_default();
    let (end, service, region, day, access_key) = (next(), next(), next(), next(), next());
    if end != "aws4_request" || service != "s3" || access_key.is_empty() {
        return Err(StorageError::InvalidSignature("Invalid credentials"));
    }
    Ok((access_key.to_owned(), Scope { day: day.to_owned(), region: region.to_owned() }))
}

fn read_names(text: &str) -> Vec<String> {
    text.split(';').filter(|name| !name.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// How long a signed URL is valid: at most a week.
fn read_life(text: &str) -> Result<Duration, StorageError> {
    let seconds = text.parse().ok().filter(|seconds| (1..=604_800).contains(seconds));
    seconds.map(Duration::seconds).ok_or(StorageError::InvalidSignature("Invalid expiration"))
}

fn read_hash(digits: &str) -> Result<[u8; 32], StorageError> {
    let mut hash = [0; 32];
    let read = hex::decode_to_slice(digits, &mut hash);
    read.map(|()| hash).map_err(|_| StorageError::InvalidSignature("Invalid x-amz-content-sha256"))
}
