//! The daily cap on what models may use (SPECIFICATION.md GEN-3.3.4): it stops their calls, not the
//! product, since the built-in generator writes then and says so. Calls that run when it is reached
//! come to their end, so a day goes over it by no more than they use.

use std::borrow::Cow;

use serde_json::json;

use super::Settings;
use crate::log;
use crate::wallet::Wallet;

/// Returns the settings, without the model if today's calls have reached the cap, or if their usage
/// is unknown.
pub(super) async fn within_cap<'a>(wallet: &impl Wallet, settings: &'a Settings) -> Cow<'a, Settings> {
    let (Some(_), Some(most)) = (&settings.model, settings.daily_tokens) else {
        return Cow::Borrowed(settings);
    };
    let reason = match wallet.note_model_tokens(0).await {
        Ok(used) if used < most => return Cow::Borrowed(settings),
        Ok(used) => format!("{used} of {most} tokens are used"),
        Err(error) => error.to_string(),
    };
    log::error("no model is asked today", &json!({ "reason": reason }));
    Cow::Owned(Settings { model: None, ..settings.clone() })
}

/// Counts what the calls of a job have used, where there is a cap.
pub(super) async fn note(wallet: &impl Wallet, settings: &Settings) {
    let (Some(model), Some(_)) = (&settings.model, settings.daily_tokens) else { return };
    let tokens = model.spent.take();
    if tokens == 0 {
        return;
    }
    if let Err(error) = wallet.note_model_tokens(tokens).await {
        let reason = error.to_string();
        log::error("tokens were not counted for the day", &json!({ "tokens": tokens, "reason": reason }));
    }
}
