//! The token that management commands present to a running stack (edge/CONTRACT.md G09): made at
//! the first start, readable by its owner only, of the form that the supabase CLI asks of one.

use std::{fs::OpenOptions, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::Context;
use banyan_config::Config;
use secrecy::SecretString;

/// The token of this machine's stack; makes one where there is none yet.
pub(crate) fn of_stack(config: &Config) -> anyhow::Result<SecretString> {
    of_file(&config.paths.access_token())
}

fn of_file(path: &Path) -> anyhow::Result<SecretString> {
    match std::fs::read_to_string(path) {
        Ok(token) if is_well_formed(token.trim()) => Ok(token.trim().to_owned().into()),
        _ => {
            let token = new();
            let mut file = OpenOptions::new()
                .create(true)
                .truncate(true)
                .write(true)
                .mode(0o600)
                .open(path)
                .with_context(|| format!("cannot write {}", path.display()))?;
            file.write_all(token.as_bytes())?;
            Ok(token.into())
        }
    }
}

/// `sbp_` and forty hexadecimal digits.
pub(crate) fn is_well_formed(token: &str) -> bool {
    let digits = token.strip_prefix("sbp_").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// At most 12 of the 160 bits are fixed.
fn new() -> String {
    let digits = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
    format!("sbp_{}", &digits[..40])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    // rows: edge/G09
    #[test]
    fn the_access_token_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("access-token");
        let token = || {
            let token = of_file(&path).expect("a token");
            secrecy::ExposeSecret::expose_secret(&token).to_owned()
        };
        let first = token();
        assert!(is_well_formed(&first), "{first}");
        assert_eq!(token(), first);
        assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        std::fs::write(&path, "sbp_short").expect("written");
        assert!(token() != first && is_well_formed(&token()));
    }
}
