//! `PostObject`: a form of a browser, which its policy signs (CONTRACT.md X02).

use std::ops::RangeInclusive;

use banyan_web::{Body, empty};
use futures_util::{StreamExt, stream};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};

use super::put::with_tag;
use crate::{
    blobs::{BlobError, ByteStream},
    context::Exchange,
    domain::upload::{self, Declared, UploadRequest, owner_of},
    endpoints::object::{Form, read_form},
    error::StorageError,
    s3::{
        credentials,
        headers::{cache_control, content_type},
        request::user_metadata,
        signature::{Claim, Policy, check_times},
        target::Target,
    },
};

/// Fields that may stand before the file.
const MOST_FIELDS: usize = 20;

/// Fields of a form, by names in lower case.
struct Fields(Vec<(String, String)>);

impl Fields {
    /// A field that is there twice could mean one thing to the policy and another to the object.
    fn of(sent: Vec<(String, String)>, bucket: &str) -> Result<Self, StorageError> {
        let mut fields = vec![("bucket".to_owned(), bucket.to_owned())];
        for (name, value) in sent {
            let name = name.to_ascii_lowercase();
            let is_bucket = name == "bucket" && value == bucket;
            if !is_bucket && fields.iter().any(|(found, _)| *found == name) {
                return Err(StorageError::InvalidSignature("Duplicate form field in POST policy request"));
            }
            if !is_bucket {
                fields.push((name, value));
            }
        }
        Ok(Self(fields))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Writes the file of a form in place of the object that is there.
pub(in crate::s3) async fn post(
    mut exchange: Exchange,
    target: Target,
) -> Result<Response<Body>, StorageError> {
    let kind = exchange.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let form = read_form(kind, exchange.take_body(), MOST_FIELDS);
    let Form { fields, file_name, bytes, .. } = exchange.patience.whole(form).await?;
    let fields = Fields::of(fields, target.bucket())?;
    let sizes = authenticate(&mut exchange, &fields)?;
    let wanted = wanted(&exchange, &target, &fields, file_name)?;
    let plan = upload::plan(&exchange.service, &exchange.context, wanted).await?;
    let plan = plan.rehearse(exchange.as_caller()?).await?;
    let bytes = within(bytes, sizes);
    let uploaded = plan.store(&exchange.service, &exchange.context, bytes).await?;
    let mut response = with_tag(&uploaded);
    *response.status_mut() = status(fields.get("success_action_status"));
    let location = HeaderValue::from_str(&format!("/{}", uploaded.key));
    if let Ok(location) = location {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response.map(|_| empty()))
}

/// Checks the signature of the policy, and the fields by the policy. The caller is whom the
/// signature proves. Returns the sizes that the file may have.
fn authenticate(exchange: &mut Exchange, fields: &Fields) -> Result<RangeInclusive<u64>, StorageError> {
    let now = exchange.context.now;
    let Some(policy) = fields.get("policy") else {
        return Err(StorageError::AccessDenied("Missing signature".to_owned()));
    };
    let claim = Claim::of_form(|name| fields.get(name))?;
    let (key, caller) = credentials::find(&exchange.service, &claim, now)?;
    check_times(&claim, now)?;
    if !key.signed(policy, &claim.signature) {
        return Err(StorageError::SignatureDoesNotMatch);
    }
    let sizes = Policy::read(policy)?.check(&fields.0, now)?;
    exchange.context.caller = Ok(caller);
    Ok(sizes)
}

fn wanted(
    exchange: &Exchange,
    target: &Target,
    fields: &Fields,
    file_name: Option<String>,
) -> Result<UploadRequest, StorageError> {
    let key = fields.get("key").ok_or(StorageError::MissingParameter("key"))?;
    Ok(UploadRequest {
        bucket: target.bucket().to_owned(),
        name: key.replace("${filename}", &file_name.unwrap_or_default()),
        upsert: true,
        owner: owner_of(exchange.context.caller()?),
        declared: Declared {
            mimetype: content_type(fields.get("content-type")),
            cache_control: cache_control(fields.get("cache-control")),
            size: None,
            content_length: None,
            user_metadata: user_metadata(fields.iter()),
            x_robots_tag: None,
        },
    })
}

/// The same bytes; they end in an error when there are more or fewer than the policy lets.
fn within(bytes: ByteStream, sizes: RangeInclusive<u64>) -> ByteStream {
    Box::pin(stream::try_unfold((bytes, 0), move |(mut bytes, passed)| {
        let sizes = sizes.clone();
        async move {
            let refused = |error| Err(BlobError::Source(Box::new(error)));
            let Some(piece) = bytes.next().await.transpose()? else {
                let is_enough = passed >= *sizes.start();
                return if is_enough { Ok(None) } else { refused(StorageError::EntityTooSmall) };
            };
            let passed = passed + piece.len() as u64;
            if passed > *sizes.end() {
                return refused(StorageError::EntityTooLarge);
            }
            Ok::<_, BlobError>(Some((piece, (bytes, passed))))
        }
    }))
}

/// The status that the form asks for.
fn status(wanted: Option<&str>) -> StatusCode {
    match wanted {
        Some("200") => StatusCode::OK,
        Some("201") => StatusCode::CREATED,
        _ => StatusCode::NO_CONTENT,
    }
}
