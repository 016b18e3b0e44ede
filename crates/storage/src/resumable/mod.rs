//! Resumable uploads: how bytes that come in pieces become an object.
//!
//! 1. [`begin`] writes the upload's row and tells the back end of it.
//! 2. [`Session::open`] becomes the upload's one writer.
//! 3. [`Session::receive`] makes a body durable piece by piece. A piece counts once its row says
//!    so, and its row says so once its bytes are synced.
//! 4. [`Session::finish`] joins the parts and commits the object's row, in the way of every upload.
//!
//! Each step may be the last one of a process. What is durable is told by the next `HEAD`, and an
//! upload whose bytes are all there is finished by whoever asks for it next.

/// The name of an upload in its URL.
mod upload_id;

/// The header `Upload-Metadata`.
mod metadata;

/// Begins an upload.
mod begin;

/// An upload in the hands of its one writer.
mod session;

/// A piece on its way into the back end.
mod pieces;

/// The body of a request, read piece by piece.
mod incoming;

/// From the last byte to the object.
mod finish;

/// An MD5 that is carried from request to request.
mod running_md5;

/// Gives an upload up.
mod abort;

pub(crate) use abort::abort_expired;
pub(crate) use begin::{NewUpload, begin};
pub(crate) use metadata::Metadata;
pub(crate) use session::Session;
pub(crate) use upload_id::UploadId;
