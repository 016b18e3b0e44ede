//! `Prefer` (CONTRACT.md H01 to H09).

use http::HeaderMap;

/// Preferences of the client that change the action. For each kind the first value counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Preferences {
    /// `resolution`
    pub resolution: Option<Resolution>,
    /// `return`
    pub representation: Option<Representation>,
    /// `count`
    pub count: Option<Count>,
    /// `tx`; honoured only where the settings allow it (CONTRACT.md H08).
    pub transaction: Option<Transaction>,
    /// `missing`
    pub missing: Option<Missing>,
    /// `handling`
    pub handling: Option<Handling>,
    /// `max-affected`
    pub max_affected: Option<i64>,
    /// Whether there are unknown ones, which `handling=strict` refuses.
    pub unknown: bool,
}

/// Preferences that no SQL depends on, as the client wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OtherPreferences {
    /// `timezone`
    pub timezone: Option<String>,
    /// Everything that is not known.
    pub unknown: Vec<String>,
}

/// Treatment of a row whose key exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// It is changed.
    Merge,
    /// It is left alone.
    Ignore,
}

/// The body of a write's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Representation {
    /// The rows.
    Full,
    /// The address of the row.
    HeadersOnly,
    /// Nothing.
    Minimal,
}

/// How rows are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Count {
    /// By counting.
    Exact,
    /// By asking the planner.
    Planned,
    /// By counting up to the most rows of a read, above it by asking the planner.
    Estimated,
}

/// How the transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transaction {
    /// It is kept.
    Commit,
    /// It is undone.
    Rollback,
}

/// The value of a column that the body leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Its default.
    Default,
    /// Null.
    Null,
}

/// Treatment of unknown preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handling {
    /// The request is refused.
    Strict,
    /// They are ignored.
    Lenient,
}

impl Preferences {
    /// Whether `handling=strict` was asked for.
    #[must_use]
    pub fn strict(&self) -> bool {
        self.handling == Some(Handling::Strict)
    }

    /// Most rows that may be affected, if that is enforced (CONTRACT.md M11, M12).
    #[must_use]
    pub fn enforced_max_affected(&self) -> Option<i64> {
        self.max_affected.filter(|_| self.strict())
    }

    fn take(&mut self, preference: &str, others: &mut OtherPreferences) {
        match preference {
            "resolution=merge-duplicates" => first(&mut self.resolution, Resolution::Merge),
            "resolution=ignore-duplicates" => first(&mut self.resolution, Resolution::Ignore),
            "return=representation" => first(&mut self.representation, Representation::Full),
            "return=headers-only" => first(&mut self.representation, Representation::HeadersOnly),
            "return=minimal" => first(&mut self.representation, Representation::Minimal),
            "count=exact" => first(&mut self.count, Count::Exact),
            "count=planned" => first(&mut self.count, Count::Planned),
            "count=estimated" => first(&mut self.count, Count::Estimated),
            "tx=commit" => first(&mut self.transaction, Transaction::Commit),
            "tx=rollback" => first(&mut self.transaction, Transaction::Rollback),
            "missing=default" => first(&mut self.missing, Missing::Default),
            "missing=null" => first(&mut self.missing, Missing::Null),
            "handling=strict" => first(&mut self.handling, Handling::Strict),
            "handling=lenient" => first(&mut self.handling, Handling::Lenient),
            other => self.take_value(other, others),
        }
    }

    fn take_value(&mut self, preference: &str, others: &mut OtherPreferences) {
        if let Some(zone) = preference.strip_prefix("timezone=") {
            first(&mut others.timezone, zone.to_owned());
        } else if let Some(rows) = preference.strip_prefix("max-affected=") {
            if let Ok(rows) = rows.parse() {
                first(&mut self.max_affected, rows);
            }
        } else if !preference.is_empty() {
            others.unknown.push(preference.to_owned());
        }
    }
}

fn first<T>(kind: &mut Option<T>, value: T) {
    kind.get_or_insert(value);
}

/// Reads all `Prefer` headers. `choice` says whether a request may choose how its transaction ends.
/// If it may not, its choice is ignored silently (CONTRACT.md H08).
pub(super) fn parse(headers: &HeaderMap, choice: bool) -> (Preferences, OtherPreferences) {
    let (mut preferences, mut others) = (Preferences::default(), OtherPreferences::default());
    let values = headers.get_all("prefer").into_iter().filter_map(|value| value.to_str().ok());
    for preference in values.flat_map(|value| value.split(',')) {
        preferences.take(preference.trim(), &mut others);
    }
    preferences.transaction = preferences.transaction.filter(|_| choice);
    preferences.unknown = preferences.strict() && !others.unknown.is_empty();
    (preferences, others)
}
