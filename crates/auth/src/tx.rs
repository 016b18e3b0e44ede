//! A request at work on the database.

use sqlx::PgConnection;

use crate::{context::ServiceContext, wire::request::RequestContext};

/// A request at work on the database: the service that answers it, the request, and its connection.
///
/// A function that reads or writes for a request takes it first, then what is special to the
/// function. Its parts are borrowed apart: `users::confirm_email(tx.db, id, tx.context.now)` needs
/// no variable. A function of `store` takes the connection alone.
///
/// The connection has the open transaction of the request
/// ([`crate::domain::transaction::RequestTransaction::tx`]). Only what counts whatever becomes of
/// the request is done on a connection without one.
pub(crate) struct Tx<'a> {
    pub(crate) service: &'a ServiceContext,
    pub(crate) context: &'a RequestContext,
    pub(crate) db: &'a mut PgConnection,
}
