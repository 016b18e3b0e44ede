//! The versions of deployed functions, in the stack's own folder (functions.md G10).
//!
//! `<components>/deployed/<slug>/` holds `<version>.wasm` for the newest versions and `function.json`, which says which
//! of them is served. The one that is served lies in `<components>/<slug>.wasm` as well, as a built one does.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::artefact::write_whole;

/// Versions kept of each function.
const KEPT: usize = 10;

/// What is known of a deployed function. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Deployed {
    /// The version that is served.
    pub(crate) version: u32,
    /// Wins over config.toml where it is set.
    pub(crate) verify_jwt: Option<bool>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The versions that can be served, oldest first.
    pub(crate) versions: Vec<Version>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version: u32,
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) created_at: i64,
}

/// The folder of the versions.
#[derive(Debug)]
pub(crate) struct Shelf {
    components: PathBuf,
}

impl Shelf {
    pub(crate) fn new(components: &Path) -> Self {
        Self { components: components.to_owned() }
    }

    fn folder(&self, slug: &str) -> PathBuf {
        self.components.join("deployed").join(slug)
    }

    /// Where a version lies.
    pub(crate) fn component(&self, slug: &str, version: u32) -> PathBuf {
        self.folder(slug).join(format!("{version}.wasm"))
    }

    /// Where the version that is served lies.
    pub(crate) fn served(&self, slug: &str) -> PathBuf {
        self.components.join(format!("{slug}.wasm"))
    }

    /// Whether a function was deployed, which wins over a component by its path.
    pub(crate) fn has(&self, slug: &str) -> bool {
        self.folder(slug).join("function.json").is_file()
    }

    /// What is known of a function; nothing when it was never deployed.
    ///
    /// # Errors
    /// A file that cannot be read or is no JSON of ours.
    pub(crate) fn find(&self, slug: &str) -> io::Result<Option<Deployed>> {
        match fs::read(self.folder(slug).join("function.json")) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Puts a new version's component beside the others, not served yet; gives its number.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn put(&self, slug: &str, component: &[u8]) -> io::Result<u32> {
        fs::create_dir_all(self.folder(slug))?;
        let newest = self.find(slug)?.and_then(|known| known.versions.last().map(|last| last.version));
        let version = newest.unwrap_or_default() + 1;
        write_whole(&self.component(slug, version), component)?;
        Ok(version)
    }

    /// Notes a version that was put and serves it. The oldest versions beyond ten are forgotten.
    ///
    /// # Errors
    /// What the file system reports; the version served before stays.
    pub(crate) fn add(
        &self,
        slug: &str,
        version: Version,
        verify_jwt: Option<bool>,
        now: i64,
    ) -> io::Result<Deployed> {
        let mut known = self.find(slug)?.unwrap_or(Deployed {
            version: 0,
            verify_jwt: None,
            created_at: now,
            updated_at: now,
            versions: Vec::new(),
        });
        let number = version.version;
        known.versions.push(version);
        known.verify_jwt = verify_jwt.or(known.verify_jwt);
        while known.versions.len() > KEPT {
            let oldest = known.versions.remove(0);
            // A file that stays behind costs room alone.
            let _ = fs::remove_file(self.component(slug, oldest.version));
        }
        self.serve(slug, known, number, now)
    }

    /// Serves a kept version again; nothing when there is none of that number.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn roll_back(&self, slug: &str, version: u32, now: i64) -> io::Result<Option<Deployed>> {
        match self.find(slug)? {
            Some(known) if known.versions.iter().any(|kept| kept.version == version) => {
                self.serve(slug, known, version, now).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Changes `verify_jwt`; nothing when the function was never deployed.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn set_verify_jwt(
        &self,
        slug: &str,
        verify_jwt: bool,
        now: i64,
    ) -> io::Result<Option<Deployed>> {
        let Some(mut known) = self.find(slug)? else { return Ok(None) };
        known.verify_jwt = Some(verify_jwt);
        known.updated_at = now;
        self.note(slug, &known)?;
        Ok(Some(known))
    }

    /// Forgets a function and all its versions; false when there is none.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn remove(&self, slug: &str) -> io::Result<bool> {
        let served = gone(fs::remove_file(self.served(slug)))?;
        let kept = gone(fs::remove_dir_all(self.folder(slug)))?;
        Ok(served || kept)
    }

    fn serve(&self, slug: &str, mut known: Deployed, version: u32, now: i64) -> io::Result<Deployed> {
        known.version = version;
        known.updated_at = now;
        let component = fs::read(self.component(slug, version))?;
        self.note(slug, &known)?;
        write_whole(&self.served(slug), &component)?;
        Ok(known)
    }

    fn note(&self, slug: &str, known: &Deployed) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(known).map_err(io::Error::other)?;
        write_whole(&self.folder(slug).join("function.json"), &text)
    }
}

/// Whether something was removed.
fn gone(removed: io::Result<()>) -> io::Result<bool> {
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(number: u32) -> Version {
        Version { version: number, sha256: number.to_string(), bytes: 1, created_at: i64::from(number) }
    }

    #[test]
    fn functions_g10_versions_count_up_the_newest_ten_are_kept_and_one_of_them_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        for number in 1..=12 {
            assert_eq!(shelf.put("hello", number.to_string().as_bytes()).unwrap(), number);
            shelf.add("hello", version(number), None, i64::from(number)).unwrap();
        }
        let known = shelf.find("hello").unwrap().unwrap();
        assert_eq!((known.version, known.created_at, known.versions.len()), (12, 1, 10));
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"12");
        assert_eq!(shelf.roll_back("hello", 2, 13).unwrap(), None, "no longer kept");
        assert_eq!(shelf.roll_back("hello", 11, 13).unwrap().unwrap().version, 11);
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"11");
        assert_eq!(shelf.put("hello", b"13").unwrap(), 13, "after a roll-back numbers go on");
        assert!(shelf.remove("hello").unwrap() && !shelf.remove("hello").unwrap());
        assert_eq!(shelf.find("hello").unwrap(), None);
    }
}
