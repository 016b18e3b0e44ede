//! One conversation with a mail server, split where it matters: before the content leaves, and
//! after.

use std::{net::SocketAddr, time::Duration};

use banyan_config::SmtpTls;
use lettre::{
    Address,
    address::Envelope,
    message::{
        Attachment as Part, Body, Mailbox, MultiPart, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};
use secrecy::{ExposeSecret, SecretString};

use crate::{Attachment, MailError, store::Claimed};

/// Longest wait for the server to take a connection.
const STEP: Duration = Duration::from_secs(20);
/// Longest wait for the greeting of a server on this machine; one elsewhere may keep a stranger
/// waiting on purpose.
const LOCAL_GREETING: Duration = Duration::from_secs(5);
const GREETING: Duration = Duration::from_secs(40);

/// The server that mails go to, and who they come from.
#[derive(Debug, Clone)]
pub struct SmtpSettings {
    host: String,
    port: u16,
    tls: SmtpTls,
    credentials: Option<(String, SecretString)>,
    sender: Mailbox,
}

/// How one try to send ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Not taken, and another try may help.
    Later(Reason),
    /// Not taken, and never will be.
    Refused(Reason),
    /// The content left and no answer came: nobody knows.
    Unconfirmed(Reason),
}

/// Why a message was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// For the message's row: in the server's own words.
    pub(crate) stored: String,
    /// For the log, which holds nothing of a mail: a server's words may repeat an address or a user
    /// name.
    pub(crate) logged: String,
}

impl Reason {
    fn of(step: &str, error: &lettre::transport::smtp::Error) -> Self {
        let logged = match error.status() {
            Some(code) => format!("{step} was answered with {code}"),
            None if error.is_response() => format!("{step} got an answer that is no SMTP"),
            None => format!("{step}: {error}"),
        };
        Self { stored: error.to_string(), logged }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self { stored: text.to_owned(), logged: text.to_owned() }
    }
}

impl SmtpSettings {
    /// A real server, encrypted as `smtp.tls` says and its certificate checked against `host`. One
    /// on this machine's loopback may do without encryption, and its certificate is taken as it is:
    /// nobody stands between.
    ///
    /// # Errors
    /// [`MailError::Invalid`] when the sender is no address.
    pub fn server(smtp: &banyan_config::Smtp) -> Result<Self, MailError> {
        Ok(Self {
            host: smtp.host.clone(),
            port: smtp.port,
            tls: smtp.tls,
            credentials: (!smtp.user.is_empty()).then(|| (smtp.user.clone(), smtp.pass.clone())),
            sender: sender("auth.email.smtp.admin_email", &smtp.admin_email, &smtp.sender_name)?,
        })
    }

    /// The local inbox at its SMTP listener.
    ///
    /// # Errors
    /// [`MailError::Invalid`] when the sender is no address or the inbox is not on loopback.
    pub fn inbox(local: &banyan_config::LocalSmtp, listener: SocketAddr) -> Result<Self, MailError> {
        if !listener.ip().is_loopback() {
            return Err(MailError::invalid("local_smtp", "the inbox must listen on loopback"));
        }
        Ok(Self {
            host: listener.ip().to_string(),
            port: listener.port(),
            tls: SmtpTls::Opportunistic,
            credentials: None,
            sender: sender("local_smtp.admin_email", &local.admin_email, &local.sender_name)?,
        })
    }

    /// The server's host and port, as they are logged.
    pub(crate) fn server_name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Opens a conversation.
    pub(crate) async fn connect(&self) -> Result<AsyncSmtpConnection, Failure> {
        let (hello, local) = (ClientId::default(), is_loopback(&self.host));
        let at_once = if self.tls == SmtpTls::Implicit { Some(self.trust().await?) } else { None };
        let address = (self.host.as_str(), self.port);
        let greeting = AsyncSmtpConnection::connect_tokio1(address, Some(STEP), &hello, at_once, None);
        let patience = if local { LOCAL_GREETING } else { GREETING };
        let mut connection = tokio::time::timeout(patience, greeting)
            .await
            .map_err(|_| Failure::Later(self.silence().into()))?
            .map_err(|error| self.unmet("the greeting", &error))?;
        if self.tls != SmtpTls::Implicit {
            if connection.can_starttls() {
                let tls = self.trust().await?;
                connection.starttls(tls, &hello).await.map_err(|error| self.unmet("STARTTLS", &error))?;
            } else if !local || self.tls == SmtpTls::StartTls {
                connection.abort().await;
                return Err(Failure::Later("the server offers no STARTTLS".into()));
            }
        }
        if let Some((user, password)) = &self.credentials {
            let credentials = Credentials::new(user.clone(), password.expose_secret().to_owned());
            let signed_in = connection.auth(DEFAULT_MECHANISMS, &credentials).await;
            signed_in.map_err(|error| later("the user with its password", &error))?;
        }
        Ok(connection)
    }

    /// Trusted authorities: those of the machine's trust store, read again each time, and the
    /// public ones.
    async fn trust(&self) -> Result<TlsParameters, Failure> {
        let builder = TlsParameters::builder(self.host.clone());
        let builder = if is_loopback(&self.host) {
            builder.dangerous_accept_invalid_certs(true).dangerous_accept_invalid_hostnames(true)
        } else {
            let own = tokio::task::spawn_blocking(machine_roots).await.unwrap_or_default();
            own.into_iter().fold(builder.certificate_store(CertificateStore::WebpkiRoots), |builder, root| {
                builder.add_root_certificate(root)
            })
        };
        builder.build().map_err(|error| later("TLS", &error))
    }

    /// A server that was reached and with which no conversation came about.
    fn unmet(&self, step: &str, error: &lettre::transport::smtp::Error) -> Failure {
        match error.to_string().split_once("invalid peer certificate: ") {
            Some((_, problem)) => Failure::Later(untrusted_certificate(&self.host, problem).as_str().into()),
            None => later(step, error),
        }
    }

    fn silence(&self) -> &'static str {
        if self.tls == SmtpTls::Implicit {
            "the server gave no greeting by TLS: [auth.email.smtp] tls = \"starttls\" in banyan.toml is for one that begins in the clear"
        } else {
            "the server gave no greeting: for one that speaks TLS from the first byte, set [auth.email.smtp] tls = \"implicit\" in banyan.toml"
        }
    }

    /// Writes the message as it goes over the wire. Its Message-ID is made of the queue's id and
    /// never changes.
    pub(crate) fn compose(&self, claimed: &mut Claimed, files: Vec<Attachment>) -> Result<Composed, Failure> {
        let unusable = |problem: &str| {
            let logged = "the message cannot be written".to_owned();
            Failure::Refused(Reason { stored: format!("{logged}: {problem}"), logged })
        };
        let mut builder = lettre::Message::builder()
            .message_id(Some(format!("<{}@{}>", claimed.id, self.sender.email.domain())))
            .from(self.sender.clone())
            .subject(claimed.subject.take().unwrap_or_default())
            .date(claimed.created_at.into());
        let mut recipients = Vec::with_capacity(claimed.recipients.len());
        for recipient in &claimed.recipients {
            let address: Address = recipient.parse().map_err(|_| unusable("a recipient is no address"))?;
            builder = builder.to(Mailbox::new(None, address.clone()));
            recipients.push(address);
        }
        let mut message = builder
            .multipart(parts(claimed.text_body.take(), claimed.html_body.take(), files)?)
            .map_err(|error| unusable(&error.to_string()))?;
        // RFC 3834: keeps holiday answers away.
        message.headers_mut().insert_raw(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
        let added: Vec<(String, String)> =
            serde_json::from_value(claimed.headers.take()).map_err(|error| unusable(&error.to_string()))?;
        for (name, value) in added {
            let name = HeaderName::new_from_ascii(name).map_err(|error| unusable(&error.to_string()))?;
            message.headers_mut().insert_raw(HeaderValue::new(name, value));
        }
        let envelope = Envelope::new(Some(self.sender.email.clone()), recipients)
            .map_err(|error| unusable(&error.to_string()))?;
        Ok(Composed { envelope, bytes: message.formatted() })
    }
}

/// A message ready for the wire.
pub(crate) struct Composed {
    envelope: Envelope,
    bytes: Vec<u8>,
}

/// Announces sender and recipients up to the server's word that it waits for the content. Nothing
/// is sent yet.
pub(crate) async fn announce(
    connection: &mut AsyncSmtpConnection,
    message: &Composed,
) -> Result<(), Failure> {
    let mut options = Vec::new();
    if message.envelope.to().iter().any(|to| !AsRef::<str>::as_ref(to).is_ascii()) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(Failure::Refused("the server takes no addresses beyond ASCII".into()));
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !message.bytes.is_ascii() {
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let from = Mail::new(message.envelope.from().cloned(), options);
    connection.command(from).await.map_err(|error| answered("the sender", &error))?;
    for to in message.envelope.to() {
        let taken = connection.command(Rcpt::new(to.clone(), vec![])).await;
        taken.map_err(|error| answered("a recipient", &error))?;
    }
    connection.command(Data).await.map_err(|error| answered("the announcement", &error))?;
    Ok(())
}

/// Sends the content. Only a clear no of the server counts as not taken.
pub(crate) async fn transmit(
    connection: &mut AsyncSmtpConnection,
    message: &Composed,
) -> Result<(), Failure> {
    match connection.message(&message.bytes).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_permanent() || error.is_transient() => Err(answered("the content", &error)),
        Err(error) => {
            let words = "the content was sent and no answer came";
            let end = "it may have arrived, so it is not sent again";
            Err(Failure::Unconfirmed(Reason {
                stored: format!("{words} ({error}): {end}"),
                logged: format!("{words}: {end}"),
            }))
        }
    }
}

fn parts(text: Option<String>, html: Option<String>, files: Vec<Attachment>) -> Result<MultiPart, Failure> {
    let mut body = MultiPart::alternative().build();
    if let Some(text) = text {
        body = body.singlepart(SinglePart::plain(whole_lines(&text)));
    }
    if let Some(html) = html {
        body = body.singlepart(SinglePart::html(whole_lines(&html)));
    }
    if files.is_empty() {
        return Ok(body);
    }
    let mut mixed = MultiPart::mixed().multipart(body);
    for file in files {
        // Mails and their parts may not be encoded (RFC 2045 section 6.4), and nothing here goes
        // out as it is.
        let is_mail = ["message/", "multipart/"].iter().any(|kind| starts_with(&file.content_type, kind));
        let content_type = if is_mail { "application/octet-stream" } else { file.content_type.as_str() };
        let content_type = ContentType::parse(content_type)
            .map_err(|_| Failure::Refused("an attachment's media type is unusable".into()))?;
        // Left to choose, the library sends a file of plain letters as it is. A line end of its
        // own, such as that of Unix, has strict servers refuse the mail, and others take what
        // stands behind it for the end of the mail and the next one.
        let content = Body::new_with_encoding(file.content, ContentTransferEncoding::Base64)
            .map_err(|_| Failure::Refused("an attachment cannot be written".into()))?;
        mixed = mixed.singlepart(Part::new(file.filename).body(content, content_type));
    }
    Ok(mixed)
}

/// Returns whether a text starts with another, in upper or lower case.
fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(start))
}

/// Returns the text with equal line ends, which the library writes as SMTP needs them. A carriage
/// return alone also ends a line.
fn whole_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A failure before any mail was announced: the server or the settings are at fault, not the
/// message.
fn later(step: &str, error: &lettre::transport::smtp::Error) -> Failure {
    Failure::Later(Reason::of(step, error))
}

/// A failure while the message is announced or refused: 5xx is final.
fn answered(step: &str, error: &lettre::transport::smtp::Error) -> Failure {
    let reason = Reason::of(step, error);
    if error.is_permanent() { Failure::Refused(reason) } else { Failure::Later(reason) }
}

/// `setting` is where the address comes from; the name stands beside it.
fn sender(setting: &'static str, address: &str, name: &str) -> Result<Mailbox, MailError> {
    let address = address.parse().map_err(|_| MailError::invalid(setting, "is no e-mail address"))?;
    if name.chars().any(char::is_control) {
        let problem = "the sender_name beside it must be one line without control characters";
        return Err(MailError::invalid(setting, problem));
    }
    Ok(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address))
}

/// Says what to do about an untrusted certificate; `problem` is the message of rustls.
fn untrusted_certificate(host: &str, problem: &str) -> String {
    let way = if problem.contains("CaUsedAsEndEntity") {
        "it is that of an authority, which no server may show: make one with basicConstraints=CA:FALSE"
    } else if problem.contains("UnknownIssuer") {
        "who signed it is unknown here: add that authority to the machine's trust store (update-ca-certificates), or name its PEM file in SSL_CERT_FILE"
    } else if problem.contains("NotValidForName") {
        "it is for another name: [auth.email.smtp] host must be a name that stands in it"
    } else {
        "the server needs another one"
    };
    format!("the certificate of {host} is not trusted ({problem}): {way}")
}

/// The machine's trust store, which SSL_CERT_FILE or SSL_CERT_DIR replaces. What cannot be read as
/// a root is left out, or it would spoil the others.
fn machine_roots() -> Vec<Certificate> {
    let usable = |root: &rustls::pki_types::CertificateDer<'_>| {
        rustls::RootCertStore::empty().add(root.clone().into_owned()).is_ok()
    };
    let roots = rustls_native_certs::load_native_certs().certs.into_iter().filter(usable);
    roots.filter_map(|root| Certificate::from_der(root.to_vec()).ok()).collect()
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(host: &str, port: u16) -> SmtpSettings {
        SmtpSettings::server(&banyan_config::Smtp {
            host: host.into(),
            port,
            tls: SmtpTls::Opportunistic,
            user: "mailer".into(),
            pass: SecretString::from("hunter2"),
            admin_email: "post@example.com".into(),
            sender_name: "Post".into(),
        })
        .unwrap()
    }

    #[test]
    fn the_inbox_listens_on_this_machine_alone() {
        let local = banyan_config::LocalSmtp {
            enabled: true,
            port: 0,
            smtp_port: None,
            admin_email: "post@example.com".into(),
            sender_name: String::new(),
        };
        assert!(SmtpSettings::inbox(&local, "10.0.0.1:25".parse().unwrap()).is_err());
    }

    #[test]
    fn a_certificate_that_is_not_trusted_is_told_of_with_what_to_do() {
        for (problem, way) in [
            ("UnknownIssuer", "SSL_CERT_FILE"),
            ("Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
            ("certificate not valid for name; NotValidForName", "host must be a name"),
        ] {
            let message = untrusted_certificate("mail.school.example", problem);
            assert!(message.contains("mail.school.example") && message.contains(way), "{message}");
        }
    }

    #[test]
    fn the_password_is_not_in_debug_output() {
        let shown = format!("{:?}", settings("smtp.example.com", 465));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
