//! Fetches the sample that a request names, as the caller, and reads it.

use std::time::Duration;

use banyan_functions::caller::is_uuid;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::paid_call::{Source, Unread};
use banyan_functions::project::ApiError;
use banyan_functions::sanitise;
use banyan_functions::storage::StorageClient;
use banyan_functions::transport::{Transport, TransportError, within};
use serde_json::json;

use crate::error::SampleError;
use crate::limits::Limits;
use crate::read::text_of;
use crate::text::SampleText;

/// The private bucket of samples: each user's files lie in a folder named by the user's id.
const BUCKET: &str = "samples";

/// Time to fetch a sample.
const FETCHING: Duration = Duration::from_secs(20);

/// The text of the sample that `marker` names; nothing for a marker that names no file of the
/// caller's (SPECIFICATION.md GEN-5.3.2).
///
/// # Errors
/// `Refused` for a file that cannot be used; `Missing` for one that is not there any more, and
/// where storage does not answer.
pub async fn sample_of(
    transport: &impl Transport,
    source: &Source<'_>,
    marker: &str,
) -> Result<Option<SampleText>, Unread> {
    if !is_own(marker, source.user) {
        return Ok(None);
    }
    let bytes = fetch(transport, source, marker).await?;
    let text = text_of(&bytes, &Limits::default()).map_err(|error| Unread::Refused(error.into()))?;
    note(&text);
    Ok(Some(text))
}

/// Returns whether a marker is `<id of the user>/<UUID>.<pdf or docx>`.
fn is_own(marker: &str, user: &str) -> bool {
    let Some((folder, file)) = marker.split_once('/') else { return false };
    let Some((name, kind)) = file.split_once('.') else { return false };
    folder == user && is_uuid(name) && matches!(kind, "pdf" | "docx")
}

async fn fetch(transport: &impl Transport, source: &Source<'_>, name: &str) -> Result<Vec<u8>, Unread> {
    let unanswered = |error: ApiError| Unread::Missing(error.into());
    let storage = StorageClient::as_caller(transport, source.env, source.headers).map_err(unanswered)?;
    let limit = Limits::default().bytes;
    match within(transport, FETCHING, storage.download(BUCKET, name, limit)).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => Err(Unread::Missing(SampleError::Missing.into())),
        Ok(Err(ApiError::Transport(TransportError::TooLarge))) => {
            Err(Unread::Refused(SampleError::TooLarge { limit }.into()))
        }
        Ok(Err(error)) => Err(unanswered(error)),
        Err(timeout) => Err(unanswered(timeout.into())),
    }
}

/// Has the log tell what was read, and that it looks like instructions.
fn note(text: &SampleText) {
    let suspect = text.lines.iter().any(|line| sanitise::looks_like_instructions(&line.text));
    let read = json!({ "pages": text.pages, "lines": text.lines.len(), "instructions": suspect });
    log::info("a sample was read", &read);
}

/// The client is told why, in a sentence and by a code.
impl From<SampleError> for FunctionError {
    fn from(error: SampleError) -> Self {
        Self::Sample { code: error.code(), message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GEN-5.3.2
    #[test]
    fn a_marker_names_a_file_in_the_folder_of_the_caller() {
        let user = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
        let file = "0b9a1a52-1b4e-4c1e-8f0e-5a2f6c1d7e90";
        assert!(is_own(&format!("{user}/{file}.pdf"), user) && is_own(&format!("{user}/{file}.docx"), user));
        for foreign in [
            "my-plan.pdf".to_owned(),
            format!("{file}/{file}.pdf"),
            format!("{user}/{file}.doc"),
            format!("{user}/{file}"),
            format!("{user}/{file}.pdf.docx"),
            format!("{user}/../{file}/{file}.pdf"),
            format!("{user}/x/{file}.pdf"),
            format!("/{user}/{file}.pdf"),
            format!("{user}/my-plan.pdf"),
        ] {
            assert!(!is_own(&foreign, user), "{foreign}");
        }
    }
}
