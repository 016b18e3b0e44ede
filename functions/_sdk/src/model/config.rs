//! Providers and limits, read from the environment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde_json::{Map, Value};

use super::dialect::JsonMode;
use crate::env::Env;

/// One server that speaks the chat protocol.
#[derive(Clone)]
pub struct Provider {
    /// Base address; `/chat/completions` is added.
    pub base: String,
    /// Bearer key; local servers often need none.
    pub key: Option<String>,
    /// The model's name.
    pub model: String,
    /// The first JSON mode to try.
    pub first_mode: JsonMode,
    /// `true`: simpler JSON modes may be tried.
    pub adaptive: bool,
    /// Fields merged into every request body.
    pub extra: Map<String, Value>,
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider").field("host", &self.host()).field("model", &self.model).finish()
    }
}

impl Provider {
    /// The host name, for logs.
    pub fn host(&self) -> &str {
        let rest = self.base.split_once("://").map_or(self.base.as_str(), |(_, rest)| rest);
        rest.split(['/', '?']).next().unwrap_or_default()
    }

    fn from_env(env: &Env, prefix: &str) -> Option<Self> {
        let base = env.get(&format!("{prefix}BASE_URL"))?.trim_end_matches('/').to_owned();
        let mode = env.get("LLM_JSON_MODE").and_then(JsonMode::parse);
        let extra = env.get("LLM_EXTRA_BODY").and_then(|text| serde_json::from_str(text).ok());
        Some(Self {
            base,
            key: env.get(&format!("{prefix}API_KEY")).map(str::to_owned),
            model: env.get(&format!("{prefix}MODEL")).unwrap_or("default").to_owned(),
            first_mode: mode.unwrap_or(JsonMode::Schema),
            adaptive: mode.is_none(),
            extra: extra.unwrap_or_default(),
        })
    }
}

/// Time limits, all of them inside the whole request's budget.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// One call, retries not counted.
    pub call: Duration,
    /// Until the first byte of the body.
    pub first_byte: Duration,
    /// Between two chunks.
    pub between_chunks: Duration,
    /// First step of the back-off.
    pub back_off: Duration,
    /// Calls at a time within one request.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(60),
            first_byte: Duration::from_secs(20),
            between_chunks: Duration::from_secs(15),
            back_off: Duration::from_millis(500),
            concurrency: 4,
        }
    }
}

/// Tokens that the calls under one configuration have used, all clones of it together.
#[derive(Debug, Clone, Default)]
pub struct Spent(Arc<AtomicU64>);

impl Spent {
    /// Tokens read and written since it was asked last.
    pub fn take(&self) -> u64 {
        self.0.swap(0, Relaxed)
    }

    pub(super) fn add(&self, tokens: u64) {
        self.0.fetch_add(tokens, Relaxed);
    }
}

/// Everything the client needs to know.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// The provider, then its stand-in; at least one.
    pub providers: Vec<Provider>,
    /// Time limits.
    pub limits: Limits,
    /// The whole request's budget.
    pub budget: Duration,
    /// `true`: the template generator may take over if no provider works.
    pub template_fallback: bool,
    /// Tokens used by the calls, also by those without a reply.
    pub spent: Spent,
}

impl ModelConfig {
    /// Reads `LLM_*`; `None` without `LLM_BASE_URL`: the template generator works then.
    pub fn from_env(env: &Env) -> Option<Self> {
        let first = Provider::from_env(env, "LLM_")?;
        let mut limits = Limits::default();
        if let Some(count) = env.number("LLM_MAX_CONCURRENCY") {
            limits.concurrency = usize::try_from(count).unwrap_or(4).clamp(1, 8);
        }
        let budget = env.number("LLM_TIMEOUT_MS").map_or(Duration::from_secs(110), Duration::from_millis);
        Some(Self {
            providers: std::iter::once(first).chain(Provider::from_env(env, "LLM_FALLBACK_")).collect(),
            limits,
            budget: budget.min(Duration::from_secs(110)),
            template_fallback: env.flag("ALLOW_TEMPLATE_FALLBACK", false),
            spent: Spent::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_base_url_there_is_no_model() {
        assert!(ModelConfig::from_env(&Env::from([("LLM_API_KEY", "k"), ("LLM_MODEL", "m")])).is_none());
    }

    #[test]
    fn a_fallback_provider_and_limits_come_from_the_environment() {
        let env = Env::from([
            ("LLM_BASE_URL", "https://api.example.com/v1/"),
            ("LLM_MODEL", "m"),
            ("LLM_FALLBACK_BASE_URL", "http://127.0.0.1:9/v1"),
            ("LLM_TIMEOUT_MS", "500000"),
            ("LLM_MAX_CONCURRENCY", "2"),
            ("LLM_JSON_MODE", "tool"),
            ("LLM_EXTRA_BODY", r#"{"top_p":0.9}"#),
        ]);
        let config = ModelConfig::from_env(&env).unwrap();
        assert_eq!(config.providers.len(), 2);
        assert_eq!(config.providers[0].base, "https://api.example.com/v1");
        assert_eq!(config.providers[0].host(), "api.example.com");
        assert_eq!((config.providers[0].first_mode, config.providers[0].adaptive), (JsonMode::Tool, false));
        assert_eq!(config.providers[0].extra["top_p"], 0.9);
        assert_eq!((config.budget, config.limits.concurrency), (Duration::from_secs(110), 2));
    }

    #[test]
    fn a_provider_never_shows_its_key() {
        let env = Env::from([("LLM_BASE_URL", "https://h/v1"), ("LLM_API_KEY", "secret-key")]);
        assert!(!format!("{:?}", ModelConfig::from_env(&env)).contains("secret-key"));
    }
}
