//! Who may write to an upload.

use banyan_identity::{Purpose, PurposeToken, TokenError};
use http::HeaderMap;

use crate::{
    context::Exchange,
    domain::upload::{SignedUpload, UploadPlan, owner_of},
    error::StorageError,
    model::ResumableUpload,
    wire::tus::{SIGNATURE, header_text},
};

/// By what a request writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// The caller's token: policies decide.
    Token { owner: Option<String>, is_service: bool },
    /// The token of an upload URL, for which policies decided when it was signed (CONTRACT.md T09).
    Signature(SignedUpload),
}

impl Access {
    /// Checks the token of a request that wants to write the object at `path`.
    ///
    /// # Errors
    /// `BearerRefused`; for a signature `InvalidSignature` and `InvalidJwt`.
    pub(super) fn of(exchange: &Exchange, is_signed: bool, path: &str) -> Result<Self, StorageError> {
        if is_signed {
            return Self::by_signature(exchange, path);
        }
        let caller = exchange.context.caller()?;
        Ok(Self::Token { owner: owner_of(caller), is_service: caller.is_service() })
    }

    fn by_signature(exchange: &Exchange, path: &str) -> Result<Self, StorageError> {
        let token = header_text(&exchange.parts.headers, SIGNATURE)
            .ok_or(StorageError::InvalidSignature("Missing x-signature header"))?;
        let opens = (Purpose::Upload, path);
        let token = PurposeToken::check(&exchange.service.keyring, token, opens, exchange.context.now)
            .map_err(refusal)?;
        Ok(Self::Signature(SignedUpload::of(&token.claims)))
    }

    /// Whether an upload that begins now replaces an object of its name.
    pub(super) fn upsert(&self, headers: &HeaderMap) -> bool {
        match self {
            Self::Token { .. } => header_text(headers, "x-upsert") == Some("true"),
            Self::Signature(signed) => signed.upsert,
        }
    }

    /// Whom an upload that begins now belongs to.
    pub(super) fn owner(&self) -> Option<&str> {
        match self {
            Self::Token { owner, .. } | Self::Signature(SignedUpload { owner, .. }) => owner.as_deref(),
        }
    }

    /// Whether this may go on with an upload: an upload of somebody is of nobody else.
    pub(super) fn may_continue(&self, upload: &ResumableUpload) -> bool {
        let is_own = !upload.is_of_service && upload.owner_id.as_deref() == self.owner();
        is_own || self.is_service()
    }

    /// Whether `service_role` asks.
    pub(super) fn is_service(&self) -> bool {
        matches!(self, Self::Token { is_service: true, .. })
    }

    /// Whether an upload that begins now counts to what its owner may have (CONTRACT.md B6).
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Self::Token { is_service, .. } => !is_service,
            Self::Signature(signed) => !signed.is_of_service(),
        }
    }

    /// Asks the policies (CONTRACT.md T08). For a signature it only asks whether the name is taken.
    ///
    /// # Errors
    /// As [`UploadPlan::rehearse`].
    pub(super) async fn rehearse(
        &self,
        exchange: &Exchange,
        plan: UploadPlan,
    ) -> Result<UploadPlan, StorageError> {
        match self {
            Self::Token { .. } => plan.rehearse(exchange.as_caller()?).await,
            Self::Signature(signed) => {
                plan.rehearse_signed(&exchange.service, &exchange.context, signed).await
            }
        }
    }
}

fn refusal(error: TokenError) -> StorageError {
    match error {
        TokenError::Purpose => StorageError::InvalidSignature("Invalid signature"),
        error => StorageError::InvalidJwt(error),
    }
}
