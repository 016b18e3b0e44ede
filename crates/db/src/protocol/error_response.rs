//! Errors as the server spells them.

use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::{ErrorFields, ErrorResponseBody};

use crate::DatabaseError;

/// Reads the fields of an error message; unknown ones are skipped.
pub(crate) fn read(body: &ErrorResponseBody) -> DatabaseError {
    read_fields(body.fields())
}

/// The same of a notice, which has them as well.
pub(crate) fn read_fields(mut fields: ErrorFields<'_>) -> DatabaseError {
    let mut error = DatabaseError::default();
    while let Ok(Some(field)) = fields.next() {
        let value = String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'V' => error.severity = value,
            b'S' if error.severity.is_empty() => error.severity = value,
            b'C' => error.code = value,
            b'M' => error.message = value,
            b'D' => error.detail = Some(value),
            b'H' => error.hint = Some(value),
            b'P' => error.position = value.parse().ok(),
            b'W' => error.context = Some(value),
            b's' => error.schema = Some(value),
            b't' => error.table = Some(value),
            b'c' => error.column = Some(value),
            b'd' => error.data_type = Some(value),
            b'n' => error.constraint = Some(value),
            b'R' => error.routine = Some(value),
            _ => {}
        }
    }
    error
}
