//! Errors, routes and bodies of requests.
