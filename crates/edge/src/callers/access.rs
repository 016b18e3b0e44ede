//! Who may call a function (CONTRACT.md J01 to J09). Checked before any instance is made.

use banyan_config::Function;
use banyan_identity::{Identified, Proof, TokenError};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, Method, header};

use crate::HostError;

/// Checks `verify_jwt` and the list of roles. `verify_jwt` exempts OPTIONS (J04). The list of roles
/// exempts preflights alone, because browsers send them without a token. Without `verify_jwt`, a
/// refused token matters only if roles are listed. Two things that no client sends in good faith
/// are always refused: a header twice, and a key of another project as the bearer (J07).
///
/// # Errors
/// The 401 and 403 variants of [`HostError`].
pub(crate) fn check(
    function: &Function,
    caller: &Identified,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), HostError> {
    let is_options = method == Method::OPTIONS;
    let asks_before_a_call = is_options && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let verifies = function.verify_jwt && !is_options;
    let lists = !function.roles.is_empty() && !asks_before_a_call;
    if let Err(error @ (TokenError::Repeated | TokenError::UnknownKey)) = caller {
        return Err(refusal(error, headers));
    }
    if !verifies && !lists {
        return Ok(());
    }
    let caller = caller.as_ref().map_err(|error| refusal(error, headers))?;
    if verifies && caller.proof() == Proof::None {
        return Err(HostError::MissingToken);
    }
    if lists && !function.roles.iter().any(|role| role == caller.role()) {
        return Err(HostError::Role);
    }
    Ok(())
}

fn refusal(error: &TokenError, headers: &HeaderMap) -> HostError {
    match error {
        TokenError::NoApiKey => HostError::MissingToken,
        TokenError::Scheme | TokenError::Empty => HostError::Scheme,
        TokenError::Repeated => HostError::RepeatedToken,
        TokenError::UnknownKey => HostError::UnknownKey,
        TokenError::Unreadable | TokenError::Parts(_) | TokenError::Claims => HostError::TokenFormat,
        TokenError::Algorithm(_) => HostError::TokenAlgorithm,
        TokenError::Signature
        | TokenError::NoKey
        | TokenError::WrongKey
        | TokenError::LegacyOff
        | TokenError::Encrypted
        | TokenError::NoSecret
        | TokenError::AnonymousDisabled
        | TokenError::Purpose
        | TokenError::NotInAudience
        | TokenError::AudienceType
        | TokenError::NotANumber(_)
        | TokenError::Expired
        | TokenError::NotYetValid
        | TokenError::IssuedInFuture => by_algorithm(headers),
    }
}

/// The error for a refused token, by the algorithm that it names. A token that names none has no
/// valid form.
fn by_algorithm(headers: &HeaderMap) -> HostError {
    match algorithm(headers).as_deref() {
        Some("HS256") => HostError::LegacyToken,
        Some(_) => HostError::AsymmetricToken,
        None => HostError::TokenFormat,
    }
}

fn algorithm(headers: &HeaderMap) -> Option<String> {
    let presented = headers.get(header::AUTHORIZATION).or_else(|| headers.get("apikey"))?.to_str().ok()?;
    let token = presented.rsplit(' ').next()?;
    let head = URL_SAFE_NO_PAD.decode(token.split('.').next()?).ok()?;
    let head: serde_json::Value = serde_json::from_slice(&head).ok()?;
    head["alg"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use banyan_identity::Caller;

    use super::*;

    fn headers(authorization: &str) -> HeaderMap {
        let value = authorization.parse().unwrap();
        [(header::AUTHORIZATION, value)].into_iter().collect()
    }

    fn get(function: &Function, caller: Identified, headers: &HeaderMap) -> Result<(), HostError> {
        check(function, &caller, &Method::GET, headers)
    }

    // rows: J04 J05
    #[test]
    fn a_request_without_a_token_is_refused_and_options_is_not() {
        let function = Function::default();
        let nobody = Ok(Caller::anonymous());
        assert_eq!(get(&function, nobody.clone(), &HeaderMap::new()), Err(HostError::MissingToken));
        assert_eq!(check(&function, &nobody, &Method::OPTIONS, &HeaderMap::new()), Ok(()));
    }

    // rows: J02
    #[test]
    fn the_role_does_not_matter() {
        let anon = Caller::anonymous().proven_by(Proof::Authorization);
        assert_eq!(get(&Function::default(), Ok(anon), &headers("Bearer x.y.z")), Ok(()));
    }

    // rows: J06
    #[test]
    fn each_bad_token_has_its_code() {
        // {"alg":"HS256"} and {"alg":"ES256"}
        let (hs256, es256) = ("Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.x");
        for (error, presented, expected) in [
            (TokenError::Scheme, "Basic x", HostError::Scheme),
            (TokenError::Unreadable, "Bearer x", HostError::TokenFormat),
            (TokenError::Repeated, "Bearer x", HostError::RepeatedToken),
            (TokenError::UnknownKey, "Bearer sb_x", HostError::UnknownKey),
            (TokenError::Parts(1), "Bearer x", HostError::TokenFormat),
            (TokenError::Signature, "Bearer x.y.z", HostError::TokenFormat),
            (TokenError::Signature, hs256, HostError::LegacyToken),
            (TokenError::Expired, es256, HostError::AsymmetricToken),
            (TokenError::Algorithm("none".into()), "Bearer x.y.z", HostError::TokenAlgorithm),
        ] {
            assert_eq!(
                get(&Function::default(), Err(error), &headers(presented)),
                Err(expected),
                "{presented}"
            );
        }
    }

    // rows: J07
    #[test]
    fn without_verify_jwt_a_bad_token_reaches_the_function() {
        let open = Function { verify_jwt: false, ..Function::default() };
        assert_eq!(get(&open, Err(TokenError::Signature), &headers("Bearer x")), Ok(()));
    }

    // rows: J07
    #[test]
    fn what_no_client_sends_in_good_faith_is_refused_in_both_modes() {
        let open = Function { verify_jwt: false, ..Function::default() };
        for (error, refused) in [
            (TokenError::Repeated, HostError::RepeatedToken),
            (TokenError::UnknownKey, HostError::UnknownKey),
        ] {
            for method in [Method::POST, Method::OPTIONS] {
                let checked = check(&open, &Err(error.clone()), &method, &headers("Bearer sb_x"));
                assert_eq!(checked, Err(refused), "{method}");
            }
        }
    }

    // rows: J04 J09
    #[test]
    fn options_is_kept_out_by_roles_but_for_the_question_before_a_call() {
        let listed = Function { roles: vec!["service_role".to_owned()], ..Function::default() };
        let options =
            |headers: &HeaderMap| check(&listed, &Ok(Caller::anonymous()), &Method::OPTIONS, headers);
        assert_eq!(options(&HeaderMap::new()), Err(HostError::Role));
        let asks = [(header::ACCESS_CONTROL_REQUEST_METHOD, "POST".parse().unwrap())].into_iter().collect();
        assert_eq!(options(&asks), Ok(()));
    }

    // rows: J09
    #[test]
    fn a_listed_role_passes_and_another_does_not() {
        let roles = vec!["service_role".to_owned()];
        for verify_jwt in [true, false] {
            let function = Function { verify_jwt, roles: roles.clone(), ..Function::default() };
            let presented = headers("Bearer x.y.z");
            let by_token = |caller: Caller| Ok(caller.proven_by(Proof::Authorization));
            let refused = get(&function, by_token(Caller::anonymous()), &presented);
            assert_eq!(refused, Err(HostError::Role));
            assert_eq!(get(&function, by_token(Caller::service()), &presented), Ok(()));
        }
    }
}
