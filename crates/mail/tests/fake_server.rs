//! A mail server on loopback that does what a test wants, and takes no password.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{TlsAcceptor, rustls};

/// When the server speaks TLS, under a certificate that nobody trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tls {
    Never,
    /// Takes no mail before STARTTLS.
    Demanded,
    AtOnce,
}

/// What a conversation goes over.
trait Line: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Line for T {}
type Stream = BufReader<Box<dyn Line>>;

/// What the server does with one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Takes it.
    Take,
    /// Says 450 to the recipient.
    BusyAtRecipient,
    /// Says 550 to the recipient.
    NoSuchRecipient,
    /// Says nothing more from the recipient on, and keeps the line open.
    SilentAtRecipient,
    /// Says nothing to the recipient until it is told to, then takes it.
    WaitAtRecipient,
    /// Reads the content, says 451.
    BusyAfterContent,
    /// Reads the content, takes it, and cuts the line before it says so.
    CutAfterContent,
    /// Reads the content, takes it, and says so once it is told to.
    WaitAfterContent,
}

#[derive(Clone)]
pub(crate) struct FakeServer {
    pub(crate) address: SocketAddr,
    moods: Arc<Mutex<VecDeque<Mood>>>,
    taken: Arc<Mutex<Vec<String>>>,
    asked: Arc<Mutex<usize>>,
    met: Arc<tokio::sync::Notify>,
    goes_on: Arc<tokio::sync::Notify>,
    tls: Tls,
}

impl FakeServer {
    /// Starts a server that has `moods` for its first messages and takes all that follow.
    pub(crate) async fn start(moods: &[Mood]) -> Self {
        Self::serve(moods, Tls::Never).await
    }

    /// Starts a server that takes all messages.
    pub(crate) async fn start_with(tls: Tls) -> Self {
        Self::serve(&[], tls).await
    }

    /// Waits until somebody has connected.
    pub(crate) async fn is_met(&self) {
        self.met.notified().await;
    }

    /// Has a recipient or a content taken that waits.
    pub(crate) fn go_on(&self) {
        self.goes_on.notify_one();
    }

    async fn serve(moods: &[Mood], tls: Tls) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            moods: Arc::new(Mutex::new(moods.iter().copied().collect())),
            taken: Arc::default(),
            asked: Arc::default(),
            met: Arc::default(),
            goes_on: Arc::default(),
            tls,
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                serving.met.notify_one();
                tokio::spawn(async move { serving.converse(stream).await });
            }
        });
        server
    }

    /// The messages taken so far, as they came over the wire.
    pub(crate) fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }

    /// How many messages were announced.
    pub(crate) fn asked(&self) -> usize {
        *self.asked.lock().unwrap()
    }

    async fn converse(&self, stream: TcpStream) -> Option<()> {
        let mut stream: Stream = BufReader::new(Box::new(stream));
        if self.tls == Tls::AtOnce {
            stream = encrypt(stream).await?;
        }
        say(&mut stream, "220 fake").await?;
        let mut mood = Mood::Take;
        let mut clear = self.tls == Tls::Demanded;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let word = line.split([' ', '\r']).next().unwrap_or_default().to_uppercase();
            match word.as_str() {
                "EHLO" if clear => say(&mut stream, "250-fake\r\n250-STARTTLS\r\n250 8BITMIME").await?,
                "STARTTLS" if clear => {
                    say(&mut stream, "220 go ahead").await?;
                    stream = encrypt(stream).await?;
                    clear = false;
                }
                _ if clear => say(&mut stream, "530 STARTTLS first").await?,
                "EHLO" => say(&mut stream, "250-fake\r\n250-AUTH PLAIN\r\n250 8BITMIME").await?,
                "AUTH" => say(&mut stream, "535 mailer is nobody here").await?,
                "MAIL" => {
                    *self.asked.lock().unwrap() += 1;
                    mood = self.moods.lock().unwrap().pop_front().unwrap_or(Mood::Take);
                    say(&mut stream, "250 go on").await?;
                }
                "RCPT" if mood == Mood::BusyAtRecipient => say(&mut stream, "450 busy").await?,
                "RCPT" if mood == Mood::NoSuchRecipient => {
                    say(&mut stream, "550 <asha@example.com> is nobody here").await?
                }
                "RCPT" if mood == Mood::SilentAtRecipient => std::future::pending().await,
                "RCPT" if mood == Mood::WaitAtRecipient => {
                    self.goes_on.notified().await;
                    say(&mut stream, "250 ok").await?;
                }
                "DATA" => {
                    say(&mut stream, "354 send it").await?;
                    let content = content(&mut stream).await?;
                    match mood {
                        Mood::BusyAfterContent => say(&mut stream, "451 busy").await?,
                        Mood::CutAfterContent => {
                            self.taken.lock().unwrap().push(content);
                            return None;
                        }
                        Mood::WaitAfterContent => {
                            self.taken.lock().unwrap().push(content);
                            self.goes_on.notified().await;
                            say(&mut stream, "250 taken").await?;
                        }
                        _ => {
                            self.taken.lock().unwrap().push(content);
                            say(&mut stream, "250 taken").await?;
                        }
                    }
                }
                "QUIT" => {
                    say(&mut stream, "221 bye").await?;
                    return None;
                }
                _ => say(&mut stream, "250 ok").await?,
            }
        }
    }
}

/// What the server shows of itself, signed by nobody else.
static CERTIFICATE: LazyLock<rcgen::CertifiedKey<rcgen::KeyPair>> = LazyLock::new(|| {
    rcgen::generate_simple_self_signed(["mail.example", "0.0.0.0"].map(str::to_owned)).unwrap()
});

/// The certificate as trust stores have it.
pub(crate) fn certificate() -> String {
    CERTIFICATE.cert.pem()
}

async fn encrypt(stream: Stream) -> Option<Stream> {
    let made = &*CERTIFICATE;
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    let stream = TlsAcceptor::from(Arc::new(config)).accept(stream.into_inner()).await.ok()?;
    Some(BufReader::new(Box::new(stream)))
}

async fn say(stream: &mut Stream, line: &str) -> Option<()> {
    stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await.ok()
}

async fn content(stream: &mut Stream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n.\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(bytes).ok()
}
