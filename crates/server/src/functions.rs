//! What `banyan serve` asks of the functions of a running server.

use std::sync::Arc;

use banyan_config::Config;

/// The functions of a running server.
#[derive(Clone)]
pub struct Functions {
    pub(crate) edge: Option<Arc<banyan_edge::State>>,
    /// Of the public listener.
    pub(crate) port: u16,
}

impl Functions {
    /// How many functions are being compiled, or wait for it. Until then they answer 503, or the
    /// version before goes on.
    #[must_use]
    pub fn to_compile(&self) -> usize {
        self.edge.as_ref().map_or(0, |edge| edge.pending_compilations())
    }

    /// How many functions can be called.
    #[must_use]
    pub fn callable(&self) -> usize {
        self.edge.as_ref().map_or(0, |edge| edge.callable())
    }

    /// The functions that cannot be loaded.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.edge.as_ref().map_or_else(Vec::new, |edge| edge.broken())
    }

    /// Waits until all are compiled.
    pub async fn compiled(&self) {
        if let Some(edge) = &self.edge {
            edge.wait_until_compiled().await;
        }
    }

    /// Puts another configuration of the functions into effect, without ending what runs: policies
    /// and secrets.
    pub async fn reconfigure(&self, mut config: Config) {
        if let Some(edge) = &self.edge {
            config.listening_on(self.port);
            edge.reconfigure(&config).await;
        }
    }
}
