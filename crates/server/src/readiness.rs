//! Whether the parts of the stack answer (CONTRACT.md GW-READY).

use std::{collections::BTreeMap, sync::Arc};

use banyan_db::Database;
use banyan_rest::SchemaLoads;
use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Value, json};

/// The parts that are asked.
#[derive(Clone)]
pub(crate) struct Readiness {
    pub(crate) database: Database,
    pub(crate) rest: Arc<banyan_rest::State>,
    /// None where storage is switched off.
    pub(crate) storage: Option<banyan_storage::State>,
    /// None where functions are switched off.
    pub(crate) edge: Option<Arc<banyan_edge::State>>,
}

impl Readiness {
    /// 200 once every part answers, else 503; the body names the parts. Functions that come later
    /// keep nothing from being ready; those that the start found do until they are compiled, and
    /// the body says how many that are, and which cannot be loaded. It also says which load of the
    /// schema the data API serves, for who waits for a change of it.
    pub(crate) async fn of_stack(&self) -> Response<Body> {
        let mut parts = self.parts().await;
        let SchemaLoads { begun, serving } = self.rest.schema_loads();
        let mut more = json!({"schema": {"begun": begun, "serving": serving}});
        if let Some(storage) = &self.storage {
            parts.push(("storage", storage.is_ready().await));
        }
        if let Some(edge) = &self.edge {
            parts.push(("functions", edge.is_ready()));
            more["functions_to_compile"] = edge.pending_compilations().into();
            more["functions_broken"] = edge.broken().into();
        }
        answer(parts, more)
    }

    /// The same for the data API, which needs no functions.
    pub(crate) async fn of_data_api(&self) -> Response<Body> {
        answer(self.parts().await, json!({}))
    }

    /// Each part that is asked for data, and whether it answers.
    async fn parts(&self) -> Vec<(&'static str, bool)> {
        vec![("database", self.database.ping().await.is_ok()), ("rest", self.rest.is_ready())]
    }
}

fn answer(parts: Vec<(&str, bool)>, mut body: Value) -> Response<Body> {
    let all = parts.iter().all(|(_, ready)| *ready);
    let parts: BTreeMap<_, _> = parts.into_iter().collect();
    body["ready"] = all.into();
    body["parts"] = json!(parts);
    json_response(if all { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &body)
}
