//! One socket, from its upgrade to its end: a task that reads, has its channels answer, and writes.

/// Messages that came, and what is done with them.
mod serve;

/// What a client sends.
mod messages;

/// What a client is sent.
mod writer;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

pub(crate) use self::serve::Socket;
use self::{messages::Messages, writer::Writer};
use crate::outbox::End;

/// Serves a socket to its end. All is in one task: while a message waits for the database, frames
/// are still written.
pub(crate) async fn run(socket: Socket, upgraded: Upgraded) {
    let (outbox, patience) = (socket.outbox().clone(), socket.patience());
    let (read, write) = tokio::io::split(TokioIo::new(upgraded));
    let mut messages = Messages::new(read, outbox.clone());
    let mut writer = Writer::new(write, outbox.clone(), socket.written_bytes());
    let is_gone = tokio::select! {
        biased;
        () = socket.serve(&mut messages) => false,
        end = writer.run() => end == End::Gone,
    };
    // A client that has closed its socket gets the answers that it waits for.
    outbox.end(End::Gone);
    let is_written = !is_gone && timeout(patience.last_frames, writer.finish()).await.is_ok();
    // A connection that is closed before it is read to its end loses what was written last.
    if is_written {
        drop(timeout(patience.lingering, messages.discard()).await);
    }
}
