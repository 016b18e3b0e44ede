use std::path::PathBuf;

/// What can be wrong with a configuration. Every message names the place to change.
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
        /// What the parser said, with line and column.
        message: String,
    },
    /// A value is out of bounds.
    #[error("{key}: {message}")]
    Value {
        /// Dotted key, as in config.toml.
        key: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// No `supabase/config.toml` at or above the working folder.
    #[error("no supabase/config.toml in {0} or above; run `banyan init`, or name the folder with --workdir")]
    NoProject(PathBuf),
}

impl ConfigError {
    pub(crate) fn value(key: &str, message: impl Into<String>) -> Self {
        Self::Value { key: key.to_owned(), message: message.into() }
    }
}
