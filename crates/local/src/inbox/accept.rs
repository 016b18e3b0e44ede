//! The loop of a listener.

use std::{sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long open connections may go on after the shutdown. One that sits idle does not hold up the
/// stop.
const GRACE: Duration = Duration::from_secs(2);

/// Accepts connections until `shutdown` and runs `serve` for each, for at most `most` at one time.
/// A connection beyond these is closed.
pub(super) async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    most: usize,
    shutdown: CancellationToken,
    serve: impl Fn(TcpStream) -> F,
) {
    let slots = Arc::new(Semaphore::new(most));
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors: wait for some to come back.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else { continue };
        let connection = serve(stream);
        connections.spawn(async move {
            connection.await;
            drop(slot);
        });
    }
    connections.close();
    let _ = tokio::time::timeout(GRACE, connections.wait()).await;
}
