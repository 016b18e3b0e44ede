//! The folder of compiled code. Code that no function uses is removed (CONTRACT.md H11).

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs, io, mem,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use serde::de::DeserializeOwned;
use wasmtime::Engine;

use crate::{
    deployments::record::{DeploymentRecord, Version},
    engine::cache_key,
    files::is_stale_draft,
};

/// The compiled code of a node.
pub(crate) struct CompiledCache {
    folder: PathBuf,
    used: Mutex<Used>,
    changed: AtomicBool,
}

/// The code that stays.
#[derive(Default)]
struct Used {
    /// Keys of code that was loaded since the start, by the component's path.
    loaded: BTreeMap<PathBuf, String>,
    /// Keys of components that are in no file yet, and how many deployments wait for each.
    reserved: BTreeMap<String, usize>,
}

/// Keeps the code of a component that is in no file yet, until this is dropped.
pub(crate) struct CodeReservation<'a> {
    cache: &'a CompiledCache,
    key: String,
}

impl CompiledCache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, used: Mutex::default(), changed: AtomicBool::new(true) }
    }

    /// The path of the compiled code of the component at `path`. The code counts as used from now
    /// on.
    pub(crate) fn file(&self, path: &Path, key: String) -> PathBuf {
        let file = self.path(&key);
        self.lock().loaded.insert(path.to_owned(), key);
        self.note_change();
        file
    }

    /// The path of the compiled code of a component that is in no file yet. The code stays until
    /// the result is dropped. After that it goes with the next change, unless a component uses it.
    pub(crate) fn reserve(&self, key: String) -> (PathBuf, CodeReservation<'_>) {
        let file = self.path(&key);
        *self.lock().reserved.entry(key.clone()).or_default() += 1;
        (file, CodeReservation { cache: self, key })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.cwasm"))
    }

    /// Notes that some code may have become unused.
    pub(crate) fn note_change(&self) {
        self.changed.store(true, Relaxed);
    }

    /// Removes code that is used neither by a component nor by a version that can be activated.
    /// Does nothing if nothing has changed.
    pub(crate) fn sweep(&self, engine: &Engine, components: &Path) {
        if !self.changed.swap(false, Relaxed) {
            return;
        }
        // Code that is being compiled stays: its key was noted before, and its component exists or
        // its key is reserved.
        let mut used = self.lock();
        used.loaded.retain(|path, _| path.exists());
        let swept = versions(engine, components).and_then(|versions| {
            let is_used = |key: &str| versions.contains(key) || used.holds(key);
            remove(&self.folder, is_used)
        });
        match swept {
            Ok(0) => {}
            Ok(files) => tracing::info!(files, "compiled code that no function uses was removed"),
            Err(error) => tracing::warn!(error = %error, "compiled code that no function uses stays"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Used {
    fn holds(&self, key: &str) -> bool {
        self.reserved.contains_key(key) || self.loaded.values().any(|loaded| loaded == key)
    }
}

impl Drop for CodeReservation<'_> {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.cache.lock().reserved.entry(mem::take(&mut self.key)) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        self.cache.note_change();
    }
}

/// Keys of all versions that are kept or staged.
fn versions(engine: &Engine, components: &Path) -> io::Result<BTreeSet<String>> {
    let mut keys = BTreeSet::new();
    for function in entries(&components.join("deployed"))? {
        for file in entries(&function)? {
            let versions = match file.file_name().and_then(|name| name.to_str()) {
                Some("function.json") => read::<DeploymentRecord>(&file)?.versions,
                Some(name) if name.ends_with(".held.json") => vec![read::<Version>(&file)?],
                _ => continue,
            };
            keys.extend(versions.iter().filter_map(|version| Some(cache_key(engine, sha256(version)?))));
        }
    }
    Ok(keys)
}

fn sha256(version: &Version) -> Option<[u8; 32]> {
    let digits = version.sha256.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

fn read<T: DeserializeOwned>(file: &Path) -> io::Result<T> {
    serde_json::from_slice(&fs::read(file)?).map_err(io::Error::other)
}

/// Removes code and checksums of unused keys, and drafts that another process left. Returns the
/// number of removed files.
fn remove(folder: &Path, is_used: impl Fn(&str) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for file in entries(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((key, kind)) = name.split_once('.') else { continue };
        let is_unused = ["cwasm", "sum"].contains(&kind) && !is_used(key);
        if is_unused || is_stale_draft(kind) {
            fs::remove_file(&file)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The entries of a folder. A folder that does not exist has none.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: H11 G10
    #[test]
    fn code_of_a_component_that_is_being_deployed_stays_and_goes_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, engine) = (CompiledCache::new(folder.path().to_owned()), Engine::default());
        let sweep = || {
            cache.note_change();
            cache.sweep(&engine, &folder.path().join("components"));
        };
        let (code, reserved) = cache.reserve("key".to_owned());
        let (_, by_another) = cache.reserve("key".to_owned());
        fs::write(&code, "code").unwrap();
        sweep();
        drop(reserved);
        sweep();
        assert!(code.exists(), "another deployment of the same component goes on");
        drop(by_another);
        sweep();
        assert!(!code.exists(), "no component has come of it");
    }
}
