//! Tests of the realtime service, each on its own database.

/// The SQL schema, without the service.
#[cfg(test)]
mod schema;
