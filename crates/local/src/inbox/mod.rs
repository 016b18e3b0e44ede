//! The mail inbox of one machine: takes mail by SMTP, keeps the newest on disk, shows them on a
//! page and by the calls of Mailpit's API that clients use (CONTRACT.md LOC-INBOX). Both listeners
//! are on loopback only.

/// A mail as text and parts.
mod mail;

/// The kept mails.
mod store;

/// The search words of the API and the page.
mod search;

/// The loop of a listener.
mod accept;

/// Mail in.
mod smtp;

/// Pages and API out.
mod web;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
};

use banyan_config::LocalSmtp;
use time::OffsetDateTime;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use self::store::Store;
use crate::{LocalError, ports};

/// Gives the time at which a mail arrives.
pub type Now = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// A running inbox. It ends with its shutdown token.
#[derive(Debug)]
pub struct Inbox {
    web: SocketAddr,
    smtp: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

impl Inbox {
    /// Listens on the ports of `settings` at 127.0.0.1 and serves until `shutdown` is cancelled.
    /// Mails of earlier runs are read from `state/inbox` first.
    ///
    /// # Errors
    /// [`LocalError::PortTaken`] naming the holder, [`LocalError::Listen`], or a file error.
    pub async fn start(
        settings: &LocalSmtp,
        state: &Path,
        now: Now,
        shutdown: CancellationToken,
    ) -> Result<Self, LocalError> {
        let store = Arc::new(Store::open(&state.join("inbox")).await?);
        let web = listen("local_smtp.port", settings.port).await?;
        let smtp = listen("local_smtp.smtp_port", settings.smtp_port.unwrap_or(0)).await?;
        let addresses = (local_address(&web), local_address(&smtp));
        let tasks = vec![
            tokio::spawn(smtp::serve(smtp, Arc::clone(&store), now, shutdown.clone())),
            tokio::spawn(web::serve(web, store, shutdown)),
        ];
        Ok(Self { web: addresses.0, smtp: addresses.1, tasks })
    }

    /// Address of the page and the API.
    #[must_use]
    pub fn web_addr(&self) -> SocketAddr {
        self.web
    }

    /// Address of the SMTP listener.
    #[must_use]
    pub fn smtp_addr(&self) -> SocketAddr {
        self.smtp
    }

    /// Returns when both listeners have ended after the shutdown.
    pub async fn closed(self) {
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a listener of the mail inbox ended by a panic");
            }
        }
    }
}

async fn listen(what: &'static str, port: u16) -> Result<TcpListener, LocalError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(|source| ports::listen_error(what, port, source))
}

fn local_address(listener: &TcpListener) -> SocketAddr {
    listener.local_addr().expect("a bound socket has an address")
}
