//! A passkey in software, as a browser would speak for it.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::ecdsa::{DerSignature, SigningKey, signature::Signer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const ORIGIN: &str = "http://localhost:3000";
const DOMAIN: &str = "localhost";
const PRESENT_AND_VERIFIED: u8 = 0x05;
const HOLDS_KEY: u8 = 0x40;

/// One credential.
pub(crate) struct Authenticator {
    key: SigningKey,
    id: Vec<u8>,
    pub(crate) counter: u32,
    pub(crate) origin: &'static str,
    /// Whose it is; learnt at registration.
    handle: String,
}

impl Authenticator {
    pub(crate) fn new(seed: u8) -> Self {
        let key = SigningKey::from_slice(&[seed; 32]).unwrap();
        Self { key, id: vec![seed; 20], counter: 1, origin: ORIGIN, handle: String::new() }
    }

    /// `navigator.credentials.create`.
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        self.handle = options["user"]["id"].as_str().unwrap().to_owned();
        let client_data = self.client_data("webauthn.create", options);
        let mut auth_data = self.auth_data(PRESENT_AND_VERIFIED | HOLDS_KEY);
        auth_data.extend_from_slice(&[0; 16]);
        auth_data.extend_from_slice(&(self.id.len() as u16).to_be_bytes());
        auth_data.extend_from_slice(&self.id);
        auth_data.extend_from_slice(&self.cose());
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData".to_vec();
        attestation.extend_from_slice(&[0x58, auth_data.len() as u8]);
        attestation.extend_from_slice(&auth_data);
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(&client_data), "attestationObject": encode(&attestation),
                "transports": ["internal"],
            },
        })
    }

    /// `navigator.credentials.get`.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        self.counter += 1;
        self.get_again(options)
    }

    /// As a copy of the key would, whose counter stands still.
    pub(crate) fn get_again(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let auth_data = self.auth_data(PRESENT_AND_VERIFIED);
        let signed = [auth_data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature: DerSignature = self.key.sign(&signed);
        json!({
            "id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(&client_data), "authenticatorData": encode(&auth_data),
                "signature": encode(signature.as_bytes()), "userHandle": self.handle,
            },
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = options["challenge"].as_str().unwrap();
        // The order of the fields is fixed by the specification.
        format!(
            r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{}","crossOrigin":false}}"#,
            self.origin
        )
        .into_bytes()
    }

    fn auth_data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(DOMAIN).to_vec();
        data.push(flags);
        data.extend_from_slice(&self.counter.to_be_bytes());
        data
    }

    fn cose(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_encoded_point(false);
        let mut key = vec![0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
        key.extend_from_slice(point.x().unwrap());
        key.extend_from_slice(&[0x22, 0x58, 32]);
        key.extend_from_slice(point.y().unwrap());
        key
    }
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
