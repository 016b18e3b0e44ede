//! A warning where an embedded relation was named by its target although it has an alias
//! (CONTRACT.md J23, J24).

use http::header;

use super::Draft;
use crate::plan::Plan;

const DEPRECATED: &str = "Embedded resource was referenced by relation name even though it has an alias. This is deprecated \
                          and will stop working in a future release.";

/// Sets the header, if there is something to warn of, and logs it.
pub(super) fn warn(draft: &mut Draft, plan: &Plan) {
    let names = match plan {
        Plan::Read(plan) => plan.node.named_by_target(),
        Plan::Write(plan) => plan.node.named_by_target(),
        Plan::Call(plan) => plan.node.named_by_target(),
        Plan::Document(_) | Plan::Info(_) => return,
    };
    if names.is_empty() {
        return;
    }
    let changes: Vec<String> =
        names.iter().map(|(target, alias)| format!("`{target}` to `{alias}`")).collect();
    let message =
        format!("{DEPRECATED} Update {} in query string filters, orders or limits.", changes.join(", "));
    tracing::warn!(warning = message, "deprecated name in a query string");
    draft.set(header::WARNING, &format!("299 PostgRESTv{} \"{message}\"", env!("CARGO_PKG_VERSION")));
}
