//! The transaction of a request.

use sqlx::PgConnection;

use crate::{context::ServiceContext, wire::request::RequestContext};

/// The open transaction of a request, with the service that answers it and the request itself. Only
/// [`crate::domain::transaction::RequestTransaction::tx`] makes it.
///
/// A function that reads or writes for a request takes it first, then what is special to the
/// function. Its parts are borrowed apart: `users::confirm_email(tx.db, id, tx.context.now)` needs
/// no variable. A function of `store` takes the connection alone.
pub(crate) struct Tx<'a> {
    pub(crate) service: &'a ServiceContext,
    pub(crate) context: &'a RequestContext,
    pub(crate) db: &'a mut PgConnection,
}
