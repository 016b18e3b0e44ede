//! Connections that change their protocol, as websockets do: how many there may be, and how they
//! end when the server stops. Such a connection holds none of the listener's permits
//! (`connections.rs`).

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use banyan_web::Body;
use http::{Method, Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{
    sync::{CancellationToken, WaitForCancellationFutureOwned},
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::refusal::Refusal;

/// How many connections of a service may change their protocol at a time.
pub(crate) type UpgradePermits = Arc<Semaphore>;

/// What is known of a connection that may change its protocol. Its stream and the gateway share it.
#[derive(Clone)]
pub(crate) struct Upgradable(Arc<Shared>);

struct Shared {
    is_upgraded: AtomicBool,
    held: Mutex<Option<Held>>,
    running: TaskTracker,
    cut: CancellationToken,
}

/// What an upgraded connection holds until its stream is dropped.
struct Held {
    _permit: OwnedSemaphorePermit,
    _running: TaskTrackerToken,
}

impl Upgradable {
    /// Once upgraded, the connection counts as one of those that run, until `cut` ends it.
    pub(crate) fn new(running: &TaskTracker, cut: &CancellationToken) -> Self {
        Self(Arc::new(Shared {
            is_upgraded: AtomicBool::new(false),
            held: Mutex::default(),
            running: running.clone(),
            cut: cut.clone(),
        }))
    }

    /// Lets the gateway know the connection of a request that asks for another protocol.
    pub(crate) fn attach_to<B>(&self, request: &mut Request<B>) {
        if request.extensions().get::<OnUpgrade>().is_some() {
            request.extensions_mut().insert(self.clone());
        }
    }

    fn upgrade(&self, permit: OwnedSemaphorePermit) {
        let held = Held { _permit: permit, _running: self.0.running.token() };
        *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        self.0.is_upgraded.store(true, Ordering::Release);
    }
}

/// What a request needs to change the protocol of its connection.
pub(crate) struct PendingUpgrade {
    connection: Upgradable,
    permit: OwnedSemaphorePermit,
}

/// Takes a permit for a request that asks for another protocol. A service that may not change it
/// does not see hyper's [`OnUpgrade`], so it answers as if nobody had asked.
pub(crate) fn prepare(
    request: &mut Request<Body>,
    permits: Option<&UpgradePermits>,
) -> Result<Option<PendingUpgrade>, Refusal> {
    let is_tunnel = request.method() == Method::CONNECT;
    let extensions = request.extensions_mut();
    match (extensions.remove::<Upgradable>(), permits) {
        (Some(connection), Some(permits)) if !is_tunnel => {
            let permit = Arc::clone(permits).try_acquire_owned().map_err(|_| Refusal::Busy)?;
            Ok(Some(PendingUpgrade { connection, permit }))
        }
        _ => {
            extensions.remove::<OnUpgrade>();
            Ok(None)
        }
    }
}

/// The answer. Where it changes the protocol, the connection holds its permit from now on.
pub(crate) fn settle(
    pending: Option<PendingUpgrade>,
    response: Response<Body>,
) -> Result<Response<Body>, Refusal> {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let PendingUpgrade { connection, permit } = pending.ok_or(Refusal::ForbiddenUpgrade)?;
        connection.upgrade(permit);
    }
    Ok(response)
}

/// The stream of a connection. Once upgraded, it fails as soon as it is cut, whoever holds it.
pub(crate) struct UpgradableStream<S> {
    stream: S,
    connection: Upgradable,
    /// Two tasks may wait, one for reading and one for writing.
    cut_for_reader: Cut,
    cut_for_writer: Cut,
}

type Cut = Option<Pin<Box<WaitForCancellationFutureOwned>>>;

impl<S> UpgradableStream<S> {
    pub(crate) fn new(stream: S, connection: Upgradable) -> Self {
        Self { stream, connection, cut_for_reader: None, cut_for_writer: None }
    }
}

impl<S> Drop for UpgradableStream<S> {
    fn drop(&mut self) {
        self.connection.0.held.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Fails once the connection is cut.
fn check(connection: &Upgradable, cut: &mut Cut, cx: &mut Context<'_>) -> io::Result<()> {
    if !connection.0.is_upgraded.load(Ordering::Acquire) {
        return Ok(());
    }
    let cut = cut.get_or_insert_with(|| Box::pin(connection.0.cut.clone().cancelled_owned()));
    match cut.as_mut().poll(cx) {
        Poll::Ready(()) => Err(io::ErrorKind::ConnectionAborted.into()),
        Poll::Pending => Ok(()),
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for UpgradableStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = &mut *self;
        check(&me.connection, &mut me.cut_for_reader, cx)?;
        Pin::new(&mut me.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for UpgradableStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let me = &mut *self;
        check(&me.connection, &mut me.cut_for_writer, cx)?;
        Pin::new(&mut me.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let me = &mut *self;
        check(&me.connection, &mut me.cut_for_writer, cx)?;
        Pin::new(&mut me.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
