//! Connections that change their protocol, as websockets do: how many there may be, and how they
//! end when the server stops. Such a connection holds none of the listener's permits
//! (`connections.rs`), but one of its service.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use banyan_identity::{Identified, Peer};
use banyan_web::Body;
use http::{HeaderMap, Method, Request, Response, StatusCode, header::UPGRADE};
use hyper::upgrade::OnUpgrade;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::{
    sync::{CancellationToken, WaitForCancellationFutureOwned},
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::{
    connections::{ConnectionPermit, Connections},
    refusal::Refusal,
};

/// Which connections of a service may change their protocol.
#[derive(Clone)]
pub(crate) struct UpgradeRule {
    /// The protocols that they may change to. Whoever asks for others alone is answered as if
    /// nobody had asked: clients offer `h2c` with any request.
    pub(crate) protocols: &'static [&'static str],
    /// How many at a time, in all and of one address.
    pub(crate) connections: Arc<Connections>,
}

impl UpgradeRule {
    fn knows_one_of(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(UPGRADE).iter().filter_map(|line| line.to_str().ok());
        let mut asked = lines.flat_map(|line| line.split(',')).map(str::trim);
        asked.any(|asked| self.protocols.iter().any(|known| known.eq_ignore_ascii_case(asked)))
    }
}

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
    _permit: ConnectionPermit,
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

    fn upgrade(&self, permit: ConnectionPermit) {
        let held = Held { _permit: permit, _running: self.0.running.token() };
        *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        self.0.is_upgraded.store(true, Ordering::Release);
    }
}

/// What a request needs to change the protocol of its connection.
pub(crate) struct PendingUpgrade {
    connection: Upgradable,
    permit: ConnectionPermit,
}

/// Takes a permit for a request of a known caller that asks for another protocol. A service that
/// may not change it does not see hyper's [`OnUpgrade`], so it answers as if nobody had asked.
pub(crate) fn prepare(
    request: &mut Request<Body>,
    rule: Option<&UpgradeRule>,
    (caller, peer): (&Identified, &Peer),
) -> Result<Option<PendingUpgrade>, Refusal> {
    let connection = request.extensions_mut().remove::<Upgradable>();
    let is_tunnel = request.method() == Method::CONNECT;
    let rule = rule.filter(|rule| !is_tunnel && caller.is_ok() && rule.knows_one_of(request.headers()));
    let Some((connection, rule)) = connection.zip(rule) else {
        request.extensions_mut().remove::<OnUpgrade>();
        return Ok(None);
    };
    let permit = rule.connections.permit(peer).ok_or(Refusal::Busy)?;
    Ok(Some(PendingUpgrade { connection, permit }))
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
