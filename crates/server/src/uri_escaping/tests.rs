use std::convert::Infallible;

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt, Empty};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

/// What a service has seen of one request: head, body, and whether the body came to its end.
type Seen = (String, Vec<u8>, bool);

/// A connection that gives so many bytes at a time, at most.
struct Drip(DuplexStream, usize);

impl AsyncRead for Drip {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.1.min(buf.remaining());
        let mut piece = vec![0; most];
        let mut piece = ReadBuf::new(&mut piece);
        ready!(Pin::new(&mut self.0).poll_read(cx, &mut piece))?;
        buf.put_slice(piece.filled());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Drip {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// What a service sees of these bytes, through the escaping or by hyper alone.
async fn seen(sent: &[u8], at_a_time: usize, escapes: bool) -> Vec<Seen> {
    let (mut client, server) = duplex(sent.len() + 1);
    client.write_all(sent).await.expect("there is room");
    client.shutdown().await.expect("ends");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (stream, parser) = Escaping::new(Drip(server, at_a_time));
    let (all, told) = (Arc::clone(&seen), escapes.then_some(parser));
    let service = service_fn(move |request: Request<Incoming>| {
        if let Some(parser) = &told {
            parser.has_read(&request);
        }
        let all = Arc::clone(&all);
        async move {
            // Some targets with this sign hyper takes as they are.
            let uri = request.uri().to_string().replace('"', "%22");
            let head = format!("{} {uri} {:?}", request.method(), request.headers());
            let (mut body, mut bytes, mut is_whole) = (request.into_body(), Vec::new(), true);
            while let Some(frame) = body.frame().await {
                is_whole &= frame.is_ok();
                bytes.extend(frame.ok().and_then(|frame| frame.into_data().ok()).unwrap_or_default());
            }
            all.lock().unwrap().push((head, bytes, is_whole));
            Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
        }
    });
    let reader = tokio::spawn(async move { client.read_to_end(&mut Vec::new()).await });
    // What is refused ends the connection with an error.
    let _ = if escapes {
        http1::Builder::new().half_close(true).serve_connection(TokioIo::new(stream), service).await
    } else {
        http1::Builder::new().half_close(true).serve_connection(TokioIo::new(stream.stream), service).await
    };
    let _ = reader.await;
    let seen = seen.lock().unwrap();
    seen.clone()
}

/// What must be seen, however the bytes arrive.
async fn assert_seen(sent: &[u8], as_if: &[u8]) {
    let expected = seen(as_if, usize::MAX, false).await;
    for at_a_time in [1, 2, 3, 7, 50, usize::MAX] {
        let got = seen(sent, at_a_time, true).await;
        assert_eq!(got, expected, "{at_a_time} at a time: {}", String::from_utf8_lossy(sent));
    }
}

#[tokio::test]
async fn targets_are_escaped_and_bodies_and_headers_are_not_however_the_bytes_arrive() {
    let sent = "GET /a?b=\"<>->>c HTTP/1.1\r\nX: \"<>\"\r\n\r\n\
                POST /p?x=\"y\" HTTP/1.1\r\nContent-Length: 14\r\n\r\nGET /\"<> HT\r\n\r\
                \r\n\nPUT /c?\"d\" HTTP/1.1\nTransfer-Encoding: chunked\n\n00b\r\nGET /\"<> HT\r\n0\r\n\r\n\
                GET /q?\"z\" HTTP/1.1\r\n\r\n";
    let wanted = sent
        .replace("b=\"<>->>c", "b=%22%3C%3E-%3E%3Ec")
        .replace("x=\"y\"", "x=%22y%22")
        .replace("?\"d\"", "?%22d%22")
        .replace("?\"z\"", "?%22z%22");
    assert_eq!(seen(wanted.as_bytes(), 9, false).await.len(), 4);
    assert_seen(sent.as_bytes(), wanted.as_bytes()).await;
}

#[tokio::test]
async fn a_length_is_what_hyper_reads_however_it_is_written() {
    let inner = "GET /\"a\" HTTP/1.1\r\n\r\n";
    for length in [
        format!("Content-Length: {:0>90}", inner.len()),
        format!("Content-Length:{}{}", " ".repeat(90), inner.len()),
        format!("Content-Length: {0}\r\nContent-Length: {0}", inner.len()),
        format!("{}: 1\r\nContent-Length: {}", "x".repeat(90), inner.len()),
    ] {
        let sent = format!("POST /p HTTP/1.1\r\n{length}\r\n\r\n{inner}GET /b HTTP/1.1\r\n\r\n");
        let seen = seen(sent.as_bytes(), usize::MAX, true).await;
        assert_eq!((seen.len(), &seen[0].1[..]), (2, inner.as_bytes()), "{length}");
        assert_seen(sent.as_bytes(), sent.as_bytes()).await;
    }
}

#[tokio::test]
async fn a_head_that_hyper_refuses_is_refused_without_a_panic() {
    for line in ["Content-Length", "Content-Length:\r", " folded: x", "a\0: b", "Content-Length: +1"] {
        let sent = format!("POST /\"a\" HTTP/1.1\r\n{line}\r\n\r\nGET /\"b\" HTTP/1.1\r\n\r\n");
        assert_seen(sent.as_bytes(), sent.replace("\"a\"", "%22a%22").as_bytes()).await;
    }
}

#[tokio::test]
async fn nothing_changes_where_the_end_of_a_body_is_not_followed() {
    for (head, body) in [
        ("Upgrade: x", ""),
        ("Transfer-Encoding: chunked", "1;x=y\r\na\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "0\r\nx: y\r\n\r\n"),
    ] {
        let sent = format!("POST /\"a\" HTTP/1.1\r\n{head}\r\n\r\n{body}GET /\"b\" HTTP/1.1\r\n\r\n");
        assert_seen(sent.as_bytes(), sent.replace("\"a\"", "%22a%22").as_bytes()).await;
    }
}

/// Requests of random shapes, as sent and with their targets escaped.
fn requests(rng: &mut StdRng) -> (Vec<u8>, Vec<u8>) {
    let (mut sent, mut wanted) = (Vec::new(), Vec::new());
    for _ in 0..rng.random_range(1..5) {
        let end = ["\r\n", "\n"][rng.random_range(0..2)];
        let target: String =
            (0..rng.random_range(1..9)).map(|_| ['a', '"', '<', '>', '%'][rng.random_range(0..5)]).collect();
        let escaped = target.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
        let body: Vec<u8> = (0..rng.random_range(0..40))
            .map(|_| b"\"<> \r\n\r\nGET / HTTP/1.1\r\n01af:"[rng.random_range(0..29)])
            .collect();
        let mut rest = format!(" HTTP/1.1{end}{}: \"<>\"{end}", "x".repeat(rng.random_range(1..90)));
        let body = match rng.random_range(0..3) {
            0 => Vec::new(),
            1 => {
                let width = rng.random_range(1..90);
                rest.push_str(&format!("content-LENGTH: {:0>width$}{end}", body.len()));
                body
            }
            _ => {
                rest.push_str(&format!("transfer-encoding: chunked{end}"));
                chunked(&body, rng)
            }
        };
        rest.push_str(end);
        let between = ["", "\r\n", "\n\r\n"][rng.random_range(0..3)];
        for (all, target) in [(&mut sent, &target), (&mut wanted, &escaped)] {
            all.extend_from_slice(format!("{between}POST /{target}{rest}").as_bytes());
            all.extend_from_slice(&body);
        }
    }
    (sent, wanted)
}

fn chunked(body: &[u8], rng: &mut StdRng) -> Vec<u8> {
    let (mut left, mut all) = (body, Vec::new());
    while !left.is_empty() {
        let (chunk, rest) = left.split_at(rng.random_range(1..=left.len()));
        let width = rng.random_range(1..9);
        all.extend_from_slice(format!("{:0>width$x}\r\n", chunk.len()).as_bytes());
        all.extend_from_slice(chunk);
        all.extend_from_slice(b"\r\n");
        left = rest;
    }
    all.extend_from_slice(b"0\r\n\r\n");
    all
}

#[tokio::test]
async fn of_random_requests_hyper_sees_the_same_with_their_targets_escaped() {
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..400 {
        let (sent, wanted) = requests(&mut rng);
        let at_a_time = [1, 2, 5, 33, usize::MAX][rng.random_range(0..5)];
        let expected = seen(&wanted, usize::MAX, false).await;
        assert!(!expected.is_empty(), "{}", String::from_utf8_lossy(&wanted));
        let got = seen(&sent, at_a_time, true).await;
        assert_eq!(got, expected, "{at_a_time} at a time: {}", String::from_utf8_lossy(&sent));
    }
}

/// The same bytes with their targets escaped, where hyper itself says how far each message goes:
/// where it stops, the next target is escaped, and it tries again.
async fn escaped_by_hyper(sent: &[u8]) -> Vec<u8> {
    let mut all = sent.to_vec();
    loop {
        let seen = seen(&all, usize::MAX, false).await;
        if seen.iter().any(|(_, _, is_whole)| !is_whole) {
            return all;
        }
        let from = end_of(seen.len(), &all).await;
        let Some((begin, end)) = target(&all, from) else { return all };
        let mut escaped = BytesMut::new();
        let signs = (begin..end).filter(|place| matches!(all[*place], b'"' | b'<' | b'>'));
        let signs: Vec<_> = signs.map(|place| place - begin).collect();
        put_escaped(&mut escaped, &all[begin..end], &signs);
        if signs.is_empty() {
            return all;
        }
        all.splice(begin..end, escaped);
    }
}

/// Where so many messages end.
async fn end_of(messages: usize, all: &[u8]) -> usize {
    let (mut from, mut to) = (0, all.len());
    while from < to {
        let half = from.midpoint(to);
        let seen = seen(&all[..half], usize::MAX, false).await;
        if seen.iter().filter(|(_, _, is_whole)| *is_whole).count() < messages {
            from = half + 1;
        } else {
            to = half;
        }
    }
    from
}

/// From where to where the target of the next request goes.
fn target(all: &[u8], from: usize) -> Option<(usize, usize)> {
    let method = from + all[from..].iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let begin = method + all[method..].iter().position(|byte| *byte == b' ')? + 1;
    let end = begin + all[begin..].iter().position(|byte| matches!(byte, b' ' | b'\r' | b'\n'))?;
    Some((begin, end))
}

#[tokio::test]
async fn of_damaged_requests_nothing_is_seen_that_hyper_alone_would_not_see() {
    let mut rng = StdRng::seed_from_u64(9112);
    let mut beyond = 0;
    for _ in 0..1000 {
        let (raw, escaped) = requests(&mut rng);
        let mut sent = if rng.random() { raw } else { escaped };
        for _ in 0..rng.random_range(1..4) {
            let (place, byte) = (rng.random_range(0..sent.len()), b"\r\n\0 :;0a\"<"[rng.random_range(0..10)]);
            match rng.random_range(0..3) {
                0 => sent[place] = byte,
                1 => sent.insert(place, byte),
                _ => drop(sent.remove(place)),
            }
        }
        let at_a_time = [1, 2, 5, 33, usize::MAX][rng.random_range(0..5)];
        let alone = seen(&sent, usize::MAX, false).await;
        let through = seen(&sent, at_a_time, true).await;
        let shown = String::from_utf8_lossy(&sent);
        // Alone, hyper stops at the first target that is not escaped.
        assert_eq!(through.get(..alone.len()), Some(&alone[..]), "{at_a_time} at a time: {shown}");
        if through.len() > alone.len() {
            let escaped = seen(&escaped_by_hyper(&sent).await, usize::MAX, false).await;
            assert_eq!(Some(&through[..]), escaped.get(..through.len()), "{at_a_time} at a time: {shown}");
            beyond += 1;
        }
    }
    assert!(beyond > 20, "{beyond} went on where hyper alone had stopped");
}
