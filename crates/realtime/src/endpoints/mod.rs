//! What is answered below `/realtime/v1`, a file each.

/// `POST /api/broadcast` and `POST /api/broadcast/<topic>/events/<event>`.
pub(crate) mod broadcast;

/// `GET /api/ping` and `GET /healthcheck`.
pub(crate) mod ping;

/// `GET /websocket`.
pub(crate) mod websocket;
