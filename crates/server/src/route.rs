//! Which service a path belongs to (CONTRACT.md GW-ROUTES).

use http::Uri;

/// Who answers a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    /// `/rest/v1`.
    Rest,
    /// `/auth/v1`.
    Auth,
    /// `/functions/v1`.
    Functions,
    /// `/mail/v1`.
    Mail,
    /// `/rest-admin/v1`: the data API's live and ready probes.
    RestAdmin,
    /// Another `<service>/v1`: no such service here.
    Unknown,
    /// Everything else: the single-page application.
    Site,
}

/// Services that a project may switch off, and whether they are on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    /// `api.enabled`.
    pub(crate) rest: bool,
    /// `auth.enabled`.
    pub(crate) auth: bool,
}

impl Route {
    /// The service of a path and what is left of the path for it, always with a leading `/`.
    pub(crate) fn of(path: &str) -> (Self, &str) {
        let Some((service, rest)) = path.strip_prefix('/').and_then(|path| path.split_once('/')) else {
            return (Self::Site, path);
        };
        let Some(rest) = rest.strip_prefix("v1").filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            return (Self::Site, path);
        };
        let route = match service {
            "rest" => Self::Rest,
            "auth" => Self::Auth,
            "functions" => Self::Functions,
            "mail" => Self::Mail,
            "rest-admin" => Self::RestAdmin,
            _ => Self::Unknown,
        };
        (route, if rest.is_empty() { "/" } else { rest })
    }

    /// The same; none where the project's configuration leaves its service out. The data API and
    /// auth run all the same, since other parts of the stack need them.
    pub(crate) fn unless_off(self, config: Switches) -> Self {
        match self {
            Self::Rest | Self::RestAdmin if !config.rest => Self::Unknown,
            Self::Auth if !config.auth => Self::Unknown,
            route => route,
        }
    }

    /// Name in metrics and log lines.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Auth => "auth",
            Self::Functions => "functions",
            Self::Mail => "mail",
            Self::RestAdmin => "rest-admin",
            Self::Unknown => "unknown",
            Self::Site => "site",
        }
    }
}

/// The URI as the service sees it: the service's prefix taken off, path and query otherwise byte for byte.
pub(crate) fn strip(uri: &Uri, rest: &str) -> Option<Uri> {
    let text = match uri.query() {
        None => rest.to_owned(),
        Some(query) => format!("{rest}?{query}"),
    };
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: auth/W1 GW-ROUTES
    #[test]
    fn paths_find_their_service() {
        for (path, expected) in [
            ("/rest/v1/lessons", (Route::Rest, "/lessons")),
            ("/rest/v1", (Route::Rest, "/")),
            ("/rest/v1/", (Route::Rest, "/")),
            ("/auth/v1/token", (Route::Auth, "/token")),
            ("/functions/v1/hello/a%2Fb", (Route::Functions, "/hello/a%2Fb")),
            ("/storage/v1/object", (Route::Unknown, "/object")),
            ("/auth", (Route::Site, "/auth")),
            ("/rest/v10", (Route::Site, "/rest/v10")),
            ("/", (Route::Site, "/")),
            ("/blogs/1", (Route::Site, "/blogs/1")),
        ] {
            assert_eq!(Route::of(path), expected, "{path}");
        }
    }

    // rows: GW-ROUTES
    #[test]
    fn a_service_that_is_switched_off_has_no_path() {
        let (rest_off, auth_off) =
            (Switches { rest: false, auth: true }, Switches { rest: true, auth: false });
        for (route, of_rest, of_auth) in [
            (Route::Rest, Route::Unknown, Route::Rest),
            (Route::RestAdmin, Route::Unknown, Route::RestAdmin),
            (Route::Auth, Route::Auth, Route::Unknown),
            (Route::Functions, Route::Functions, Route::Functions),
            (Route::Site, Route::Site, Route::Site),
        ] {
            assert_eq!((route.unless_off(rest_off), route.unless_off(auth_off)), (of_rest, of_auth));
        }
    }

    // rows: GW-PATHS
    #[test]
    fn the_query_reaches_the_service_untouched() {
        let uri: Uri = "/rest/v1/a?x=%20b&y".parse().expect("a URI");
        assert_eq!(strip(&uri, "/a").expect("stripped").to_string(), "/a?x=%20b&y");
    }
}
