//! Who the server is allowed to be.

use std::sync::Arc;

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};

use crate::{ConnectError, Tls};

/// The client side of TLS as the settings ask for it; `None` for plain text.
pub(crate) fn client_config(tls: &Tls) -> Result<Option<Arc<ClientConfig>>, ConnectError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring offers TLS 1.2 and 1.3");
    Ok(match tls {
        Tls::Off => None,
        Tls::Preferred | Tls::Unverified => Some(Arc::new(
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
        )),
        Tls::Verified { root_certificate } => {
            let roots = match root_certificate {
                None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
                Some(path) => read_roots(path)?,
            };
            Some(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
        }
    })
}

fn read_roots(path: &std::path::Path) -> Result<RootCertStore, ConnectError> {
    let wrong = |message: String| ConnectError::RootCertificate { path: path.to_owned(), message };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("it holds no certificate".to_owned())) } else { Ok(roots) }
}

/// Accepts every certificate whose key the server holds: libpq's `require`.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
