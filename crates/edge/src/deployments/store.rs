//! The versions of deployed functions, in the stack's own folder (CONTRACT.md G10).
//!
//! `<components>/deployed/<slug>/` holds `<version>.wasm` for the newest versions,
//! `<version>.held.json` beside a staged version, and `function.json` with the record of the
//! function. The active version is also in `<components>/<slug>.wasm`, where a built component
//! would be.
//!
//! A version's policy belongs to its code: the digest of `<slug>.wasm` tells which version it is,
//! and that version says which policy holds. So no code ever runs under the policy of another
//! version, even if a change is interrupted between the two files, or if a build overwrites
//! `<slug>.wasm`.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::record::{DeploymentRecord, KEPT, Version};
use crate::files::{digest, write_atomically};

/// The versions on disk.
#[derive(Debug)]
pub(crate) struct DeploymentStore {
    components: PathBuf,
}

impl DeploymentStore {
    pub(crate) fn new(components: &Path) -> Self {
        Self { components: components.to_owned() }
    }

    fn folder(&self, slug: &str) -> PathBuf {
        self.components.join("deployed").join(slug)
    }

    /// The path of a version's component.
    pub(crate) fn component(&self, slug: &str, version: u32) -> PathBuf {
        self.folder(slug).join(format!("{version}.wasm"))
    }

    /// The path of what is known of a staged version. Its extension is older than the word.
    fn staged(&self, slug: &str, version: u32) -> PathBuf {
        self.folder(slug).join(format!("{version}.held.json"))
    }

    /// The numbers of the staged versions.
    fn all_staged(&self, slug: &str) -> io::Result<Vec<u32>> {
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

    /// The path of the active version's component.
    pub(crate) fn active_path(&self, slug: &str) -> PathBuf {
        self.components.join(format!("{slug}.wasm"))
    }

    /// Whether a function was deployed, which wins over a component by its configured path.
    pub(crate) fn has(&self, slug: &str) -> bool {
        self.folder(slug).join("function.json").is_file()
    }

    /// The record of a function, if it was ever deployed.
    ///
    /// # Errors
    /// A file that cannot be read or is no JSON of ours.
    pub(crate) fn find(&self, slug: &str) -> io::Result<Option<DeploymentRecord>> {
        let mut found: Option<DeploymentRecord> = read_json(&self.folder(slug).join("function.json"))?;
        if let Some(known) = &mut found {
            let of_all = known.verify_jwt.take();
            for version in &mut known.versions {
                version.verify_jwt = version.verify_jwt.or(of_all);
            }
        }
        Ok(found)
    }

    /// Writes the component of a new version, which is neither staged nor active yet. Returns its
    /// number. No kept or staged version has that number, so nobody activates a component that
    /// somebody else deployed.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn put(&self, slug: &str, component: &[u8]) -> io::Result<u32> {
        fs::create_dir_all(self.folder(slug))?;
        let known = self.find(slug)?;
        let kept = known.iter().flat_map(|known| &known.versions).map(|version| version.version);
        let version = kept.chain(self.all_staged(slug)?).max().unwrap_or_default() + 1;
        write_atomically(&self.component(slug, version), component)?;
        Ok(version)
    }

    /// Removes the component of a version that could be neither staged nor activated.
    pub(crate) fn discard(&self, slug: &str, version: u32) {
        if self.contains(slug, version).is_ok_and(|is_known| !is_known) {
            // A file that stays behind only takes disk space.
            let _ = fs::remove_file(self.component(slug, version));
        }
    }

    /// The version whose component is in the active path. None for a component that was not
    /// deployed.
    pub(crate) fn active_version<'a>(&self, slug: &str, known: &'a DeploymentRecord) -> Option<&'a Version> {
        // Without a component no version is active.
        known.by_digest(&digest(&fs::read(self.active_path(slug)).ok()?))
    }

    /// Adds a version that was put, and activates it. If it does not set `verify_jwt`, it takes
    /// that of the version that ran before. The oldest versions beyond ten are forgotten, except
    /// for the version that ran before.
    ///
    /// # Errors
    /// What the file system reports. The version that was active stays, with its policy.
    pub(crate) fn add(&self, slug: &str, mut version: Version, now: i64) -> io::Result<DeploymentRecord> {
        let mut known = self.find(slug)?.unwrap_or_else(|| DeploymentRecord::new(now));
        if let Some(before) = self.active_version(slug, &known) {
            version.verify_jwt = version.verify_jwt.or(before.verify_jwt);
            version.before = Some(before.version);
        }
        let number = version.version;
        known.versions.push(version);
        let forgotten = known.forget_oldest();
        let known = self.activate_known(slug, known, number, now)?;
        for oldest in forgotten {
            // A file that stays behind only takes disk space.
            let _ = fs::remove_file(self.component(slug, oldest.version));
        }
        Ok(known)
    }

    /// Stages a version that was put, to be activated later. The newest ten staged versions stay.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn stage(&self, slug: &str, version: &Version) -> io::Result<()> {
        write_json(&self.staged(slug, version.version), version)?;
        let known = self.find(slug)?;
        let mut staged = self.all_staged(slug)?;
        staged.sort_unstable_by(|one, other| other.cmp(one));
        for forgotten in staged.into_iter().skip(KEPT) {
            fs::remove_file(self.staged(slug, forgotten))?;
            if known.as_ref().is_none_or(|known| known.find(forgotten).is_none()) {
                has_removed(fs::remove_file(self.component(slug, forgotten)))?;
            }
        }
        Ok(())
    }

    /// Whether a version is staged or kept.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn contains(&self, slug: &str, version: u32) -> io::Result<bool> {
        let is_kept = |known: DeploymentRecord| known.find(version).is_some();
        Ok(self.staged(slug, version).is_file() || self.find(slug)?.is_some_and(is_kept))
    }

    /// Activates a staged or kept version, with another `verify_jwt` if that is set. Returns
    /// nothing if there is no version of that number.
    ///
    /// # Errors
    /// What the file system reports. The version that was active stays.
    pub(crate) fn activate(
        &self,
        slug: &str,
        version: u32,
        verify_jwt: Option<bool>,
        now: i64,
    ) -> io::Result<Option<DeploymentRecord>> {
        let staged = self.staged(slug, version);
        if let Some(version) = read_json::<Version>(&staged)? {
            let verify_jwt = verify_jwt.or(version.verify_jwt);
            let known = self.add(slug, Version { verify_jwt, ..version }, now)?;
            fs::remove_file(staged)?;
            return Ok(Some(known));
        }
        match self.find(slug)? {
            Some(mut known) if known.find(version).is_some() => {
                if let Some(verify_jwt) = verify_jwt {
                    known.set_verify_jwt(version, verify_jwt);
                }
                self.activate_known(slug, known, version, now).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Activates a kept version again, under the policy that it had. Returns nothing if there is
    /// no version of that number.
    ///
    /// # Errors
    /// What the file system reports. The version that was active stays.
    pub(crate) fn roll_back(
        &self,
        slug: &str,
        version: u32,
        now: i64,
    ) -> io::Result<Option<DeploymentRecord>> {
        match self.find(slug)? {
            Some(known) if known.find(version).is_some() => {
                self.activate_known(slug, known, version, now).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Changes `verify_jwt` of a version. Returns nothing if the version is not kept.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn set_verify_jwt(
        &self,
        slug: &str,
        version: u32,
        verify_jwt: bool,
        now: i64,
    ) -> io::Result<Option<DeploymentRecord>> {
        let Some(mut known) = self.find(slug)? else { return Ok(None) };
        if !known.set_verify_jwt(version, verify_jwt) {
            return Ok(None);
        }
        known.updated_at = now;
        self.write_record(slug, &known)?;
        Ok(Some(known))
    }

    /// Forgets a function and all its versions. Returns false if there is none.
    ///
    /// # Errors
    /// What the file system reports.
    pub(crate) fn remove(&self, slug: &str) -> io::Result<bool> {
        let active = has_removed(fs::remove_file(self.active_path(slug)))?;
        let kept = has_removed(fs::remove_dir_all(self.folder(slug)))?;
        Ok(active || kept)
    }

    /// Writes the record, then the component. In between, the component that is still in the
    /// active path goes on under its own policy.
    fn activate_known(
        &self,
        slug: &str,
        mut known: DeploymentRecord,
        number: u32,
        now: i64,
    ) -> io::Result<DeploymentRecord> {
        known.version = number;
        known.updated_at = now;
        let component = fs::read(self.component(slug, number))?;
        if known.find(number).is_none_or(|version| version.sha256 != digest(&component)) {
            return Err(io::Error::other(format!("version {number} of {slug} is damaged")));
        }
        self.write_record(slug, &known)?;
        write_atomically(&self.active_path(slug), &component)?;
        Ok(known)
    }

    fn write_record(&self, slug: &str, known: &DeploymentRecord) -> io::Result<()> {
        write_json(&self.folder(slug).join("function.json"), known)
    }
}

/// The content of a file of ours, if there is one.
fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
    write_atomically(path, &text)
}

/// Whether something was removed. A file that is not there is no error.
fn has_removed(removed: io::Result<()>) -> io::Result<bool> {
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

    // rows: G10
    #[test]
    fn versions_count_up_the_newest_ten_are_kept_and_one_of_them_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        for number in 1..=12 {
            assert_eq!(store.put("hello", number.to_string().as_bytes()).unwrap(), number);
            store.add("hello", version(number), i64::from(number)).unwrap();
        }
        let known = store.find("hello").unwrap().unwrap();
        assert_eq!((known.version, known.created_at, known.versions.len()), (12, 1, 10));
        assert_eq!(fs::read(store.active_path("hello")).unwrap(), b"12");
        assert_eq!(store.roll_back("hello", 2, 13).unwrap(), None, "no longer kept");
        assert!(!store.component("hello", 2).exists());
        assert_eq!(store.roll_back("hello", 11, 13).unwrap().unwrap().version, 11);
        assert_eq!(fs::read(store.active_path("hello")).unwrap(), b"11");
        assert_eq!(store.put("hello", b"13").unwrap(), 13, "after a roll-back numbers go on");
        store.stage("hello", &version(13)).unwrap();
        assert!(store.contains("hello", 13).unwrap() && !store.contains("hello", 14).unwrap());
        assert_eq!(store.find("hello").unwrap().unwrap().version, 11, "what is held is not served");
        let activated = store.activate("hello", 13, Some(false), 14).unwrap().unwrap();
        assert_eq!(activated.find(13).unwrap().verify_jwt, Some(false));
        assert_eq!(fs::read(store.active_path("hello")).unwrap(), b"13");
        assert_eq!(store.activate("hello", 11, None, 15).unwrap().unwrap().version, 11, "a kept one as well");
        assert_eq!(store.activate("hello", 14, None, 15).unwrap(), None);
        assert!(store.remove("hello").unwrap() && !store.remove("hello").unwrap());
        assert_eq!(store.find("hello").unwrap(), None);
    }

    // rows: G10
    #[test]
    fn a_policy_belongs_to_its_version_and_is_found_by_digest() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let deploy = |number: u32, component: &[u8], verify_jwt| {
            assert_eq!(store.put("hello", component).unwrap(), number);
            let version = Version { sha256: digest(component), verify_jwt, ..version(number) };
            store.add("hello", version, 1).unwrap()
        };
        deploy(1, b"one", Some(true));
        deploy(2, b"two", Some(false));
        let known = deploy(3, b"one", None);
        let of = |known: &DeploymentRecord, component: &[u8]| {
            known.by_digest(&digest(component)).map(|version| (version.version, version.verify_jwt))
        };
        assert_eq!(of(&known, b"one"), Some((3, Some(false))), "no word of its own: that before it goes on");
        assert_eq!(of(&known, b"two"), Some((2, Some(false))));
        assert_eq!(of(&known, b"built elsewhere"), None);
        let known = store.roll_back("hello", 1, 2).unwrap().unwrap();
        assert_eq!(of(&known, b"one"), Some((1, Some(true))), "the same code, under its own policy");
        let known = store.set_verify_jwt("hello", 2, true, 3).unwrap().unwrap();
        assert_eq!((of(&known, b"two"), known.version), (Some((2, Some(true))), 1));
        assert_eq!(store.set_verify_jwt("hello", 7, true, 3).unwrap(), None);
    }

    // rows: G10
    #[test]
    fn the_target_of_a_roll_back_is_the_version_that_ran_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let deploy = |number: u32| {
            store.put("hello", number.to_string().as_bytes()).unwrap();
            store.add("hello", version(number), 1).unwrap()
        };
        (1..=3).for_each(|number| drop(deploy(number)));
        store.roll_back("hello", 2, 1).unwrap();
        let known = deploy(4);
        assert_eq!(
            [4, 3, 2, 1].map(|number| known.rollback_target(number)),
            [Some(2), Some(2), Some(1), None]
        );
    }

    // rows: G10
    #[test]
    fn the_version_that_ran_before_is_kept_however_old_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let deploy = |number: u32| {
            store.put("hello", number.to_string().as_bytes()).unwrap();
            store.add("hello", version(number), 1).unwrap()
        };
        (1..=10).for_each(|number| drop(deploy(number)));
        store.roll_back("hello", 1, 1).unwrap();
        let known = deploy(11);
        assert_eq!((known.rollback_target(11), known.versions.len()), (Some(1), 10));
        assert!(store.component("hello", 1).exists() && !store.component("hello", 2).exists());
        let known = deploy(12);
        assert_eq!(
            (known.rollback_target(12), known.rollback_target(11)),
            (Some(11), None),
            "10 was found to be bad"
        );
    }

    // rows: G10
    #[test]
    fn verify_jwt_is_taken_from_the_version_that_ran() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let deploy = |number: u32, verify_jwt| {
            store.put("hello", number.to_string().as_bytes()).unwrap();
            store.add("hello", Version { verify_jwt, ..version(number) }, 1)
        };
        deploy(1, Some(true)).unwrap();
        // The second one cannot be put in place, as on a full disk.
        let (active, aside) = (store.active_path("hello"), folder.path().join("aside"));
        fs::rename(&active, &aside).unwrap();
        fs::create_dir(&active).unwrap();
        assert!(deploy(2, Some(false)).is_err());
        fs::remove_dir(&active).unwrap();
        fs::rename(&aside, &active).unwrap();
        let known = deploy(3, None).unwrap();
        let third = known.find(3).unwrap();
        assert_eq!((third.verify_jwt, third.before), (Some(true), Some(1)));
    }

    // rows: G10
    #[test]
    fn two_who_stage_at_a_time_get_a_version_each() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let stage = |number: u32| {
            assert_eq!(store.put("hello", number.to_string().as_bytes()).unwrap(), number);
            store.stage("hello", &version(number)).unwrap();
        };
        stage(1);
        let kept_name = folder.path().join("deployed/hello/1.held.json");
        assert!(kept_name.is_file(), "existing folders have files of this name");
        stage(2);
        store.activate("hello", 2, None, 1).unwrap();
        assert_eq!(fs::read(store.active_path("hello")).unwrap(), b"2");
        store.activate("hello", 1, None, 2).unwrap();
        assert_eq!(fs::read(store.active_path("hello")).unwrap(), b"1", "what was held as version 1");
        (3..=13).for_each(stage);
        assert!(!store.contains("hello", 3).unwrap() && !store.component("hello", 3).exists());
        assert!((4..=13).all(|number| store.component("hello", number).exists()));
        assert!(store.component("hello", 2).exists(), "a kept one stays");
    }

    // rows: G10
    #[test]
    fn a_damaged_version_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        for number in 1..=2 {
            store.put("hello", number.to_string().as_bytes()).unwrap();
            store.add("hello", version(number), 1).unwrap();
        }
        let before = store.find("hello").unwrap();
        fs::write(store.component("hello", 1), "other bytes").unwrap();
        assert!(store.roll_back("hello", 1, 2).unwrap_err().to_string().contains("damaged"));
        fs::remove_file(store.component("hello", 1)).unwrap();
        assert!(store.roll_back("hello", 1, 2).is_err());
        assert_eq!(
            (store.find("hello").unwrap(), fs::read(store.active_path("hello")).unwrap()),
            (before, b"2".to_vec())
        );
    }

    // rows: G10
    #[test]
    fn the_component_of_a_version_that_was_not_recorded_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        assert_eq!(store.put("hello", b"1").unwrap(), 1);
        store.add("hello", version(1), 1).unwrap();
        assert_eq!(store.put("hello", b"2").unwrap(), 2);
        for number in [1, 2] {
            store.discard("hello", number);
        }
        assert!(store.component("hello", 1).exists() && !store.component("hello", 2).exists());
    }

    // rows: G10
    #[test]
    fn an_older_file_with_one_verify_jwt_is_read_as_one_for_each_version() {
        let folder = tempfile::tempdir().unwrap();
        let store = DeploymentStore::new(folder.path());
        let text = r#"{"version": 1, "verify_jwt": false, "created_at": 1, "updated_at": 1,
            "versions": [{"version": 1, "sha256": "x", "bytes": 1, "created_at": 1}]}"#;
        fs::create_dir_all(folder.path().join("deployed/hello")).unwrap();
        fs::write(folder.path().join("deployed/hello/function.json"), text).unwrap();
        let known = store.find("hello").unwrap().unwrap();
        assert_eq!(known.by_digest("x").unwrap().verify_jwt, Some(false));
    }
}
