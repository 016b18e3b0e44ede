//! What is answered below `/realtime/v1`, a file each.

/// `GET /websocket`.
pub(crate) mod websocket;
