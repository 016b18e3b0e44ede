use serde_json::{Map, Value, json};

use crate::wire::email::Email;

/// Claims that are kept as they come (CONTRACT.md O22).
const KEPT: [&str; 14] = [
    "name",
    "family_name",
    "given_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
];
/// Longest claim that is kept.
const LONGEST: usize = 1024;
/// Most bytes of claims kept as they come: identity data becomes metadata, which travels in every
/// token.
const ROOM: usize = 2048;

/// Somebody, as a provider describes them.
#[derive(Debug, Clone)]
pub(crate) struct Profile {
    /// Their id at the provider.
    pub(crate) subject: String,
    /// Their address, if it is one that mail can go to.
    pub(crate) email: Option<Email>,
    /// Whether the provider vouches for the address.
    pub(crate) email_verified: bool,
    /// Becomes `identity_data` and the user metadata.
    pub(crate) data: Map<String, Value>,
}

impl Profile {
    /// Reads claims; none without a `sub`.
    pub(crate) fn of(provider: &str, issuer: &str, claims: Map<String, Value>) -> Option<Self> {
        let text = |name: &str| {
            let text = claims.get(name).and_then(Value::as_str)?;
            (!text.is_empty() && text.len() <= LONGEST).then_some(text)
        };
        let subject = text("sub")?.to_owned();
        let email = text("email").and_then(|email| Email::parse(email).ok());
        let email_verified = email.is_some() && is_vouched_for(provider, issuer, &claims);
        let mut data = kept(&claims);
        let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
        put("iss", json!(text("iss").unwrap_or(issuer)));
        put("sub", json!(subject));
        put("provider_id", json!(subject));
        put("email_verified", json!(email_verified));
        put("phone_verified", json!(false));
        for (name, value) in [
            ("email", email.as_ref().map(Email::as_str)),
            ("full_name", text("name")),
            ("avatar_url", text("picture")),
        ] {
            if let Some(value) = value {
                put(name, json!(value));
            }
        }
        if let Some(domain) = text("hd") {
            put("custom_claims", json!({"hd": domain}));
        }
        Some(Self { subject, email, email_verified, data })
    }
}

impl Profile {
    /// Somebody again, from what [`Profile::of`] made of the claims.
    pub(crate) fn of_data(data: Map<String, Value>) -> Option<Self> {
        let subject = data.get("provider_id")?.as_str()?.to_owned();
        let email = data.get("email").and_then(Value::as_str).and_then(|email| Email::parse(email).ok());
        let email_verified = email.is_some() && data.get("email_verified") == Some(&Value::Bool(true));
        Some(Self { subject, email, email_verified, data })
    }
}

/// The claims of [`KEPT`], as far as there is room for them.
fn kept(claims: &Map<String, Value>) -> Map<String, Value> {
    let mut room = ROOM;
    let mut fits = |value: &&Value| {
        let length = match value {
            Value::String(text) if !text.is_empty() => text.len(),
            Value::Number(_) => 20,
            _ => return false,
        };
        let fits = length <= LONGEST.min(room);
        room -= if fits { length } else { 0 };
        fits
    };
    let found = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), claims.get(*name)?)));
    found.filter(|(_, value)| fits(value)).map(|(name, value)| (name, value.clone())).collect()
}

/// Whether a provider says that the address of the claims is theirs who sign in.
///
/// The admin of any tenant of azure writes what address they like into its tokens, so there it
/// counts alone whether the tenant owns the domain, which Microsoft says in `xms_edov`, in one of
/// three forms.
fn is_vouched_for(provider: &str, issuer: &str, claims: &Map<String, Value>) -> bool {
    if provider == "azure" || is_azure(issuer) {
        let owned = claims.get("xms_edov");
        return is_true(owned) || owned.is_some_and(|owned| *owned == "1" || *owned == 1);
    }
    provider == "apple" || is_true(claims.get("email_verified"))
}

/// Whether an issuer is Microsoft's, under whatever name the settings have it.
fn is_azure(issuer: &str) -> bool {
    const HOSTS: [&str; 4] = [
        "login.microsoftonline.com",
        "login.microsoftonline.us",
        "login.partner.microsoftonline.cn",
        "sts.windows.net",
    ];
    let host = issuer.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    is_common(issuer) || host.is_some_and(|host| HOSTS.contains(&host))
}

/// Whether an issuer stands for all tenants of azure.
pub(super) fn is_common(issuer: &str) -> bool {
    issuer.ends_with("/common/v2.0")
}

/// Apple writes it as a text.
fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(verified)) => *verified,
        Some(Value::String(text)) => text == "true",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(claims: Value) -> Option<Profile> {
        Profile::of("google", "https://accounts.google.com", claims.as_object().unwrap().clone())
    }

    // rows: G5 O22
    #[test]
    fn claims_become_identity_data() {
        let claims = json!({
            "iss": "https://accounts.google.com", "sub": "117", "email": "Asha@Example.com", "email_verified": true,
            "name": "Asha K", "picture": "https://p/a.png", "hd": "example.com", "nonce": "n", "at_hash": "h"
        });
        let asha = profile(claims).unwrap();
        assert_eq!(asha.email.as_ref().unwrap().as_str(), "asha@example.com");
        assert!(asha.email_verified);
        let again = Profile::of_data(asha.data.clone()).unwrap();
        assert_eq!(
            (again.subject, again.email, again.email_verified),
            (asha.subject, asha.email, asha.email_verified)
        );
        assert_eq!(
            Value::Object(asha.data),
            json!({
                "iss": "https://accounts.google.com", "sub": "117", "provider_id": "117", "name": "Asha K",
                "full_name": "Asha K", "picture": "https://p/a.png", "avatar_url": "https://p/a.png",
                "email": "asha@example.com", "email_verified": true, "phone_verified": false,
                "custom_claims": {"hd": "example.com"}
            })
        );
    }

    // rows: G12 G18
    #[test]
    fn azure_says_by_a_claim_of_its_own_whose_the_domain_is() {
        for (said, counts) in [
            (json!({"email_verified": true}), false),
            (json!({"email_verified": true, "xms_edov": false}), false),
            (json!({"email_verified": true, "xms_edov": "0"}), false),
            (json!({"xms_edov": true}), true),
            (json!({"xms_edov": "true"}), true),
            (json!({"xms_edov": "1"}), true),
            (json!({"xms_edov": 1}), true),
        ] {
            let mut claims = json!({"sub": "1", "email": "a@b.cd", "tid": "another"});
            claims.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
            let claims = claims.as_object().unwrap();
            let azure = Profile::of("azure", "https://login.microsoftonline.com/common/v2.0", claims.clone());
            assert_eq!(azure.unwrap().email_verified, counts, "{said}");
            for issuer in [
                "https://login.microsoftonline.com/common/v2.0",
                "https://login.microsoftonline.com/31537af4-6d77-4bb9-a681-d2394888ea26/v2.0",
                "https://login.microsoftonline.us/31537af4-6d77-4bb9-a681-d2394888ea26/v2.0",
                "https://login.partner.microsoftonline.cn/31537af4-6d77-4bb9-a681-d2394888ea26/v2.0",
                "https://sts.windows.net/31537af4-6d77-4bb9-a681-d2394888ea26/",
            ] {
                let renamed = Profile::of("entra", issuer, claims.clone()).unwrap();
                assert_eq!(renamed.email_verified, counts, "{said} of {issuer}");
            }
            let other = Profile::of("gitlab", "https://gitlab.com", claims.clone()).unwrap();
            assert_eq!(other.email_verified, said.get("email_verified").is_some(), "of azure alone: {said}");
        }
    }

    #[test]
    fn an_address_counts_as_verified_only_when_the_provider_says_so_in_clear() {
        for (said, counts) in [
            (json!(true), true),
            (json!("true"), true),
            (json!("yes"), false),
            (json!(1), false),
            (Value::Null, false),
        ] {
            let claims = json!({"sub": "1", "email": "a@b.cd", "email_verified": said});
            assert_eq!(profile(claims).unwrap().email_verified, counts, "{said}");
        }
        let look_alike =
            profile(json!({"sub": "1", "email": "аsha@example.com", "email_verified": true})).unwrap();
        assert!(look_alike.email.is_none() && !look_alike.email_verified, "a Cyrillic а is no a");
        assert!(profile(json!({"email": "a@b.cd"})).is_none());
    }
}
