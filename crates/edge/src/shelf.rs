//! The versions of deployed functions, in the stack's own folder (CONTRACT.md G10).
//!
//! `<components>/deployed/<slug>/` holds `<version>.wasm` for the newest versions, `<version>.held.json` beside one that
//! waits to be served, and `function.json`, which says what is known of each. The one that is served lies in
//! `<components>/<slug>.wasm` as well, as a built one does.
//!
//! A version's policy belongs to its code: what lies in `<slug>.wasm` is told by its digest, and the version with that
//! digest says under which policy it runs. So whatever is interrupted between the two files, and whatever is built over
//! them, no code ever runs under the policy of another version.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::files::{digest, write_whole};

/// Versions kept of each function.
const KEPT: usize = 10;

/// What is known of a deployed function. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Deployed {
    /// The version that was served last.
    pub(crate) version: u32,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The versions that can be served, oldest first.
    pub(crate) versions: Vec<Version>,
    /// What a file says of all versions whose own word it does not have.
    #[serde(default, skip_serializing)]
    verify_jwt: Option<bool>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version: u32,
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) created_at: i64,
    /// Wins over config.toml where it is set, and comes and goes with this version.
    #[serde(default)]
    pub(crate) verify_jwt: Option<bool>,
    /// The version that ran before this one was served for the first time.
    #[serde(default)]
    pub(crate) before: Option<u32>,
}

impl Deployed {
    fn new(now: i64) -> Self {
        Self { version: 0, created_at: now, updated_at: now, versions: Vec::new(), verify_jwt: None }
    }

    /// The version of a component by its digest; of several that are alike the one that was served last, or else the newest.
    pub(crate) fn of_digest(&self, digest: &str) -> Option<&Version> {
        let is_it = |version: &&Version| version.sha256 == digest;
        let last = self.find(self.version).filter(is_it);
        last.or_else(|| self.versions.iter().rev().find(is_it))
    }

    /// The version to go back to from this one: what ran before it, which is no later one that was found to be bad. Nothing
    /// where that is no longer kept.
    pub(crate) fn before(&self, number: u32) -> Option<u32> {
        let noted = self.find(number).and_then(|version| version.before);
        let older = || self.versions.iter().rev().find(|version| version.version < number);
        let before = noted.map_or_else(older, |before| self.find(before));
        before.map(|version| version.version)
    }

    /// Takes out the oldest versions beyond ten. What ran before the newest stays, since a roll-back leads there.
    fn forget_oldest(&mut self) -> Vec<Version> {
        let before = self.versions.last().and_then(|newest| newest.before);
        let mut beyond = self.versions.len().saturating_sub(KEPT);
        let (forgotten, kept) = std::mem::take(&mut self.versions).into_iter().partition(|version| {
            let goes = beyond > 0 && Some(version.version) != before;
            beyond -= usize::from(goes);
            goes
        });
        self.versions = kept;
        forgotten
    }

    fn find(&self, number: u32) -> Option<&Version> {
        self.versions.iter().find(|version| version.version == number)
    }

    /// Gives a version its own word on `verify_jwt`; false when it is not kept.
    fn set_verify_jwt(&mut self, number: u32, verify_jwt: bool) -> bool {
        let kept = self.versions.iter_mut().find(|version| version.version == number);
        kept.map(|version| version.verify_jwt = Some(verify_jwt)).is_some()
    }
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

    /// The numbers of the versions that wait to be served.
    fn all_held(&self, slug: &str) -> io::Result<Vec<u32>> {
        let names = fs::read_dir(self.folder(slug))?.map(|file| Ok(file?.file_name()));
        let names: Vec<_> = names.collect::<io::Result<_>>()?;
        let number = |name: &OsString| name.to_str()?.strip_suffix(".held.json")?.parse().ok();
        Ok(names.iter().filter_map(number).collect())
    }

    /// The functions that were deployed.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn all(&self) -> io::Result<Vec<String>> {
        let folders = match fs::read_dir(self.components.join("deployed")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folders => folders?,
        };
        let names = folders.map(|folder| Ok(folder?.file_name().into_string().ok()));
        let names: Vec<_> = names.collect::<io::Result<_>>()?;
        Ok(names.into_iter().flatten().filter(|slug| self.has(slug)).collect())
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
        let mut found: Option<Deployed> = read_json(&self.folder(slug).join("function.json"))?;
        if let Some(known) = &mut found {
            let of_all = known.verify_jwt.take();
            for version in &mut known.versions {
                version.verify_jwt = version.verify_jwt.or(of_all);
            }
        }
        Ok(found)
    }

    /// Puts a new version's component beside the others, not served yet; gives its number, which none has that is kept or
    /// held, so that nobody serves by it what somebody else deployed.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn put(&self, slug: &str, component: &[u8]) -> io::Result<u32> {
        fs::create_dir_all(self.folder(slug))?;
        let known = self.find(slug)?;
        let kept = known.iter().flat_map(|known| &known.versions).map(|version| version.version);
        let version = kept.chain(self.all_held(slug)?).max().unwrap_or_default() + 1;
        write_whole(&self.component(slug, version), component)?;
        Ok(version)
    }

    /// Removes the component of a version that was put and could not be noted.
    pub(crate) fn take_back(&self, slug: &str, version: u32) {
        if self.is_there(slug, version).is_ok_and(|is_noted| !is_noted) {
            // A file that stays behind costs room alone.
            let _ = fs::remove_file(self.component(slug, version));
        }
    }

    /// The version that lies where the served one does, told by what it is; nothing for a component that was not deployed.
    pub(crate) fn in_place<'a>(&self, slug: &str, known: &'a Deployed) -> Option<&'a Version> {
        // Without a component nothing is in place.
        known.of_digest(&digest(&fs::read(self.served(slug)).ok()?))
    }

    /// Notes a version that was put and serves it. Where it has no word of its own on `verify_jwt`, that of the version
    /// that ran before it goes on. The oldest versions beyond ten are forgotten, but not the one that ran before it.
    ///
    /// # Errors
    /// What the file system reports; the version served before stays, with its policy.
    pub(crate) fn add(&self, slug: &str, mut version: Version, now: i64) -> io::Result<Deployed> {
        let mut known = self.find(slug)?.unwrap_or_else(|| Deployed::new(now));
        if let Some(before) = self.in_place(slug, &known) {
            version.verify_jwt = version.verify_jwt.or(before.verify_jwt);
            version.before = Some(before.version);
        }
        let number = version.version;
        known.versions.push(version);
        let forgotten = known.forget_oldest();
        let known = self.serve(slug, known, number, now)?;
        for oldest in forgotten {
            // A file that stays behind costs room alone.
            let _ = fs::remove_file(self.component(slug, oldest.version));
        }
        Ok(known)
    }

    /// Notes a version that was put and is to be served later. Of those that nobody has served the newest ten are held.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn hold(&self, slug: &str, version: &Version) -> io::Result<()> {
        write_json(&self.held(slug, version.version), version)?;
        let known = self.find(slug)?;
        let mut held = self.all_held(slug)?;
        held.sort_unstable_by(|one, other| other.cmp(one));
        for forgotten in held.into_iter().skip(KEPT) {
            fs::remove_file(self.held(slug, forgotten))?;
            if known.as_ref().is_none_or(|known| known.find(forgotten).is_none()) {
                gone(fs::remove_file(self.component(slug, forgotten)))?;
            }
        }
        Ok(())
    }

    /// Whether a version is held or kept.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn is_there(&self, slug: &str, version: u32) -> io::Result<bool> {
        let is_kept = |known: Deployed| known.find(version).is_some();
        Ok(self.held(slug, version).is_file() || self.find(slug)?.is_some_and(is_kept))
    }

    /// Serves a version that was held, or one that is kept, with another `verify_jwt` where that is set; nothing when there
    /// is none of that number.
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
        if let Some(version) = read_json::<Version>(&held)? {
            let verify_jwt = verify_jwt.or(version.verify_jwt);
            let known = self.add(slug, Version { verify_jwt, ..version }, now)?;
            fs::remove_file(held)?;
            return Ok(Some(known));
        }
        match self.find(slug)? {
            Some(mut known) if known.find(version).is_some() => {
                if let Some(verify_jwt) = verify_jwt {
                    known.set_verify_jwt(version, verify_jwt);
                }
                self.serve(slug, known, version, now).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Serves a kept version again, under the policy that it had; nothing when there is none of that number.
    ///
    /// # Errors
    /// What the file system reports; the version served before stays.
    pub(crate) fn roll_back(&self, slug: &str, version: u32, now: i64) -> io::Result<Option<Deployed>> {
        match self.find(slug)? {
            Some(known) if known.find(version).is_some() => self.serve(slug, known, version, now).map(Some),
            _ => Ok(None),
        }
    }

    /// Changes `verify_jwt` of a version; nothing when it is not kept.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn set_verify_jwt(
        &self,
        slug: &str,
        version: u32,
        verify_jwt: bool,
        now: i64,
    ) -> io::Result<Option<Deployed>> {
        let Some(mut known) = self.find(slug)? else { return Ok(None) };
        if !known.set_verify_jwt(version, verify_jwt) {
            return Ok(None);
        }
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

    /// Until the component itself is in place, the version that lies there goes on under its own policy.
    fn serve(&self, slug: &str, mut known: Deployed, number: u32, now: i64) -> io::Result<Deployed> {
        known.version = number;
        known.updated_at = now;
        let component = fs::read(self.component(slug, number))?;
        if known.find(number).is_none_or(|version| version.sha256 != digest(&component)) {
            return Err(io::Error::other(format!("version {number} of {slug} is damaged")));
        }
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

    /// A version whose component is its number.
    fn version(number: u32) -> Version {
        let sha256 = digest(number.to_string().as_bytes());
        let created_at = i64::from(number);
        Version { version: number, sha256, bytes: 1, created_at, verify_jwt: None, before: None }
    }

    #[test]
    fn functions_g10_versions_count_up_the_newest_ten_are_kept_and_one_of_them_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        for number in 1..=12 {
            assert_eq!(shelf.put("hello", number.to_string().as_bytes()).unwrap(), number);
            shelf.add("hello", version(number), i64::from(number)).unwrap();
        }
        let known = shelf.find("hello").unwrap().unwrap();
        assert_eq!((known.version, known.created_at, known.versions.len()), (12, 1, 10));
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"12");
        assert_eq!(shelf.roll_back("hello", 2, 13).unwrap(), None, "no longer kept");
        assert!(!shelf.component("hello", 2).exists());
        assert_eq!(shelf.roll_back("hello", 11, 13).unwrap().unwrap().version, 11);
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"11");
        assert_eq!(shelf.put("hello", b"13").unwrap(), 13, "after a roll-back numbers go on");
        shelf.hold("hello", &version(13)).unwrap();
        assert!(shelf.is_there("hello", 13).unwrap() && !shelf.is_there("hello", 14).unwrap());
        assert_eq!(shelf.find("hello").unwrap().unwrap().version, 11, "what is held is not served");
        let released = shelf.release("hello", 13, Some(false), 14).unwrap().unwrap();
        assert_eq!(released.find(13).unwrap().verify_jwt, Some(false));
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"13");
        assert_eq!(shelf.release("hello", 11, None, 15).unwrap().unwrap().version, 11, "a kept one as well");
        assert_eq!(shelf.release("hello", 14, None, 15).unwrap(), None);
        assert!(shelf.remove("hello").unwrap() && !shelf.remove("hello").unwrap());
        assert_eq!(shelf.find("hello").unwrap(), None);
    }

    #[test]
    fn functions_g10_a_policy_belongs_to_its_version_and_is_found_by_what_the_component_is() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let deploy = |number: u32, component: &[u8], verify_jwt| {
            assert_eq!(shelf.put("hello", component).unwrap(), number);
            let version = Version { sha256: digest(component), verify_jwt, ..version(number) };
            shelf.add("hello", version, 1).unwrap()
        };
        deploy(1, b"one", Some(true));
        deploy(2, b"two", Some(false));
        let known = deploy(3, b"one", None);
        let of = |known: &Deployed, component: &[u8]| {
            known.of_digest(&digest(component)).map(|version| (version.version, version.verify_jwt))
        };
        assert_eq!(of(&known, b"one"), Some((3, Some(false))), "no word of its own: that before it goes on");
        assert_eq!(of(&known, b"two"), Some((2, Some(false))));
        assert_eq!(of(&known, b"built elsewhere"), None);
        let known = shelf.roll_back("hello", 1, 2).unwrap().unwrap();
        assert_eq!(of(&known, b"one"), Some((1, Some(true))), "the same code, under its own policy");
        let known = shelf.set_verify_jwt("hello", 2, true, 3).unwrap().unwrap();
        assert_eq!((of(&known, b"two"), known.version), (Some((2, Some(true))), 1));
        assert_eq!(shelf.set_verify_jwt("hello", 7, true, 3).unwrap(), None);
    }

    #[test]
    fn functions_g10_before_a_version_is_what_ran_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let deploy = |number: u32| {
            shelf.put("hello", number.to_string().as_bytes()).unwrap();
            shelf.add("hello", version(number), 1).unwrap()
        };
        (1..=3).for_each(|number| drop(deploy(number)));
        shelf.roll_back("hello", 2, 1).unwrap();
        let known = deploy(4);
        assert_eq!([4, 3, 2, 1].map(|number| known.before(number)), [Some(2), Some(2), Some(1), None]);
    }

    #[test]
    fn functions_g10_what_ran_before_is_kept_however_old_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let deploy = |number: u32| {
            shelf.put("hello", number.to_string().as_bytes()).unwrap();
            shelf.add("hello", version(number), 1).unwrap()
        };
        (1..=10).for_each(|number| drop(deploy(number)));
        shelf.roll_back("hello", 1, 1).unwrap();
        let known = deploy(11);
        assert_eq!((known.before(11), known.versions.len()), (Some(1), 10));
        assert!(shelf.component("hello", 1).exists() && !shelf.component("hello", 2).exists());
        let known = deploy(12);
        assert_eq!((known.before(12), known.before(11)), (Some(11), None), "10 was found to be bad");
    }

    #[test]
    fn functions_g10_the_word_that_goes_on_is_that_of_the_version_that_ran() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let deploy = |number: u32, verify_jwt| {
            shelf.put("hello", number.to_string().as_bytes()).unwrap();
            shelf.add("hello", Version { verify_jwt, ..version(number) }, 1)
        };
        deploy(1, Some(true)).unwrap();
        // The second one cannot be put in place, as on a full disk.
        let (served, aside) = (shelf.served("hello"), folder.path().join("aside"));
        fs::rename(&served, &aside).unwrap();
        fs::create_dir(&served).unwrap();
        assert!(deploy(2, Some(false)).is_err());
        fs::remove_dir(&served).unwrap();
        fs::rename(&aside, &served).unwrap();
        let known = deploy(3, None).unwrap();
        let third = known.find(3).unwrap();
        assert_eq!((third.verify_jwt, third.before), (Some(true), Some(1)));
    }

    #[test]
    fn functions_g10_two_that_hold_a_version_at_a_time_have_one_each() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let hold = |number: u32| {
            assert_eq!(shelf.put("hello", number.to_string().as_bytes()).unwrap(), number);
            shelf.hold("hello", &version(number)).unwrap();
        };
        hold(1);
        hold(2);
        shelf.release("hello", 2, None, 1).unwrap();
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"2");
        shelf.release("hello", 1, None, 2).unwrap();
        assert_eq!(fs::read(shelf.served("hello")).unwrap(), b"1", "what was held as version 1");
        (3..=13).for_each(hold);
        assert!(!shelf.is_there("hello", 3).unwrap() && !shelf.component("hello", 3).exists());
        assert!((4..=13).all(|number| shelf.component("hello", number).exists()));
        assert!(shelf.component("hello", 2).exists(), "a kept one stays");
    }

    #[test]
    fn functions_g10_a_damaged_version_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        for number in 1..=2 {
            shelf.put("hello", number.to_string().as_bytes()).unwrap();
            shelf.add("hello", version(number), 1).unwrap();
        }
        let before = shelf.find("hello").unwrap();
        fs::write(shelf.component("hello", 1), "other bytes").unwrap();
        assert!(shelf.roll_back("hello", 1, 2).unwrap_err().to_string().contains("damaged"));
        fs::remove_file(shelf.component("hello", 1)).unwrap();
        assert!(shelf.roll_back("hello", 1, 2).is_err());
        assert_eq!(
            (shelf.find("hello").unwrap(), fs::read(shelf.served("hello")).unwrap()),
            (before, b"2".to_vec())
        );
    }

    #[test]
    fn functions_g10_the_component_of_a_version_that_could_not_be_noted_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        assert_eq!(shelf.put("hello", b"1").unwrap(), 1);
        shelf.add("hello", version(1), 1).unwrap();
        assert_eq!(shelf.put("hello", b"2").unwrap(), 2);
        for number in [1, 2] {
            shelf.take_back("hello", number);
        }
        assert!(shelf.component("hello", 1).exists() && !shelf.component("hello", 2).exists());
    }

    #[test]
    fn functions_g10_a_file_with_one_word_for_all_versions_is_read_as_a_word_for_each() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        let text = r#"{"version": 1, "verify_jwt": false, "created_at": 1, "updated_at": 1,
            "versions": [{"version": 1, "sha256": "x", "bytes": 1, "created_at": 1}]}"#;
        fs::create_dir_all(folder.path().join("deployed/hello")).unwrap();
        fs::write(folder.path().join("deployed/hello/function.json"), text).unwrap();
        let known = shelf.find("hello").unwrap().unwrap();
        assert_eq!(known.of_digest("x").unwrap().verify_jwt, Some(false));
    }
}
