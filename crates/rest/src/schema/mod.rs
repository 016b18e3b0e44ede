//! The schema of the database: relations, relationships, functions, settings of roles. Stage 2
//! reads a snapshot of it, one `Arc` that is swapped whole when the database changes (CONTRACT.md
//! L01 to L14).

/// Relations and columns.
pub mod relations;

/// How relations belong together.
pub mod relationships;

/// Origins of the columns of views.
mod views;

/// Functions.
pub mod functions;

/// Functions and aggregates that turn rows into media types.
pub mod media_handlers;

/// Reads the catalog from PostgreSQL.
mod load;

/// Keeps the snapshot current.
pub mod reload;

/// The catalog as JSON, for people.
pub(crate) mod as_json;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use quick_cache::{Weighter, sync::Cache};
use serde::{Deserialize, Serialize};

pub use self::{
    functions::{Argument, Function, Returns},
    media_handlers::{MediaHandler, MediaHandlers},
    relations::{Column, Relation},
    relationships::{Cardinality, Computed, Junction, Relationship},
};
use crate::{
    Prepared,
    error::Error,
    request::{MediaType, Shape},
    settings::Settings,
};

/// Shapes whose SQL is kept (CONTRACT.md G17). What falls out is planned again when it comes back.
const PREPARED_SHAPES: usize = 2_000;

/// Total weight of all kept shapes, by [`Prepared::weight`]. In memory they take some ten times as
/// much.
const PREPARED_WEIGHT: u64 = PREPARED_SHAPES as u64 * 4 * 1024;

/// A shape that weighs more is planned for each request anew: it is no ordinary one, and a few
/// would fill the cache.
const HEAVIEST_KEPT: u64 = 32 * 1024;

/// A name and the schema it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Qualified {
    /// The schema.
    pub schema: String,
    /// The name.
    pub name: String,
}

impl Qualified {
    /// A name in a schema.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self { schema: schema.into(), name: name.into() }
    }
}

/// A picture of the database at one time.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Relations of the exposed schemas.
    pub relations: HashMap<Qualified, Relation>,
    /// Relationships, by the relation they lead from.
    pub relationships: HashMap<Qualified, Vec<Relationship>>,
    /// Computed relationships, by the relation they lead from.
    pub computed: HashMap<Qualified, Vec<Computed>>,
    /// Functions, by name.
    pub functions: HashMap<Qualified, Vec<Arc<Function>>>,
    /// Functions and aggregates that turn rows or values into media types.
    pub handlers: MediaHandlers,
    /// Settings of roles, by role.
    pub roles: HashMap<String, BTreeMap<String, String>>,
}

impl Catalog {
    /// The relation of that name.
    ///
    /// # Errors
    /// PGRST205, with what may have been meant (CONTRACT.md P04, X10).
    pub fn relation(&self, name: &Qualified) -> Result<&Relation, Error> {
        self.relations.get(name).ok_or_else(|| Error::NoRelation {
            schema: name.schema.clone(),
            relation: name.name.clone(),
            suggestion: self.similar_relation(name),
        })
    }

    /// The search is not made in schemas of 500 relations or more, where it would stall
    /// (CONTRACT.md L13).
    fn similar_relation(&self, name: &Qualified) -> Option<String> {
        let names =
            || self.relations.keys().filter(|other| other.schema == name.schema).map(|it| it.name.as_str());
        if names().count() >= 500 {
            return None;
        }
        crate::error::similar::most_similar(&name.name, names(), 0.75).map(str::to_owned)
    }
}

/// A catalog, the settings it was read by, and what was prepared by both: all go when the database
/// changes.
#[derive(Debug)]
pub struct Snapshot {
    /// The catalog.
    pub catalog: Arc<Catalog>,
    /// The settings, those of the database laid over those of the configuration.
    pub settings: Arc<Settings>,
    prepared: Cache<Shape, Arc<Prepared>, ByWeight>,
}

/// Bounds what is kept by its size, not by its number alone.
#[derive(Debug, Clone)]
struct ByWeight;

impl Weighter<Shape, Arc<Prepared>> for ByWeight {
    fn weight(&self, shape: &Shape, prepared: &Arc<Prepared>) -> u64 {
        shape.weight() + prepared.weight()
    }
}

impl Snapshot {
    /// A snapshot with nothing prepared yet.
    #[must_use]
    pub fn new(catalog: impl Into<Arc<Catalog>>, settings: impl Into<Arc<Settings>>) -> Self {
        Self {
            catalog: catalog.into(),
            settings: settings.into(),
            prepared: Cache::with_weighter(PREPARED_SHAPES, PREPARED_WEIGHT, ByWeight),
        }
    }

    /// A media type as far as any answer depends on it. All types that nothing here can answer
    /// are one.
    #[must_use]
    pub fn understood(&self, media: &MediaType) -> MediaType {
        let nobodys = || MediaType::Other(String::new());
        let handlers = &self.catalog.handlers;
        match media {
            MediaType::Other(_) if !handlers.know(media) => nobodys(),
            MediaType::Other(text) => MediaType::Other(text.to_ascii_lowercase()),
            MediaType::Plan { .. } if !self.settings.plans => nobodys(),
            MediaType::Plan { of, .. } if matches!(**of, MediaType::Other(_)) && !handlers.know(of) => {
                if handlers.answer_anything() {
                    media.clone()
                } else {
                    nobodys()
                }
            }
            known => known.clone(),
        }
    }

    /// Returns the result of `prepare` for this shape, made now or before.
    ///
    /// # Errors
    /// Errors of `prepare`; they are not kept.
    pub fn prepared(
        &self,
        shape: &Shape,
        prepare: impl FnOnce(&Catalog, &Settings) -> Result<Prepared, Error>,
    ) -> Result<Arc<Prepared>, Error> {
        if let Some(prepared) = self.prepared.get(shape) {
            return Ok(prepared);
        }
        let prepared = Arc::new(prepare(&self.catalog, &self.settings)?);
        if shape.weight() + prepared.weight() <= HEAVIEST_KEPT {
            self.prepared.insert(shape.clone(), Arc::clone(&prepared));
        }
        Ok(prepared)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Request;

    use super::*;
    use crate::{
        plan::Plan,
        request,
        sql::{self, Rendered},
    };

    fn shape(uri: &str) -> Shape {
        let (parts, ()) = Request::builder().uri(uri).body(()).expect("a request").into_parts();
        request::parse(&parts, Bytes::new(), &Settings::default()).expect("parsed").shape
    }

    // rows: G17 V09
    #[test]
    fn ten_thousand_shapes_are_prepared_and_few_are_kept() {
        let snapshot = Snapshot::new(Catalog::default(), Settings::default());
        let mut prepared = 0;
        let mut ask = |uri: &str| {
            let made = snapshot.prepared(&shape(uri), |_, _| {
                prepared += 1;
                Ok(Prepared { plan: Plan::Info(""), sql: Rendered { main: None, estimate: None } })
            });
            made.expect("prepared");
            prepared
        };
        assert_eq!((ask("/t?id=eq.1"), ask("/t?id=eq.2")), (1, 1), "another value is no other shape");
        for number in 0..10_000 {
            ask(&format!("/t?select=c{number}:id"));
        }
        assert_eq!(prepared, 10_001);
        assert!(snapshot.prepared.weight() <= PREPARED_WEIGHT, "{}", snapshot.prepared.weight());
    }

    /// The shape of a request with these headers, as a database without media handlers
    /// understands it.
    fn understood(snapshot: &Snapshot, headers: &[(&str, &str)]) -> Shape {
        let request = Request::builder().uri("/t?id=eq.1");
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let mut request = request::parse(&parts, Bytes::new(), &Settings::default()).expect("parsed");
        request.understand(|media| snapshot.understood(media));
        request.shape
    }

    // rows: V09 G17
    #[test]
    fn words_that_are_not_understood_make_no_shape_of_their_own() {
        let snapshot = Snapshot::new(Catalog::default(), Settings::default());
        let plain = understood(&snapshot, &[("accept", "application/json, image/png")]);
        for number in 0..3 {
            let word = format!("{number}{}", "x".repeat(300_000));
            let accept =
                format!("application/json, image/{word}, application/vnd.pgrst.plan; for=\"{word}\"");
            let prefer = format!("{word}=1, timezone={word}");
            let headers = [("accept", &*accept), ("content-type", &*word), ("prefer", &*prefer)];
            assert_eq!(understood(&snapshot, &headers), plain);
        }
        assert!(plain.weight() < 1000, "{}", plain.weight());
    }

    // rows: V09
    #[test]
    fn all_that_is_kept_of_a_request_is_weighed() {
        let snapshot = Snapshot::new(Catalog::default(), Settings::default());
        let word = "x".repeat(60_000);
        for uri in [
            format!("/t?select=a!{word}(id)"),
            format!("/t?{word}.limit=1"),
            format!("/t?order={word}(id)"),
            format!("/t?select={word}:id"),
            format!("/t?select=a->{word}").replace('>', "%3E"),
            format!("/{word}"),
            format!("/rpc/f?{word}=1"),
        ] {
            let made = snapshot.prepared(&shape(&uri), |_, _| {
                Ok(Prepared { plan: Plan::Info(""), sql: Rendered { main: None, estimate: None } })
            });
            made.expect("prepared");
            assert_eq!(snapshot.prepared.len(), 0, "{}", &uri[..20]);
        }
    }

    // rows: V09
    #[test]
    fn a_shape_of_thousands_of_columns_is_not_kept() {
        let snapshot = Snapshot::new(Catalog::default(), Settings::default());
        let text = Arc::from("x".repeat(200_000));
        for number in 0..20 {
            let large = sql::Template { text: Arc::clone(&text), binds: Vec::new() };
            let rendered = Rendered { main: Some(large), estimate: None };
            let made = snapshot.prepared(&shape(&format!("/t?select=c{number}")), |_, _| {
                Ok(Prepared { plan: Plan::Info(""), sql: rendered })
            });
            made.expect("prepared");
        }
        assert_eq!(snapshot.prepared.len(), 0);
    }
}
