//! Cross-origin rules: which pages may read the answers of a service (CONTRACT.md GW-CORS;
//! rest/CONTRACT.md Y05 to Y08).

/// Rules of the stack.
mod any_origin;

/// Rules of PostgREST.
mod postgrest;

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_config::postgrest::DataApi;
use banyan_web::{Body, full};
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN},
};

/// The rule of one service.
#[derive(Clone)]
pub(crate) enum CorsRule {
    /// No headers: only pages of its own origin read the answers.
    SameOrigin,
    /// Pages of any origin, since tokens and not cookies say who calls. With `cookies` a page may
    /// also send its cookies, as clients of auth expect (auth/CONTRACT.md W7). Nothing of the stack
    /// is allowed by a cookie alone.
    AnyOrigin { cookies: bool },
    /// The origins that the options of the data API list now, in PostgREST's words.
    Postgrest(Arc<ArcSwap<DataApi>>),
}

impl CorsRule {
    /// The answer to a preflight. None for any other request, and for an origin that may not ask.
    pub(crate) fn preflight<B>(&self, request: &Request<B>) -> Option<Response<Body>> {
        if !is_preflight(request) {
            return None;
        }
        let headers = request.headers();
        let mut answer = Response::new(full(""));
        match self {
            Self::SameOrigin => return None,
            Self::AnyOrigin { .. } => {
                *answer.status_mut() = StatusCode::NO_CONTENT;
                any_origin::answer_preflight(headers, answer.headers_mut());
                self.allow(answer.headers_mut(), headers.get(ORIGIN));
            }
            Self::Postgrest(options) => {
                let (origin, options) = (headers.get(ORIGIN)?, options.load());
                postgrest::allow_origin(answer.headers_mut(), origin, options.allowed_origins.as_deref())?;
                postgrest::answer_preflight(headers, answer.headers_mut());
            }
        }
        Some(answer)
    }

    /// Lets the page of an `origin` read an answer, if it may.
    pub(crate) fn allow(&self, answer: &mut HeaderMap, origin: Option<&HeaderValue>) {
        match self {
            Self::SameOrigin => {}
            Self::AnyOrigin { cookies } => {
                any_origin::allow(answer);
                if let Some(origin) = origin.filter(|_| *cookies) {
                    any_origin::allow_cookies(answer, origin);
                }
            }
            Self::Postgrest(options) => {
                if let Some(origin) = origin {
                    postgrest::allow(answer, origin, options.load().allowed_origins.as_deref());
                }
            }
        }
    }
}

/// Whether a browser asks what a page may send.
pub(crate) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

#[cfg(test)]
mod tests;
