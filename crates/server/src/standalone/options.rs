//! What the options say now. A change replaces the verifier and then the options, each as a whole:
//! a request in between may see the one of them and not yet the other.

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_config::postgrest::DataApi;
use banyan_identity::{KeyError, Verifier};

/// The options that may change while requests run.
pub(super) struct Options {
    pub(super) options: Arc<ArcSwap<DataApi>>,
    pub(super) verifier: Arc<ArcSwap<Verifier>>,
}

impl Options {
    pub(super) fn new(options: Arc<DataApi>) -> Result<Self, KeyError> {
        let verifier = Verifier::of_data_api(&options.tokens, options.anonymous_role.as_deref())?;
        warn_of_old_role_path(&verifier, &options);
        let (options, verifier) = (ArcSwap::new(options), ArcSwap::from_pointee(verifier));
        Ok(Self { options: Arc::new(options), verifier: Arc::new(verifier) })
    }

    /// Uses other options from now on; those whose keys cannot be used are logged, and the old ones
    /// stay.
    pub(super) fn take_over(&self, options: Arc<DataApi>) {
        match self.verifier.load().renewed(&options.tokens, options.anonymous_role.as_deref()) {
            Ok(verifier) => {
                if options.tokens.role_claim != self.options.load().tokens.role_claim {
                    warn_of_old_role_path(&verifier, &options);
                }
                self.verifier.store(Arc::new(verifier));
                self.options.store(options);
            }
            Err(error) => tracing::error!(error = %error, "Failed reloading config"),
        }
    }
}

/// rest/CONTRACT.md T03
fn warn_of_old_role_path(verifier: &Verifier, options: &DataApi) {
    if verifier.has_old_role_path() {
        tracing::warn!(
            "jwt-role-claim-key={} is written in the old form: a JSONPath of RFC 9535 begins with $",
            options.tokens.role_claim
        );
    }
}
