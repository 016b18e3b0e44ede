//! The header that names a refused redirect (CONTRACT.md A5, C14).

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::HeaderValue;

use crate::{context::ServiceContext, domain::redirects::is_allowed, wire::request::RequestContext};

/// Names a refused target in a header of the answer. So a developer sees why the browser ends up at
/// the site.
pub(crate) async fn add_header(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    let refused = context.redirect_to.filter(|target| !is_allowed(&service.settings, target));
    let mut response = next.run(request).await;
    if let Some(target) = refused {
        let shown: String = target.chars().filter(char::is_ascii_graphic).take(200).collect();
        if let Ok(value) = HeaderValue::try_from(shown) {
            response.headers_mut().insert("x-sb-redirect-refused", value);
        }
    }
    response
}
