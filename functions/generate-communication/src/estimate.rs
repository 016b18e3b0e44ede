//! Estimates a communication before it is made: its writer, and warnings for the teacher.

use banyan_functions::dates::Day;
use banyan_functions::metadata::Estimate;
use banyan_functions::model::authoring::Writer;
use serde_json::{Value, json};

use crate::details::KeyDetails;
use crate::purpose::Purpose;
use crate::request::{CommunicationRequest, Medium};
use crate::words::Words;

/// All facts are the sender's own and all sentences fit them.
pub const COVERAGE: f64 = 1.0;

/// The `meta` of a document that is not made yet, with its honesty line as `label`
/// (SPECIFICATION.md GEN-11.3).
pub fn estimate(request: &CommunicationRequest, writer: Writer) -> Value {
    let words = Words::of(request.language);
    let estimate = Estimate::new(&words.labels, writer, || COVERAGE);
    let warnings = warnings(request, &words, estimate.honesty(), None);
    json!({ "meta": estimate.meta(request.language, request.stand_in, &warnings) })
}

/// Warnings for the sender, for example of a day before `today`.
pub(crate) fn warnings(
    request: &CommunicationRequest,
    words: &Words,
    honesty: Option<&str>,
    today: Option<Day>,
) -> Vec<String> {
    let mut warnings = words.common.warnings.collect(honesty, None, request.stand_in, ("", None));
    let purpose = Purpose::of(request);
    let cases = [
        ("past", today.is_some_and(|today| request.event < today)),
        ("noTime", purpose.has_time() && !KeyDetails::have_time(request)),
        ("child", KeyDetails::of(request, "").named_child),
        ("secret", KeyDetails::have_secrets(request)),
    ];
    warnings.extend(cases.into_iter().filter(|(_, applies)| *applies).map(|(name, _)| words.warning(name)));
    warnings
}

/// Longest message to a group, in characters, and in lines (SPECIFICATION.md DOM-7.1).
const GROUP_LIMITS: (usize, usize) = (900, 12);

/// A warning where a message is too long for a group; it is never cut.
pub(crate) fn too_long(request: &CommunicationRequest, words: &Words, text: &str) -> Option<String> {
    let (characters, lines) = GROUP_LIMITS;
    let long = text.trim_end().chars().count() > characters || text.trim_end().lines().count() > lines;
    (request.medium == Medium::Whatsapp && long).then(|| words.warning("long"))
}
