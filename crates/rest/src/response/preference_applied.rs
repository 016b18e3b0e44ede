//! `Preference-Applied` (CONTRACT.md H03, H04).

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    plan::WritePlan,
    request::{
        ApiRequest,
        action::Mutation,
        preferences::{Count, Handling, Missing, Representation, Resolution, Transaction},
    },
};

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Kinds of preferences that count for an action, besides those that always do.
pub(super) struct Applied {
    resolution: bool,
    missing: bool,
    representation: bool,
    max_affected: bool,
}

impl Applied {
    pub(super) fn read() -> Self {
        Self { resolution: false, missing: false, representation: false, max_affected: false }
    }

    pub(super) fn call() -> Self {
        Self { max_affected: true, ..Self::read() }
    }

    pub(super) fn write(plan: &WritePlan) -> Self {
        let insert = plan.mutation == Mutation::Insert;
        Self {
            resolution: insert && plan.resolves,
            missing: insert || plan.mutation == Mutation::Update,
            representation: true,
            max_affected: matches!(plan.mutation, Mutation::Update | Mutation::Delete),
        }
    }
}

/// Sets the header, if any preference was applied.
pub(super) fn set(headers: &mut HeaderMap, request: &ApiRequest, applied: &Applied) {
    let preferences = &request.shape.preferences;
    let mut words: Vec<String> = Vec::new();
    words.extend(preferences.resolution.filter(|_| applied.resolution).map(resolution));
    words.extend(preferences.missing.filter(|_| applied.missing).map(missing));
    words.extend(preferences.representation.filter(|_| applied.representation).map(representation));
    words.extend(preferences.count.map(count));
    words.extend(preferences.transaction.map(transaction));
    words.extend(preferences.handling.map(handling));
    words.extend(request.other_preferences.timezone.as_ref().map(|zone| format!("timezone={zone}")));
    let enforced = preferences.enforced_max_affected().filter(|_| applied.max_affected);
    words.extend(enforced.map(|rows| format!("max-affected={rows}")));
    if let (false, Ok(value)) = (words.is_empty(), HeaderValue::from_str(&words.join(", "))) {
        headers.insert(PREFERENCE_APPLIED, value);
    }
}

fn resolution(value: Resolution) -> String {
    match value {
        Resolution::Merge => "resolution=merge-duplicates".to_owned(),
        Resolution::Ignore => "resolution=ignore-duplicates".to_owned(),
    }
}

fn missing(value: Missing) -> String {
    match value {
        Missing::Default => "missing=default".to_owned(),
        Missing::Null => "missing=null".to_owned(),
    }
}

fn representation(value: Representation) -> String {
    match value {
        Representation::Full => "return=representation".to_owned(),
        Representation::HeadersOnly => "return=headers-only".to_owned(),
        Representation::Minimal => "return=minimal".to_owned(),
    }
}

fn count(value: Count) -> String {
    match value {
        Count::Exact => "count=exact".to_owned(),
        Count::Planned => "count=planned".to_owned(),
        Count::Estimated => "count=estimated".to_owned(),
    }
}

fn transaction(value: Transaction) -> String {
    match value {
        Transaction::Commit => "tx=commit".to_owned(),
        Transaction::Rollback => "tx=rollback".to_owned(),
    }
}

fn handling(value: Handling) -> String {
    match value {
        Handling::Strict => "handling=strict".to_owned(),
        Handling::Lenient => "handling=lenient".to_owned(),
    }
}
