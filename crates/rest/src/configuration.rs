//! Reads the settings of the service: from files and environment, and over them from the database
//! (CONTRACT.md config db-config).

use std::sync::Arc;

use banyan_config::{
    ConfigError,
    postgrest::{DataApi, Layers},
};
use banyan_db::{Database, Login, sql};
use sqlx::{AssertSqlSafe, Row};

use crate::settings::Settings;

/// The channel that `notify` and the event triggers use unless another is configured
/// (CONTRACT.md L06).
const DEFAULT_CHANNEL: &str = "pgrst";

/// Source of the settings.
#[derive(Debug, Clone)]
pub struct Configuration {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Fixed(Box<Settings>),
    Layers(Box<Layers>),
}

impl From<Settings> for Configuration {
    /// Fixed settings. The database cannot change them.
    fn from(settings: Settings) -> Self {
        Self { source: Source::Fixed(Box::new(settings)) }
    }
}

impl From<Layers> for Configuration {
    /// Options of file and environment, under those that the database says in `pgrst.*`.
    fn from(layers: Layers) -> Self {
        Self { source: Source::Layers(Box::new(layers)) }
    }
}

/// The configuration at one time.
#[derive(Debug, Clone)]
pub struct CurrentConfiguration {
    /// Settings of requests.
    pub settings: Arc<Settings>,
    /// Every option, where there are options; the server reads those that concern it.
    pub options: Option<Arc<DataApi>>,
}

impl CurrentConfiguration {
    /// The channel to listen on; none when it is switched off (CONTRACT.md L06).
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        match &self.options {
            None => Some(DEFAULT_CHANNEL),
            Some(options) => options.channel_enabled.then_some(options.channel.as_str()),
        }
    }
}

/// Why the configuration could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// An option has a value that it cannot have. The old configuration stays; at the start there
    /// is none.
    #[error(transparent)]
    Wrong(#[from] ConfigError),
    /// The database could not be asked.
    #[error("the settings pgrst.* could not be read")]
    Query(#[from] sqlx::Error),
}

impl Configuration {
    /// Reads file and environment only.
    ///
    /// # Errors
    /// [`ConfigError`] of an option.
    pub fn without_database(&self) -> Result<CurrentConfiguration, ConfigError> {
        match &self.source {
            Source::Fixed(settings) => {
                Ok(CurrentConfiguration { settings: Arc::new((**settings).clone()), options: None })
            }
            Source::Layers(layers) => Ok(from_options(layers.check(&[])?)),
        }
    }

    /// Reads file, environment and database.
    ///
    /// # Errors
    /// [`ConfigurationError`]; the previous configuration is then kept.
    pub(crate) async fn read(&self, database: &Database) -> Result<CurrentConfiguration, ConfigurationError> {
        let Source::Layers(layers) = &self.source else { return Ok(self.without_database()?) };
        let layers = layers.reread()?;
        let outside = layers.check(&[])?;
        if !outside.in_database {
            return Ok(from_options(outside));
        }
        let of_role = database_settings(database, None).await?;
        let pre_config = layers.check(&of_role)?.pre_config;
        let all = match pre_config {
            None => of_role,
            Some(function) => database_settings(database, Some(&function)).await?,
        };
        Ok(from_options(layers.check(&all)?))
    }
}

fn from_options(options: DataApi) -> CurrentConfiguration {
    CurrentConfiguration { settings: Arc::new(Settings::from(&options)), options: Some(Arc::new(options)) }
}

/// Settings `pgrst.*` of the role that is logged in: those for this database win over those for
/// all, and both over what the function `pre_config` sets.
async fn database_settings(
    database: &Database,
    pre_config: Option<&str>,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let names = Layers::names_in_database();
    let mut transaction = database.pool(Login::Authenticator).begin().await?;
    sqlx::raw_sql("set transaction read only").execute(&mut *transaction).await?;
    if let Some(function) = pre_config {
        let call = format!("select {}()", sql::qualified(function));
        // The name is quoted, whatever it holds.
        sqlx::query(AssertSqlSafe(call)).execute(&mut *transaction).await?;
    }
    let rows = sqlx::query(include_str!("database_settings.sql"))
        .bind(&names)
        .bind(pre_config.is_some())
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
