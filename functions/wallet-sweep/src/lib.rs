//! Gives back deductions that nobody claimed within ten minutes, and claimed ones whose generation
//! passed its deadline (app/SPECIFICATION.md D02, D17). Called on a schedule as `service_role`.

use banyan_functions::caller;
use banyan_functions::env::Env;
use banyan_functions::error::{FunctionError, FunctionRefusal};
use banyan_functions::handler::IncomingRequest;
use banyan_functions::log;
use banyan_functions::rest::RestClient;
use banyan_functions::transport::Transport;
use serde_json::{Value, json};

/// Sweeps once and answers `{ "returned": n }`.
///
/// # Errors
/// 401 and 403 for callers other than `service_role`, 503 `busy` when the database cannot be asked.
pub async fn sweep(
    incoming: &IncomingRequest,
    transport: &impl Transport,
    env: &Env,
) -> Result<Value, FunctionError> {
    caller::require_service_role(&incoming.headers, env)?;
    let answer = RestClient::from_env(transport, env)?.rpc("sweep_deductions", &json!({})).await?;
    let returned = answer.as_u64().ok_or(FunctionRefusal::Busy)?;
    if returned > 0 {
        log::info("deductions returned", &json!({ "returned": returned }));
    }
    Ok(json!({ "returned": returned }))
}

#[cfg(test)]
mod tests;
