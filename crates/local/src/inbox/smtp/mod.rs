//! Mail in: an SMTP listener for one machine. It delivers nothing onward.

/// One session as a state machine.
mod session;

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::session::Envelope;
use self::session::{Action, LARGEST_MAIL, Session};
use super::{Now, accept::accept, store::Store};

/// Connections at one time.
const MOST_CONNECTIONS: usize = 64;

/// A command must come within this time.
const COMMAND_TIME: Duration = Duration::from_secs(60);

/// A mail must be there within this time.
const MAIL_TIME: Duration = Duration::from_secs(120);

/// Longest command line in bytes, more than RFC 5321 asks for.
const LONGEST_LINE: u64 = 2048;

/// Takes mails until `shutdown`.
pub(super) async fn serve(listener: TcpListener, store: Arc<Store>, now: Now, shutdown: CancellationToken) {
    let serve = |stream| {
        let (store, now) = (Arc::clone(&store), Arc::clone(&now));
        async move {
            if let Err(error) = converse(stream, &store, &now).await {
                tracing::debug!(%error, "an SMTP session broke off");
            }
        }
    };
    accept(listener, MOST_CONNECTIONS, shutdown, serve).await;
}

async fn converse(stream: TcpStream, store: &Store, now: &Now) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut session = Session::default();
    write.write_all(b"220 banyan inbox ESMTP\r\n").await?;
    loop {
        let Some(line) = timeout(COMMAND_TIME, read_line(&mut read)).await?? else { return Ok(()) };
        let reply = match session.command(&line) {
            Action::Reply(text) => text,
            Action::Greet(text) => {
                write.write_all(format!("{text}\r\n").as_bytes()).await?;
                continue;
            }
            Action::Close(text) => {
                return write.write_all(format!("{text}\r\n").as_bytes()).await;
            }
            Action::Receive(envelope) => {
                write.write_all(b"354 End with a dot on its own line\r\n").await?;
                match timeout(MAIL_TIME, read_mail(&mut read)).await?? {
                    Some(raw) => keep(store, &envelope, &raw, now).await,
                    None => "552 5.3.4 Too large",
                }
            }
        };
        write.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
}

async fn keep(store: &Store, envelope: &Envelope, raw: &[u8], now: &Now) -> &'static str {
    match store.add(envelope, raw, now()).await {
        Ok(_) => "250 2.0.0 Kept",
        Err(error) => {
            tracing::error!(%error, "a mail could not be kept in the inbox");
            "452 4.3.1 Could not be kept"
        }
    }
}

/// A command line without its end; none when the client is gone. A line without end in sight is an
/// error.
async fn read_line(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    read.take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line without end"));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(line))
}

/// The mail up to the lone dot, its doubled dots undone; none when it is too large, after reading
/// it to its end.
///
/// Only CRLF ends a line, so that no second mail can hide in a first one.
async fn read_mail<R: tokio::io::AsyncBufRead + Unpin>(read: &mut R) -> io::Result<Option<Vec<u8>>> {
    let mut mail = Vec::new();
    let mut total = 0;
    let mut at_start = true;
    loop {
        let mut line = Vec::new();
        let count = read.take(64 << 10).read_until(b'\n', &mut line).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if at_start && line == b".\r\n" {
            return Ok((total <= LARGEST_MAIL).then_some(mail));
        }
        total += count;
        if total > LARGEST_MAIL * 2 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a mail far too large"));
        }
        let text = if at_start && line.first() == Some(&b'.') { &line[1..] } else { &line[..] };
        if total <= LARGEST_MAIL {
            mail.extend_from_slice(text);
        }
        at_start = line.ends_with(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &[u8]) -> io::Result<Option<Vec<u8>>> {
        read_mail(&mut BufReader::new(text)).await
    }

    #[tokio::test]
    async fn smtp_doubled_dots_are_undone() {
        let mail = read(b"Subject: x\r\n\r\n..\r\n...end\r\na.b\r\n.\r\nQUIT\r\n").await.expect("read");
        assert_eq!(mail.as_deref(), Some(&b"Subject: x\r\n\r\n.\r\n..end\r\na.b\r\n"[..]));
    }

    #[tokio::test]
    async fn smtp_a_dot_after_a_bare_line_feed_ends_nothing() {
        let mail = read(b"a\n.\r\nMAIL FROM:<x@y>\r\n.\r\n").await.expect("read").expect("a mail");
        assert!(mail.ends_with(b"MAIL FROM:<x@y>\r\n"));
    }

    #[tokio::test]
    async fn smtp_a_mail_too_large_is_read_to_its_end_and_refused() {
        let mut text = vec![b'a'; LARGEST_MAIL + 1];
        text.extend_from_slice(b"\r\n.\r\n");
        assert_eq!(read(&text).await.expect("read"), None);
        assert!(read(&vec![b'a'; LARGEST_MAIL * 2 + 70_000]).await.is_err());
    }

    #[tokio::test]
    async fn smtp_a_mail_cut_off_is_no_mail() {
        assert!(read(b"Subject: x\r\n\r\nhalf").await.is_err());
    }
}
