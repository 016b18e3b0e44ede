//! The versions of deployed functions, in the stack's own folder (functions.md G10).
//!
//! `<components>/deployed/<slug>/` holds `<version>.wasm` for the newest versions, `<version>.held.json` beside one that
//! waits to be served, and `function.json`, which says which of them is served. The one that is served lies in `<components>/<slug>.wasm` as well, as a built one does.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

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

    /// What is known of a version that waits to be served.
    fn held(&self, slug: &str, version: u32) -> PathBuf {
        self.folder(slug).join(format!("{version}.held.json"))
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
        read_json(&self.folder(slug).join("function.json"))
    }

    /// Puts a new version's component beside the others, not served yet; gives its number.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn put(&self, slug: &str, component: &[u8]) -> io::Result<u32> {
        fs::create_dir_all(self.folder(slug))?;
        let newest = self.find(slug)?.and_then(|known| known.versions.last().map(|last| last.version));
        let version = newest.unwrap_or_default() + 1;
        gone(fs::remove_file(self.held(slug, version)))?;
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

    /// Notes a version that was put and is to be served later. One that is put after it takes its number.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn hold(&self, slug: &str, version: &Version) -> io::Result<()> {
        write_json(&self.held(slug, version.version), version)
    }

    /// Whether a version is held or kept.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn is_there(&self, slug: &str, version: u32) -> io::Result<bool> {
        let is_kept = |known: Deployed| known.versions.iter().any(|kept| kept.version == version);
        Ok(self.held(slug, version).is_file() || self.find(slug)?.is_some_and(is_kept))
    }

    /// Serves a version that was held, or one that is kept; nothing when there is none of that number.
    ///
    /// # Errors
    /// What the file system reports; the version served before stays.
    pub(crate) fn release(
        &self,
        slug: &str,
        version: u32,
        verify_jwt: Option<bool>,
        now: i64,
    ) -> io::Result<Option<Deployed>> {
        let held = self.held(slug, version);
        if let Some(version) = read_json(&held)? {
            let known = self.add(slug, version, verify_jwt, now)?;
            fs::remove_file(held)?;
            return Ok(Some(known));
        }
        let known = self.roll_back(slug, version, now)?;
        match verify_jwt {
            Some(verify_jwt) if known.is_some() => self.set_verify_jwt(slug, verify_jwt, now),
            _ => Ok(known),
        }
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
        write_json(&self.folder(slug).join("function.json"), known)
    }
}

/// What a file of ours holds; nothing when there is none.
fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
    write_whole(path, &text)
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
        shelf.hold("hello", &version(13)).unwrap();
        assert!(shelf.is_there("hello", 13).unwrap() && !shelf.is_there("hello", 14).unwrap());
        assert_eq!(shelf.find("hello").unwrap().unwrap().version, 11, "what is held is not served");
        assert_eq!(shelf.release("hello", 13, Some(false), 14).unwrap().unwrap().verify_jwt, Some(false));
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"13");
        assert_eq!(shelf.release("hello", 11, None, 15).unwrap().unwrap().version, 11, "a kept one as well");
        assert_eq!(shelf.release("hello", 14, None, 15).unwrap(), None);
        assert!(shelf.remove("hello").unwrap() && !shelf.remove("hello").unwrap());
        assert_eq!(shelf.find("hello").unwrap(), None);
    }
}
