//! Opening a connection: address, encryption, login.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::BytesMut;
use postgres_protocol::{
    authentication::{
        md5_hash,
        sasl::{self, ChannelBinding, ScramSha256},
    },
    message::{
        backend::{AuthenticationSaslBody, Message},
        frontend,
    },
};
use rustls::{ClientConfig, pki_types::ServerName};
use secrecy::ExposeSecret;
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UnixStream},
};
use tokio_rustls::TlsConnector;

use super::{Connection, connection::CancelKey, error_response, stream::Stream, tls};
use crate::{
    Address, ConnectError, DatabaseError, DatabaseSettings, Login, RunError, Tls, Wanted, settings::Setting,
};

/// An idle connection is tried after so long without a sign, and then as often.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(20)).with_interval(Duration::from_secs(10));
/// A machine that confirms nothing, or takes nothing, for so long is lost.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// A server that was away is tried after all others for so long.
const LONGEST_REST: Duration = Duration::from_secs(10);

/// Opens connections to one database, on whichever of its servers is there and as wanted.
pub(crate) struct Connector {
    settings: DatabaseSettings,
    tls: Option<Arc<ClientConfig>>,
    /// Which server the last connection was made to, and whether that is a standby.
    server: AtomicUsize,
    on_standby: AtomicBool,
    /// When each server was last found away, or not as wanted.
    away: Mutex<Vec<Option<Instant>>>,
}

/// What a server says of itself at login, from PostgreSQL 14 on.
#[derive(Debug, Default, Clone, Copy)]
struct Nature {
    standby: bool,
    read_only: bool,
}

impl Nature {
    fn note(&mut self, name: &str, value: &str) {
        match name {
            "in_hot_standby" => self.standby = value == "on",
            "default_transaction_read_only" => self.read_only = value == "on",
            _ => {}
        }
    }

    fn is(self, wanted: Wanted) -> bool {
        match wanted {
            Wanted::Any => true,
            Wanted::ReadWrite => !self.standby && !self.read_only,
            Wanted::ReadOnly => self.standby || self.read_only,
            Wanted::Primary => !self.standby,
            Wanted::Standby | Wanted::PreferStandby => self.standby,
        }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("address", &self.settings.address).finish_non_exhaustive()
    }
}

impl Connector {
    pub(crate) fn new(settings: &DatabaseSettings) -> Result<Self, ConnectError> {
        let tls = tls::client_config(&settings.tls)?;
        Ok(Self {
            settings: settings.clone(),
            tls,
            server: AtomicUsize::new(0),
            on_standby: AtomicBool::new(false),
            away: Mutex::new(vec![None; settings.addresses().count()]),
        })
    }

    pub(crate) fn settings(&self) -> &DatabaseSettings {
        &self.settings
    }

    /// Which of the settings' servers the last connection was made to.
    pub(crate) fn server(&self) -> usize {
        self.server.load(Ordering::Relaxed)
    }

    /// Whether that server was a standby.
    pub(crate) fn is_on_standby(&self) -> bool {
        self.on_standby.load(Ordering::Relaxed)
    }

    /// The servers in the order in which to try them.
    fn order(&self) -> Vec<usize> {
        let away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        let rests = |server: &usize| away[*server].is_some_and(|since| since.elapsed() < LONGEST_REST);
        let mut servers: Vec<usize> = (0..away.len()).collect();
        servers.sort_by_key(rests);
        servers
    }

    fn note(&self, server: usize, is_away: bool) {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        away[server] = is_away.then(Instant::now);
    }

    /// Opens a connection and logs in, within the settings' `connect_timeout` for each server that
    /// is tried. A login that is refused ends the search, as libpq has it.
    pub(crate) async fn connect(&self, login: Login) -> Result<Connection, RunError> {
        self.connect_with(login, &self.settings.session(login)).await
    }

    /// The same with other settings for the session to begin with.
    pub(crate) async fn connect_with(
        &self,
        login: Login,
        session: &[Setting],
    ) -> Result<Connection, RunError> {
        let rounds: &[Wanted] = match self.settings.wanted {
            Wanted::PreferStandby => &[Wanted::Standby, Wanted::Any],
            _ => &[self.settings.wanted],
        };
        let mut outcome = Err(RunError::from(io::Error::from(io::ErrorKind::NotConnected)));
        for wanted in rounds {
            for server in self.order() {
                outcome = tokio::time::timeout(
                    self.settings.connect_timeout,
                    Box::pin(self.open((login, session), server, *wanted)),
                )
                .await
                .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()));
                let is_away = matches!(outcome, Err(RunError::Unavailable(_)));
                self.note(server, is_away);
                if !is_away {
                    self.server.store(server, Ordering::Relaxed);
                    return outcome;
                }
            }
        }
        match outcome {
            Err(RunError::Unavailable(cause)) => Err(RunError::Unreachable(cause)),
            outcome => outcome,
        }
    }

    async fn open(
        &self,
        (login, session): (Login, &[Setting]),
        server: usize,
        wanted: Wanted,
    ) -> Result<Connection, RunError> {
        let mut connection = Connection::new(self.stream(server).await?, &self.settings);
        let parameters = [
            ("user", self.settings.user(login)),
            ("database", self.settings.database.as_str()),
            ("client_encoding", "UTF8"),
            ("application_name", self.settings.application_name.as_str()),
        ];
        // The service reads times as ISO 8601 writes them, whatever the project has set.
        let style = (login == Login::AuthAdmin).then_some(("datestyle", "ISO"));
        let parameters = parameters.into_iter().chain(style).chain(session.iter().copied());
        frontend::startup_message(parameters, connection.send_buffer())
            .map_err(|error| RunError::Unsendable(error.to_string()))?;
        connection.send().await?;
        self.authenticate(&mut connection, login).await?;
        let nature = self.await_ready(&mut connection, server).await?;
        if nature.is(wanted) {
            self.on_standby.store(nature.standby, Ordering::Relaxed);
            return Ok(connection);
        }
        connection.close().await;
        Err(io::Error::new(io::ErrorKind::NotConnected, "the server is not of the wanted kind").into())
    }

    /// Asks the server to give up what a connection is doing, over a connection of its own.
    async fn cancel(&self, key: CancelKey) -> io::Result<()> {
        let mut message = BytesMut::new();
        frontend::cancel_request(key.process_id, key.secret, &mut message);
        let request = async {
            let mut stream = self.stream(key.server).await?;
            stream.write_all(&message).await?;
            stream.flush().await?;
            // The server closes the connection once the signal is sent.
            stream.read_u8().await.map(drop).or(Ok(()))
        };
        tokio::time::timeout(self.settings.connect_timeout, Box::pin(request))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// The same, where nobody is there to be told of a failure.
    pub(crate) async fn cancel_or_log(&self, key: CancelKey) {
        if let Err(error) = self.cancel(key).await {
            tracing::warn!(error.message = %error, "a statement could not be cancelled");
        }
    }

    async fn stream(&self, server: usize) -> io::Result<Stream> {
        match self.settings.addresses().nth(server).unwrap_or(&self.settings.address) {
            Address::Socket { folder, port } => {
                Ok(Stream::Unix(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?))
            }
            Address::Tcp { host, port } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                let socket = SockRef::from(&stream);
                socket.set_tcp_keepalive(&KEEPALIVE)?;
                socket.set_tcp_user_timeout(Some(LONGEST_SILENCE))?;
                match &self.tls {
                    None => Ok(Stream::Tcp(stream)),
                    Some(config) => {
                        let plain_will_do = self.settings.tls == Tls::Preferred;
                        encrypt(stream, Arc::clone(config), host, plain_will_do).await
                    }
                }
            }
        }
    }

    async fn authenticate(&self, connection: &mut Connection, login: Login) -> Result<(), RunError> {
        let password = self.settings.password(login).expose_secret().as_bytes();
        loop {
            match connection.receive().await? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationSasl(body) => scram(connection, &body, password).await?,
                Message::AuthenticationMd5Password(body) => {
                    let user = self.settings.user(login).as_bytes();
                    let hash = md5_hash(user, password, body.salt());
                    answer(connection, hash.as_bytes()).await?;
                }
                Message::AuthenticationCleartextPassword if !connection.is_exposed() => {
                    answer(connection, password).await?;
                }
                Message::ErrorResponse(body) => return Err(refusal(error_response::read(&body))),
                _ => return Err(RunError::Protocol("the server wants an unknown kind of login".into())),
            }
        }
    }

    async fn await_ready(&self, connection: &mut Connection, server: usize) -> Result<Nature, RunError> {
        let mut nature = Nature::default();
        loop {
            match connection.receive().await? {
                Message::BackendKeyData(body) => {
                    connection.set_cancel_key(CancelKey {
                        server,
                        process_id: body.process_id(),
                        secret: body.secret_key(),
                    });
                }
                Message::ReadyForQuery(_) => return Ok(nature),
                Message::ErrorResponse(body) => return Err(refusal(error_response::read(&body))),
                Message::ParameterStatus(body) => nature.note(body.name()?, body.value()?),
                Message::NoticeResponse(_) => {}
                _ => return Err(RunError::Protocol("a message before the login was done".into())),
            }
        }
    }
}

/// A login refused for who we are is told apart from a server that has no time for anybody.
fn refusal(error: DatabaseError) -> RunError {
    if error.code.starts_with("28") || error.code.starts_with("3D") {
        RunError::Login(Box::new(error))
    } else {
        io::Error::new(io::ErrorKind::ConnectionRefused, error).into()
    }
}

async fn encrypt(
    mut stream: TcpStream,
    config: Arc<ClientConfig>,
    host: &str,
    plain_will_do: bool,
) -> io::Result<Stream> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    stream.write_all(&request).await?;
    if stream.read_u8().await? != b'S' {
        if plain_will_do {
            return Ok(Stream::Tcp(stream));
        }
        return Err(io::Error::new(io::ErrorKind::Unsupported, "the server offers no TLS"));
    }
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    Ok(Stream::Tls(Box::new(TlsConnector::from(config).connect(name, stream).await?)))
}

async fn answer(connection: &mut Connection, password: &[u8]) -> Result<(), RunError> {
    frontend::password_message(password, connection.send_buffer())?;
    Ok(connection.send().await?)
}

/// SCRAM-SHA-256: the password itself never travels, and the server proves that it knows it too.
async fn scram(
    connection: &mut Connection,
    body: &AuthenticationSaslBody,
    password: &[u8],
) -> Result<(), RunError> {
    use fallible_iterator::FallibleIterator as _;
    if !body.mechanisms().any(|name| Ok(name == sasl::SCRAM_SHA_256))? {
        return Err(RunError::Protocol("the server offers no SCRAM-SHA-256".into()));
    }
    let mut exchange = ScramSha256::new(password, ChannelBinding::unsupported());
    frontend::sasl_initial_response(sasl::SCRAM_SHA_256, exchange.message(), connection.send_buffer())?;
    connection.send().await?;
    match connection.receive().await? {
        Message::AuthenticationSaslContinue(body) => exchange.update(body.data())?,
        Message::ErrorResponse(body) => return Err(refusal(error_response::read(&body))),
        _ => return Err(RunError::Protocol("SCRAM broke off".into())),
    }
    frontend::sasl_response(exchange.message(), connection.send_buffer())?;
    connection.send().await?;
    match connection.receive().await? {
        Message::AuthenticationSaslFinal(body) => Ok(exchange.finish(body.data())?),
        Message::ErrorResponse(body) => Err(refusal(error_response::read(&body))),
        _ => Err(RunError::Protocol("SCRAM broke off".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: rest/L06
    #[test]
    fn a_server_says_at_login_what_it_is_good_for() {
        use Wanted::{Any, Primary, ReadOnly, ReadWrite, Standby};
        for (said, fits) in [
            (&[][..], &[Any, ReadWrite, Primary][..]),
            (
                &[("in_hot_standby", "off"), ("default_transaction_read_only", "off")],
                &[Any, ReadWrite, Primary],
            ),
            (
                &[("in_hot_standby", "on"), ("default_transaction_read_only", "off")],
                &[Any, ReadOnly, Standby],
            ),
            (
                &[("in_hot_standby", "off"), ("default_transaction_read_only", "on")],
                &[Any, ReadOnly, Primary],
            ),
        ] {
            let mut nature = Nature::default();
            said.iter().for_each(|(name, value)| nature.note(name, value));
            for wanted in [Any, ReadWrite, ReadOnly, Primary, Standby] {
                assert_eq!(nature.is(wanted), fits.contains(&wanted), "{said:?} for {wanted:?}");
            }
        }
    }
}
