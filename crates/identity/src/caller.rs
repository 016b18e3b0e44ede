//! The caller of one request.

use std::sync::Arc;

use time::OffsetDateTime;

use crate::{Claims, TokenError};

/// Who is calling: the database role and the claims that row-level security sees.
#[derive(Debug, Clone)]
pub struct Caller {
    role: Arc<str>,
    claims: Arc<Claims>,
    proof: Proof,
}

/// What proved who is calling. Only this was verified: whatever else the request's headers hold is
/// a stranger's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proof {
    /// The request presented nothing, or the stack itself is the caller.
    #[default]
    None,
    /// The publishable key, in either header.
    PublishableKey,
    /// The secret key, in either header.
    SecretKey,
    /// The token in `Authorization`, or in its place on a socket.
    Authorization,
    /// The token in `apikey`.
    ApiKey,
}

/// A caller, or why the token it presented was refused. Each service answers the refusal in its own
/// wire form.
pub type Identified = Result<Caller, TokenError>;

impl Caller {
    /// A caller with this role, which its claims then say too (rest/CONTRACT.md G03).
    #[must_use]
    pub fn new(claims: Arc<Claims>, role: &str) -> Self {
        let claims = match claims.text("role") {
            Some(named) if named == role => claims,
            _ => Arc::new(claims.with_role(role)),
        };
        Self { role: role.into(), claims, proof: Proof::None }
    }

    /// Nobody in particular: role `anon`, no claims but the role.
    #[must_use]
    pub fn anonymous() -> Self {
        Self::of_role("anon")
    }

    /// The stack itself or an admin key: role `service_role`.
    #[must_use]
    pub fn service() -> Self {
        Self::of_role("service_role")
    }

    /// Nobody in particular with this role, and no claims but it.
    pub(crate) fn of_role(role: &str) -> Self {
        let claims = [("role".to_owned(), serde_json::Value::from(role))].into_iter().collect();
        Self { role: role.into(), claims: Arc::new(Claims::from_map(claims)), proof: Proof::None }
    }

    /// The same caller, who was proven by this.
    #[must_use]
    pub fn proven_by(self, proof: Proof) -> Self {
        Self { proof, ..self }
    }

    /// What proved who is calling.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.proof
    }

    /// The database role to work as.
    #[must_use]
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The claims.
    #[must_use]
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// When the token ends that proved who calls; none for a key or a token without an end. What
    /// goes on for longer than a request, such as a channel, ends then.
    #[must_use]
    pub fn expires_at(&self) -> Option<OffsetDateTime> {
        self.claims.expires_at()
    }

    /// Whether the caller holds a service key.
    #[must_use]
    pub fn is_service(&self) -> bool {
        &*self.role == "service_role"
    }
}
