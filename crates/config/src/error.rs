use std::path::PathBuf;

/// Errors of a configuration. Every message names the place to change.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file exists and cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A file is not TOML, or a key has the wrong type.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with line and column.
        message: String,
    },
    /// A value is out of bounds.
    #[error("{key}: {message}")]
    Value {
        /// Dotted key, as in config.toml.
        key: String,
        /// The mistake, and the right value.
        message: String,
    },
    /// Several of these.
    #[error("{}", lines(.0))]
    Several(Vec<Self>),
    /// Errors, and what is doubtful beside them: that may well be why.
    #[error("{}{}", lines(errors), as_warnings(warnings))]
    Doubtful {
        /// The errors.
        errors: Vec<Self>,
        /// Likely mistakes, one sentence each.
        warnings: Vec<String>,
    },
    /// No `supabase/config.toml` at or above the working folder.
    #[error("no supabase/config.toml in {0} or above; run `banyan init`, or name the folder with --workdir")]
    NoProject(PathBuf),
}

impl ConfigError {
    pub(crate) fn value(key: &str, message: impl Into<String>) -> Self {
        Self::Value { key: key.to_owned(), message: message.into() }
    }

    /// Refuses a name that is not in a closed list: names the one that was likely meant, or all.
    pub(crate) fn no_such<'a>(
        place: &str,
        kind: &str,
        meant: Option<&str>,
        all: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let message = match meant {
            Some(meant) => format!("there is no such {kind}; did you mean {meant}?"),
            None => {
                let all: Vec<&str> = all.into_iter().collect();
                format!("there is no such {kind}. There are {}", all.join(", "))
            }
        };
        Self::value(place, message)
    }

    /// One error of several, at least one; of each key the first.
    pub(crate) fn all(errors: Vec<Self>) -> Self {
        let mut each: Vec<Self> = Vec::new();
        let flat = errors.into_iter().flat_map(|error| match error {
            Self::Several(errors) => errors,
            error => vec![error],
        });
        for error in flat {
            if error.key().is_none() || each.iter().all(|earlier| earlier.key() != error.key()) {
                each.push(error);
            }
        }
        if each.len() == 1 { each.remove(0) } else { Self::Several(each) }
    }

    /// Adds warnings to the error.
    pub(crate) fn with_warnings(self, warnings: Vec<String>) -> Self {
        match self {
            error if warnings.is_empty() => error,
            Self::Several(errors) => Self::Doubtful { errors, warnings },
            error => Self::Doubtful { errors: vec![error], warnings },
        }
    }

    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Self::Value { key, .. } => Some(key),
            _ => None,
        }
    }
}

/// A line for each, with its cause.
fn lines(errors: &[ConfigError]) -> String {
    let line = |error: &ConfigError| match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// One line each, in the form of a start's warnings.
fn as_warnings(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("\nWARN: {warning}")).collect()
}

/// All values of results that were got beside each other, or all their errors at once.
pub(crate) fn every<T, All: FromIterator<T>>(
    results: impl Iterator<Item = Result<T, ConfigError>>,
) -> Result<All, ConfigError> {
    let mut errors = Vec::new();
    let values = results.filter_map(|result| result.map_err(|error| errors.push(error)).ok()).collect();
    if errors.is_empty() { Ok(values) } else { Err(ConfigError::all(errors)) }
}

/// Takes the values out of results that were got beside each other, or returns all their errors at
/// once.
macro_rules! together {
    ($($value:ident),+ $(,)?) => {
        let mut errors = Vec::new();
        $(let $value = $value.map_err(|error| errors.push(error)).ok();)+
        let ($(Some($value),)+) = ($($value,)+) else { return Err($crate::ConfigError::all(errors)) };
    };
}
pub(crate) use together;
