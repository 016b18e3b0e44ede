//! Forms of stored hashes (CONTRACT.md PW2, PW3).

use std::cell::RefCell;

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{Output, ParamsString, PasswordHash, PasswordHasher, Salt, SaltString},
};

use super::{LONGEST, Verdict, firebase};

/// Memory in KiB and passes of new hashes, as OWASP recommends for argon2id with one lane.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// What a hash that was brought along may cost at most: 1 GiB, twenty passes, sixteen lanes; bcrypt
/// of 2^15 rounds.
const MOST_MEMORY: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 20;
const MOST_LANES: u32 = 16;
const MOST_ROUNDS: u32 = 15;
/// A hash of no password: stands in where an account has none, so that looking costs the same.
const DECOY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn ours() -> Argon2<'static> {
    let params = Params::new(MEMORY, PASSES, 1, None).expect("the parameters are within argon2's limits");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The form in which new passwords are stored.
pub(super) fn hash(password: &str, salt: &[u8; 16]) -> String {
    let encoded = SaltString::encode_b64(salt).expect("16 bytes are a salt");
    let argon2 = ours();
    let output = output(&argon2, salt, password, Params::DEFAULT_OUTPUT_LEN);
    PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon2.params()).expect("our parameters can be written"),
        salt: Some(encoded.as_salt()),
        hash: Some(output.expect("a password of bounded length and a salt can be hashed")),
    }
    .to_string()
}

/// The hash of random bytes: a single cheap pass, since nothing could be tried against it.
pub(super) fn hash_of_random(bytes: &[u8; 48], salt: &[u8; 16]) -> String {
    let params = Params::new(8, 1, 1, None).expect("the parameters are within argon2's limits");
    let salt = SaltString::encode_b64(salt).expect("16 bytes are a salt");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password(bytes, &salt)
        .expect("bytes of fixed length and a salt can be hashed")
        .to_string()
}

/// Compares a password with what is stored.
pub(super) fn verify(stored: Option<&str>, password: &str) -> Verdict {
    let stored = stored.filter(|hash| !hash.is_empty());
    // Nobody was ever given a longer one; the work is bounded by what is looked at.
    let fits = password.len() <= LONGEST;
    let looked_at = if fits { password } else { "" };
    let right = match stored.and_then(Form::of) {
        Some(Form::Argon2(hash)) => argon2_is(&hash, looked_at),
        Some(Form::Bcrypt(hash)) => bcrypt::verify(looked_at, hash).unwrap_or(false),
        Some(Form::Firebase(hash)) => hash.is(looked_at),
        None => {
            let decoy = PasswordHash::new(DECOY).expect("the decoy has the form of a hash");
            std::hint::black_box(argon2_is(&decoy, looked_at));
            false
        }
    };
    let outdated = stored.is_some_and(|hash| !is_current(hash));
    Verdict { right: right && fits, outdated, waited: std::time::Duration::ZERO }
}

/// Whether a hash can be verified at all.
pub(super) fn is_known(hash: &str) -> bool {
    Form::of(hash).is_some()
}

fn is_current(hash: &str) -> bool {
    hash.starts_with(&format!("$argon2id$v=19$m={MEMORY},t={PASSES},p=1$"))
}

thread_local! {
    /// What argon2 works in. It is kept, since taking and giving back so much for every password
    /// costs time, and leaves the allocator with several times as much.
    static ARGON_MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

fn argon2_is(hash: &PasswordHash<'_>, password: &str) -> bool {
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else { return false };
    // Compared in constant time.
    argon2_output(hash, salt, password, expected.len()).is_some_and(|output| output == expected)
}

/// Hashes a password as `hash` was made.
fn argon2_output(hash: &PasswordHash<'_>, salt: Salt<'_>, password: &str, length: usize) -> Option<Output> {
    let algorithm = Algorithm::try_from(hash.algorithm).ok()?;
    let version = Version::try_from(hash.version?).ok()?;
    let params = Params::try_from(hash).ok()?;
    let mut buffer = [0; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut buffer).ok()?;
    output(&Argon2::new(algorithm, version, params), salt, password, length)
}

fn output(argon2: &Argon2<'_>, salt: &[u8], password: &str, length: usize) -> Option<Output> {
    let blocks = argon2.params().block_count();
    Output::init_with(length, |output| {
        let done = if blocks <= MEMORY as usize {
            ARGON_MEMORY.with_borrow_mut(|room| {
                room.resize(MEMORY as usize, Block::new());
                argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, &mut room[..blocks])
            })
        } else {
            argon2.hash_password_into(password.as_bytes(), salt, output)
        };
        done.map_err(Into::into)
    })
    .ok()
}

enum Form<'a> {
    Argon2(PasswordHash<'a>),
    Bcrypt(&'a str),
    Firebase(firebase::Hash),
}

impl<'a> Form<'a> {
    fn of(hash: &'a str) -> Option<Self> {
        if hash.starts_with("$argon2") {
            argon2(hash).map(Self::Argon2)
        } else if hash.starts_with("$fbscrypt$") {
            firebase::Hash::parse(hash).map(Self::Firebase)
        } else {
            is_bcrypt(hash).then_some(Self::Bcrypt(hash))
        }
    }
}

/// argon2i and argon2id of version 19, without `keyid` and `data`, within what may be spent.
fn argon2(text: &str) -> Option<PasswordHash<'_>> {
    let hash = PasswordHash::new(text).ok()?;
    let number = |name: &str| hash.params.get_decimal(name);
    let known = matches!(hash.algorithm.as_str(), "argon2i" | "argon2id")
        && hash.version == Some(19)
        && hash.params.get_str("keyid").is_none()
        && hash.params.get_str("data").is_none()
        && number("m").is_some_and(|memory| memory <= MOST_MEMORY)
        && number("t").is_some_and(|passes| passes <= MOST_PASSES)
        && number("p").is_some_and(|lanes| lanes <= MOST_LANES)
        && hash.salt.is_some()
        && hash.hash.is_some();
    known.then_some(hash)
}

/// `$2a$10$` and 53 more characters.
fn is_bcrypt(hash: &str) -> bool {
    let rounds = hash
        .strip_prefix("$2")
        .and_then(|rest| rest.strip_prefix(['a', 'b', 'x', 'y']))
        .and_then(|rest| rest.strip_prefix('$'))
        .and_then(|rest| rest.split_once('$'));
    rounds.is_some_and(|(rounds, rest)| {
        rounds.len() == 2
            && rounds.parse::<u32>().is_ok_and(|rounds| (4..=MOST_ROUNDS).contains(&rounds))
            && rest.len() == 53
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"./".contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIREBASE: &str = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==";

    fn judged(stored: Option<&str>, password: &str) -> (bool, bool) {
        let Verdict { right, outdated, .. } = verify(stored, password);
        (right, outdated)
    }

    // rows: PW2
    #[test]
    fn a_new_hash_is_argon2id_and_verifies() {
        let stored = hash("correct horse", &[7; 16]);
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_eq!(judged(Some(&stored), "correct horse"), (true, false));
        assert!(!verify(Some(&stored), "correct horsf").right);
        assert!(!verify(Some(&stored), "").right);
    }

    // rows: PW2 PW3
    #[test]
    fn hashes_that_are_brought_along_verify_and_are_outdated() {
        // bcrypt: a vector of OpenBSD's tests; argon2: made with the reference tool; Firebase: the
        // example of its page.
        for (stored, password) in [
            ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
            ("$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g", "test"),
            (FIREBASE, "mytestpassword"),
        ] {
            assert!(is_known(stored), "{stored}");
            assert_eq!(judged(Some(stored), password), (true, true), "{stored}");
            assert!(!verify(Some(stored), "other").right, "{stored}");
        }
    }

    // rows: PW3
    #[test]
    fn forms_that_cost_too_much_or_say_nothing_are_unknown() {
        for hash in [
            "",
            "plain",
            "$1$md5$xyz",
            "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$argon2d$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g",
            "$argon2id$v=16$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g",
            "$argon2id$v=19$m=16,t=2,p=1,keyid=abc$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g",
            "$argon2id$v=19$m=4294967,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g",
            "$argon2id$v=19$m=16,t=21,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g",
            "$argon2id$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$",
        ] {
            assert!(!is_known(hash), "{hash}");
            assert!(!verify(Some(hash), "test").right, "{hash}");
        }
        for (from, to) in
            [("v=1", "v=2"), ("n=14", "n=0"), ("n=14", "n=40"), ("r=8", "r=0"), ("p=1", "p=256")]
        {
            assert!(!is_known(&FIREBASE.replacen(from, to, 1)), "{to}");
        }
    }

    // rows: PW9
    #[test]
    fn without_a_hash_the_same_work_ends_in_a_no() {
        assert!(is_known(DECOY) && is_current(DECOY));
        assert_eq!(judged(None, "x"), (false, false));
        assert_eq!(judged(Some(""), "x"), (false, false));
    }
}
