//! The endpoints: one file per URL, folders as in the URL.

/// `POST /signup`: accounts with a password, and anonymous ones.
pub(crate) mod signup;

/// `POST /otp`: sends a sign-in code.
pub(crate) mod otp;

/// `POST /recover`: sends a code to a user who forgot the password.
pub(crate) mod recover;

/// `POST /resend`: sends a pending code again.
pub(crate) mod resend;

/// `/verify`: turns a code or a link into a session.
pub(crate) mod verify;

/// `POST /token`: grants.
pub(crate) mod token;

/// `/user`: the caller's own account.
pub(crate) mod user;

/// `/admin`: accounts and OAuth clients, for the holder of a service key.
pub(crate) mod admin;

/// `POST /invite`: sends an invitation.
pub(crate) mod invite;

/// `/passkeys`: credentials that sign in by themselves.
pub(crate) mod passkeys;

/// `/factors`: second factors.
pub(crate) mod factors;

/// `/callback`: where a provider sends the browser back to.
pub(crate) mod callback;

/// `GET /authorize`: sends a browser to a provider.
pub(crate) mod authorize;

/// `POST /logout`.
pub(crate) mod logout;

/// `GET /reauthenticate`: sends a code to a user who changes the password.
pub(crate) mod reauthenticate;

/// `GET /settings`.
pub(crate) mod settings;

/// `GET /health`.
pub(crate) mod health;

/// `GET /.well-known/*`.
pub(crate) mod well_known;

/// `/sso`, `/oauth` and others that the reference has and this service does not offer.
pub(crate) mod not_offered;
