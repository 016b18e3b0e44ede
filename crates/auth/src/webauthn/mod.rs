//! Ceremonies of security keys and passkeys. The crate webauthn_rp checks the signatures. This
//! module keeps the state between the two requests, and speaks JSON as browsers do.

/// Public keys in tables.
mod cose;

/// Names of the makers of authenticators.
mod names;

use banyan_config::{Auth, RelyingParty};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use uuid::Uuid;
use webauthn_rp::{
    AuthenticatedCredential, Registration,
    bin::{Decode, Encode},
    request::{
        AsciiDomain, Credentials as _, PublicKeyCredentialDescriptor, RpId, UserVerificationRequirement,
        auth::{
            AllowedCredentials, AuthenticationVerificationOptions, DiscoverableAuthenticationServerState,
            DiscoverableCredentialRequestOptions, NonDiscoverableAuthenticationServerState,
            NonDiscoverableCredentialRequestOptions,
        },
        register::{
            AuthenticatorSelectionCriteria, CredProtect, Extension, Nickname,
            PublicKeyCredentialCreationOptions, PublicKeyCredentialUserEntity, RegistrationServerState,
            RegistrationVerificationOptions, ResidentKeyRequirement, UserHandle, Username,
        },
    },
    response::{
        AuthTransports, AuthenticatorAttachment, AuthenticatorTransport, Backup, CredentialId,
        auth::{DiscoverableAuthentication, NonDiscoverableAuthentication},
        register::{
            AuthenticatorExtensionOutputStaticState, CredentialProtectionPolicy, DynamicState, StaticState,
        },
    },
};

use crate::{
    store::{
        passkeys::{Credential, CredentialUpdate},
        users::User,
    },
    wire::error::{AuthError, FactorError},
};

pub(crate) use names::name_of;

/// Length of the user handle: the text of the user's id, as in the reference.
const USER_HANDLE_LENGTH: usize = 36;

/// The ceremonies of the project, as relying party.
pub(crate) struct Ceremony<'a> {
    settings: &'a RelyingParty,
    domain: RpId,
}

/// Options for the browser, and the state that checks its answer.
pub(crate) struct CeremonyOptions {
    /// The state that the service stores.
    pub(crate) session: Value,
    /// `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions` as JSON.
    pub(crate) options: Value,
}

/// A credential, and the user whom it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownCredential<'a> {
    pub(crate) user: Uuid,
    pub(crate) credential: &'a Credential,
}

impl<'a> Ceremony<'a> {
    /// Reads the configuration.
    ///
    /// # Errors
    /// 500 where `[auth.webauthn]` is empty; the log says so.
    pub(crate) fn of(settings: &'a Auth) -> Result<Self, AuthError> {
        let settings = settings.relying_party.as_ref().ok_or(FactorError::NoRelyingParty)?;
        let domain = AsciiDomain::try_from(settings.id.clone()).map_err(|_| FactorError::NoRelyingParty)?;
        Ok(Self { settings, domain: RpId::Domain(domain) })
    }

    /// Asks for a new credential of a user. `discoverable`: one that signs in by itself
    /// (CONTRACT.md F11).
    pub(crate) fn ask_for_new(
        &self,
        user: &User,
        known: &[Vec<u8>],
        discoverable: bool,
    ) -> Result<CeremonyOptions, AuthError> {
        let (handle, name) = (handle(user.id), login(user));
        let id = user.id.to_string();
        let entity = PublicKeyCredentialUserEntity {
            name: Username::try_from(name.as_str())
                .or_else(|_| Username::try_from(id.as_str()))
                .map_err(failed)?,
            id: &handle,
            display_name: Nickname::try_from(display_name(user).unwrap_or(&name)).ok(),
        };
        let mut options =
            PublicKeyCredentialCreationOptions::passkey(&self.domain, entity, descriptors(known));
        options.authenticator_selection = AuthenticatorSelectionCriteria {
            resident_key: if discoverable {
                ResidentKeyRequirement::Required
            } else {
                ResidentKeyRequirement::Discouraged
            },
            user_verification: UserVerificationRequirement::Preferred,
            ..AuthenticatorSelectionCriteria::passkey()
        };
        options.extensions = Extension { cred_protect: CredProtect::None, ..Extension::default() };
        let (server, client) = options.start_ceremony().map_err(failed)?;
        let mut options = serde_json::to_value(&client).map_err(failed)?;
        options["rp"]["name"] = json!(self.settings.display_name);
        Ok(CeremonyOptions { session: kept(&server.encode().map_err(failed)?), options })
    }

    /// Checks a new credential.
    ///
    /// # Errors
    /// 400 `webauthn_verification_failed`; the log says why.
    pub(crate) fn check_new(&self, session: &Value, answer: &Value) -> Result<Credential, AuthError> {
        let state =
            RegistrationServerState::<USER_HANDLE_LENGTH>::decode(&given(session)?).map_err(failed)?;
        let answer = Registration::from_json_relaxed(answer.to_string().as_bytes()).map_err(failed)?;
        let origins = self.origins();
        let options = RegistrationVerificationOptions::<&str, &str> {
            allowed_origins: &origins,
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let new = state.verify(&self.domain, &answer, &options).map_err(failed)?;
        let backup = new.dynamic_state().backup;
        Ok(Credential {
            id: (*new.id().inner()).to_vec(),
            public_key: cose::encode(new.static_state().credential_public_key),
            sign_count: new.dynamic_state().sign_count,
            backup_eligible: backup != Backup::NotEligible,
            backed_up: backup == Backup::Exists,
            transports: new.transports().into_iter().map(transport).map(str::to_owned).collect(),
            aaguid: Uuid::from_slice(new.metadata().aaguid.data()).unwrap_or_default(),
            attestation_type: "none".to_owned(),
        })
    }

    /// Asks for a signature by one of these credentials.
    pub(crate) fn ask_for_known(&self, known: &[Vec<u8>]) -> Result<CeremonyOptions, AuthError> {
        let mut allowed = AllowedCredentials::with_capacity(known.len());
        for descriptor in descriptors(known) {
            allowed.push(descriptor.into());
        }
        let mut options =
            NonDiscoverableCredentialRequestOptions::second_factor(&self.domain, allowed).map_err(failed)?;
        options.options().user_verification = UserVerificationRequirement::Preferred;
        let (server, client) = options.start_ceremony().map_err(failed)?;
        let options = serde_json::to_value(&client).map_err(failed)?;
        Ok(CeremonyOptions { session: kept(&server.encode().map_err(failed)?), options })
    }

    /// Checks a signature by a credential of a user.
    ///
    /// # Errors
    /// As [`Ceremony::check_new`].
    pub(crate) fn check_known(
        &self,
        session: &Value,
        answer: &Value,
        known: &KnownCredential<'_>,
    ) -> Result<CredentialUpdate, AuthError> {
        let state = NonDiscoverableAuthenticationServerState::decode(&given(session)?).map_err(failed)?;
        let answer = answer.to_string();
        let answer =
            NonDiscoverableAuthentication::<USER_HANDLE_LENGTH>::from_json_relaxed(answer.as_bytes())
                .map_err(failed)?;
        let handle = handle(known.user);
        let mut known = authenticated(&handle, known.credential)?;
        let origins = self.origins();
        state.verify(&self.domain, &answer, &mut known, &verification(&origins)).map_err(failed)?;
        Ok(used(known.dynamic_state()))
    }

    /// Asks for a signature by any credential that signs in by itself.
    pub(crate) fn ask_for_any(&self) -> Result<CeremonyOptions, AuthError> {
        let mut options = DiscoverableCredentialRequestOptions::passkey(&self.domain);
        options.0.user_verification = UserVerificationRequirement::Preferred;
        let (server, client) = options.start_ceremony().map_err(failed)?;
        let options = serde_json::to_value(&client).map_err(failed)?;
        Ok(CeremonyOptions { session: kept(&server.encode().map_err(failed)?), options })
    }

    /// Checks a signature by a credential that signs in by itself.
    ///
    /// # Errors
    /// As [`Ceremony::check_new`].
    pub(crate) fn check_any(
        &self,
        session: &Value,
        answer: &Assertion,
        credential: &Credential,
    ) -> Result<CredentialUpdate, AuthError> {
        let state = DiscoverableAuthenticationServerState::decode(&given(session)?).map_err(failed)?;
        let handle = handle(answer.user);
        let mut known = authenticated(&handle, credential)?;
        let origins = self.origins();
        state.verify(&self.domain, &answer.answer, &mut known, &verification(&origins)).map_err(failed)?;
        Ok(used(known.dynamic_state()))
    }

    fn origins(&self) -> Vec<&str> {
        self.settings.origins.iter().map(String::as_str).collect()
    }
}

/// The answer of a passkey, not checked yet.
pub(crate) struct Assertion {
    pub(crate) user: Uuid,
    answer: DiscoverableAuthentication<USER_HANDLE_LENGTH>,
}

impl Assertion {
    /// Reads an answer.
    ///
    /// # Errors
    /// 400 `webauthn_verification_failed`.
    pub(crate) fn read(answer: &Value) -> Result<Self, AuthError> {
        let answer = answer.to_string();
        let answer = DiscoverableAuthentication::<USER_HANDLE_LENGTH>::from_json_relaxed(answer.as_bytes())
            .map_err(failed)?;
        let user = Uuid::try_parse_ascii(answer.response().user_handle().as_ref()).map_err(failed)?;
        Ok(Self { user, answer })
    }

    /// The id of the credential.
    pub(crate) fn credential(&self) -> Vec<u8> {
        (*self.answer.raw_id().inner()).to_vec()
    }
}

fn verification<'a>(origins: &'a [&'a str]) -> AuthenticationVerificationOptions<'a, 'a, &'a str, &'a str> {
    AuthenticationVerificationOptions {
        allowed_origins: origins,
        error_on_unsolicited_extensions: false,
        ..AuthenticationVerificationOptions::default()
    }
}

fn authenticated<'a>(
    handle: &'a UserHandle<USER_HANDLE_LENGTH>,
    credential: &'a Credential,
) -> Result<AuthenticatedCredential<'a, 'a, USER_HANDLE_LENGTH, cose::PublicKey>, AuthError> {
    let key = cose::decode(&credential.public_key).ok_or_else(|| failed("the stored key cannot be read"))?;
    let state = StaticState {
        credential_public_key: key,
        extensions: AuthenticatorExtensionOutputStaticState {
            cred_protect: CredentialProtectionPolicy::None,
            hmac_secret: None,
        },
    };
    let dynamic = DynamicState {
        user_verified: false,
        backup: match (credential.backup_eligible, credential.backed_up) {
            (false, _) => Backup::NotEligible,
            (true, false) => Backup::Eligible,
            (true, true) => Backup::Exists,
        },
        sign_count: credential.sign_count,
        authenticator_attachment: AuthenticatorAttachment::None,
    };
    let id = CredentialId::try_from(credential.id.as_slice()).map_err(failed)?;
    AuthenticatedCredential::new(id, handle, state, dynamic).map_err(failed)
}

fn used(state: DynamicState) -> CredentialUpdate {
    CredentialUpdate { sign_count: state.sign_count, backed_up: state.backup == Backup::Exists }
}

/// None for an id that is too short or too long for a credential.
fn descriptors(known: &[Vec<u8>]) -> Vec<PublicKeyCredentialDescriptor<Vec<u8>>> {
    let one = |id: &Vec<u8>| {
        let id = CredentialId::try_from(id.clone()).ok()?;
        Some(PublicKeyCredentialDescriptor { id, transports: AuthTransports::NONE })
    };
    known.iter().filter_map(one).collect()
}

fn handle(user: Uuid) -> UserHandle<USER_HANDLE_LENGTH> {
    let mut text = [0; USER_HANDLE_LENGTH];
    user.hyphenated().encode_lower(&mut text);
    UserHandle::from(text)
}

/// The name under which the browser lists the credential.
fn login(user: &User) -> String {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    given(&user.email).or_else(|| given(&user.phone)).unwrap_or_else(|| user.id.to_string())
}

fn display_name(user: &User) -> Option<&str> {
    user.raw_user_meta_data.as_ref()?.get("name")?.as_str().filter(|name| !name.is_empty())
}

fn transport(transport: AuthenticatorTransport) -> &'static str {
    match transport {
        AuthenticatorTransport::Ble => "ble",
        AuthenticatorTransport::Hybrid => "hybrid",
        AuthenticatorTransport::Internal => "internal",
        AuthenticatorTransport::Nfc => "nfc",
        AuthenticatorTransport::SmartCard => "smart-card",
        AuthenticatorTransport::Usb => "usb",
    }
}

fn kept(state: &[u8]) -> Value {
    json!({"state": URL_SAFE_NO_PAD.encode(state)})
}

/// The error for the state of another server, or a damaged one.
fn given(session: &Value) -> Result<Vec<u8>, AuthError> {
    let state = session["state"].as_str().unwrap_or_default();
    URL_SAFE_NO_PAD.decode(state).map_err(failed)
}

fn failed(cause: impl std::fmt::Display) -> AuthError {
    FactorError::WebauthnFailed(cause.to_string()).into()
}
