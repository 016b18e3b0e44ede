//! Options by name, from whichever place says them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{DataApi, file};
use crate::{Api, ConfigError, Environment};

/// Options that the database may set, as `pgrst.<name with underscores>`
/// (rest/CONTRACT.md config db-config).
const IN_DATABASE: [&str; 25] = [
    "client-error-verbosity",
    "db-aggregates-enabled",
    "db-anon-role",
    "db-extra-search-path",
    "db-hoisted-tx-settings",
    "db-max-rows",
    "db-plan-enabled",
    "db-pre-config",
    "db-pre-request",
    "db-prepared-statements",
    "db-root-spec",
    "db-schemas",
    "db-tx-end",
    "jwt-aud",
    "jwt-cache-max-entries",
    "jwt-role-claim-key",
    "jwt-secret",
    "jwt-secret-is-base64",
    "openapi-mode",
    "openapi-security-active",
    "openapi-server-proxy-uri",
    "server-cors-allowed-origins",
    "server-timing-enabled",
    "server-trace-header",
    "url-use-legacy-target-names",
];

/// Reads file and environment, to be checked together with the settings of the database.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    path: Option<PathBuf>,
    environment: Environment,
    file: BTreeMap<String, String>,
}

impl Layers {
    /// Reads the file, when there is one; the environment is that of the process.
    ///
    /// # Errors
    /// [`ConfigError::Read`] and [`ConfigError::Syntax`] of the file.
    pub fn read(path: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        let file = path.map(|path| file::read(path, environment)).transpose()?.unwrap_or_default();
        Ok(Self { path: path.map(Path::to_owned), environment: environment.clone(), file })
    }

    /// Takes the options from the stack's own configuration (rest/CONTRACT.md config
    /// supabase-local-defaults). The keyring checks tokens there, so options about tokens have no
    /// effect.
    #[must_use]
    pub fn of_stack(api: &Api) -> Self {
        let options = [
            ("db-schemas", api.schemas.join(",")),
            ("db-extra-search-path", api.extra_search_path.join(",")),
            ("db-max-rows", if api.max_rows == 0 { String::new() } else { api.max_rows.to_string() }),
            ("db-anon-role", "anon".to_owned()),
            ("openapi-server-proxy-uri", format!("{}/rest/v1", api.external_url)),
            ("db-unfiltered-writes", api.unfiltered_writes.to_string()),
        ];
        let file = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { path: None, environment: Environment::default(), file }
    }

    /// Reads the file again.
    ///
    /// # Errors
    /// As [`Layers::read`].
    pub fn reread(&self) -> Result<Self, ConfigError> {
        match &self.path {
            Some(path) => Self::read(Some(path), &self.environment),
            None => Ok(self.clone()),
        }
    }

    /// Names of the settings that count in the database: `pgrst.db_schemas`, ….
    #[must_use]
    pub fn names_in_database() -> Vec<String> {
        IN_DATABASE.map(|name| format!("pgrst.{}", name.replace('-', "_"))).to_vec()
    }

    /// Checks every option; `in_database` are names such as `pgrst.db_schemas` with their values,
    /// and they win.
    ///
    /// # Errors
    /// [`ConfigError::Value`] naming the option, [`ConfigError::Read`] for a file named by `@`.
    pub fn check(&self, in_database: &[(String, String)]) -> Result<DataApi, ConfigError> {
        super::check::check(&Lookup { layers: self, in_database })
    }

    /// libpq's own variables, for what `db-uri` leaves open.
    #[must_use]
    pub fn libpq(&self, name: &str) -> Option<&str> {
        self.environment.get(name)
    }
}

/// One option at a time, from the place that counts.
pub(super) struct Lookup<'a> {
    layers: &'a Layers,
    in_database: &'a [(String, String)],
}

impl Lookup<'_> {
    /// The words of an option, empty or not.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        let words = name.replace('-', "_");
        let in_database = IN_DATABASE.contains(&name).then(|| self.of_database(&words)).flatten();
        in_database
            .or_else(|| self.layers.environment.even_empty(&format!("PGRST_{}", words.to_ascii_uppercase())))
            .or_else(|| self.layers.file.get(name).map(String::as_str))
    }

    fn of_database(&self, words: &str) -> Option<&str> {
        let named = |(name, _): &&(String, String)| name.strip_prefix("pgrst.") == Some(words);
        self.in_database.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// The words of an option or of its old name; empty ones are none.
    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.raw(name).filter(|words| !words.is_empty()))
    }

    /// Returns whether the database sets the option.
    pub(super) fn is_in_database(&self, name: &str) -> bool {
        self.of_database(&name.replace('-', "_")).is_some()
    }

    /// Reads a number. A text that is no number counts as not given, as in the reference.
    pub(super) fn number<T: std::str::FromStr>(&self, names: &[&str]) -> Option<T> {
        names.iter().find_map(|name| self.raw(name)?.trim().parse().ok())
    }

    /// `true` and `false` in any case and quoting, or a number, which is true above 0; anything
    /// else is not given.
    pub(super) fn boolean(&self, names: &[&str]) -> Option<bool> {
        names.iter().find_map(|name| {
            let words = self.raw(name)?.trim();
            let letters: String = words.chars().filter(|sign| sign.is_alphabetic()).collect();
            match letters.to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => words.parse::<i64>().ok().map(|number| number > 0),
            }
        })
    }

    /// `app.settings.*` of the file and `PGRST_APP_SETTINGS_*` of the environment, which win.
    pub(super) fn app_settings(&self) -> Vec<(String, String)> {
        let of_file = self.layers.file.range("app.settings.".to_owned()..);
        let mut settings: BTreeMap<String, String> = of_file
            .take_while(|(name, _)| name.starts_with("app.settings."))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, value) in self.layers.environment.with_prefix("PGRST_APP_SETTINGS_") {
            let name = &name["PGRST_APP_SETTINGS_".len()..];
            settings.insert(format!("app.settings.{name}"), value.to_owned());
        }
        settings.into_iter().collect()
    }
}
