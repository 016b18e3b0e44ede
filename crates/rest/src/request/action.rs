//! Reads path and method (CONTRACT.md P01 to P12).

use http::Method;
use percent_encoding::percent_decode_str;

use crate::{
    error::Error,
    settings::{DocumentMode, Settings},
};

/// The resource that a path names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Resource {
    /// `/`
    Root,
    /// `/{relation}`
    Relation(String),
    /// `/rpc/{function}`
    Function(String),
}

/// The action of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// GET or HEAD on a relation.
    Read {
        /// The relation.
        relation: String,
        /// HEAD: headers only.
        head: bool,
    },
    /// POST, PATCH, PUT or DELETE on a relation.
    Write {
        /// The relation.
        relation: String,
        /// The kind of a write.
        mutation: Mutation,
    },
    /// A call of a function.
    Call {
        /// The function.
        function: String,
        /// How it was called.
        method: CallMethod,
    },
    /// GET or HEAD on `/`: the OpenAPI document.
    Document {
        /// HEAD: headers only.
        head: bool,
    },
    /// OPTIONS.
    Info(Resource),
}

/// Kinds of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// POST
    Insert,
    /// PATCH
    Update,
    /// PUT: insert or update the one row that the URL names.
    Upsert,
    /// DELETE
    Delete,
}

/// Ways to call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallMethod {
    /// Arguments in the query string; reads only.
    Get,
    /// Like `Get`, without a body.
    Head,
    /// Arguments in the body.
    Post,
}

impl Action {
    /// Returns whether arguments stand in the query string.
    #[must_use]
    pub fn reads_function(&self) -> bool {
        matches!(self, Self::Call { method: CallMethod::Get | CallMethod::Head, .. })
    }

    /// Returns whether the answer has no body.
    #[must_use]
    pub fn is_head(&self) -> bool {
        matches!(
            self,
            Self::Read { head: true, .. }
                | Self::Document { head: true }
                | Self::Call { method: CallMethod::Head, .. }
        )
    }

    /// The kind of writing, for a write.
    #[must_use]
    pub fn mutation(&self) -> Option<Mutation> {
        match self {
            Self::Write { mutation, .. } => Some(*mutation),
            Self::Read { .. } | Self::Call { .. } | Self::Document { .. } | Self::Info(_) => None,
        }
    }
}

/// Reads the resource that the path names.
pub(super) fn resource(path: &str, settings: &Settings) -> Result<Resource, Error> {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return root(settings);
    }
    let mut segments = path.split('/').map(decode);
    match (segments.next().transpose()?, segments.next().transpose()?, segments.next()) {
        (Some(relation), None, None) => Ok(Resource::Relation(relation)),
        (Some(rpc), Some(function), None) if rpc == "rpc" && !function.is_empty() => {
            Ok(Resource::Function(function))
        }
        _ => Err(Error::Path),
    }
}

/// The root: its document, or the function that takes the document's place, in the schema asked for
/// (CONTRACT.md Q02, Q14).
fn root(settings: &Settings) -> Result<Resource, Error> {
    if settings.document == DocumentMode::Disabled {
        return Err(Error::RootDisabled);
    }
    let function =
        settings.root_spec.as_deref().map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    Ok(function.map_or(Resource::Root, Resource::Function))
}

fn decode(segment: &str) -> Result<String, Error> {
    let decoded = percent_decode_str(segment).decode_utf8().map_err(|_| Error::Path)?;
    Ok(decoded.into_owned())
}

/// Reads the action on it.
pub(super) fn action(resource: Resource, method: &Method) -> Result<Action, Error> {
    let head = method == Method::HEAD;
    match (resource, method.as_str()) {
        (resource, "OPTIONS") => Ok(Action::Info(resource)),
        (Resource::Root, "GET" | "HEAD") => Ok(Action::Document { head }),
        (Resource::Relation(relation), "GET" | "HEAD") => Ok(Action::Read { relation, head }),
        (Resource::Relation(relation), name) => match mutation(name) {
            Some(mutation) => Ok(Action::Write { relation, mutation }),
            None => Err(Error::Method(method.clone())),
        },
        (Resource::Function(function), name) => match call(name) {
            Some(method) => Ok(Action::Call { function, method }),
            None => Err(Error::FunctionMethod(method.clone())),
        },
        (Resource::Root, _) => Err(Error::Method(method.clone())),
    }
}

fn mutation(method: &str) -> Option<Mutation> {
    match method {
        "POST" => Some(Mutation::Insert),
        "PATCH" => Some(Mutation::Update),
        "PUT" => Some(Mutation::Upsert),
        "DELETE" => Some(Mutation::Delete),
        _ => None,
    }
}

fn call(method: &str) -> Option<CallMethod> {
    match method {
        "GET" => Some(CallMethod::Get),
        "HEAD" => Some(CallMethod::Head),
        "POST" => Some(CallMethod::Post),
        _ => None,
    }
}
