//! From a component file to code ready to run, through the compiled cache (functions.md H11, pitfall 9).
//!
//! A component is compiled once, on the server's blocking pool, while the running version goes on serving; from then
//! on the result is mapped from the cache.

use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io::Write,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use wasmtime::{Engine, component::Component};

use crate::{engine::cache_key, error::LoadError};

/// Largest component in bytes (functions.md section 5).
const LARGEST: u64 = 20_000_000;

/// Loads the component at `path`, from the cache when it was compiled before.
pub(crate) fn load(engine: &Engine, path: &Path, cache: &Path) -> Result<Component, LoadError> {
    let read = |source| LoadError::Read(path.to_owned(), source);
    let length = fs::metadata(path).map_err(read)?.len();
    if length > LARGEST {
        return Err(LoadError::TooLarge(length));
    }
    let bytes = fs::read(path).map_err(read)?;
    let compiled = cache.join(format!("{}.cwasm", cache_key(engine, &bytes)));
    match map(engine, &compiled) {
        Some(component) => Ok(component),
        None => compile(engine, &bytes, &compiled),
    }
}

fn compile(engine: &Engine, bytes: &[u8], compiled: &Path) -> Result<Component, LoadError> {
    let code = engine.precompile_component(bytes).map_err(LoadError::Compile)?;
    keep(compiled, &code).map_err(|source| LoadError::Keep(compiled.to_owned(), source))?;
    map(engine, compiled).ok_or_else(|| {
        let source = std::io::Error::other("the file just written cannot be mapped");
        LoadError::Keep(compiled.to_owned(), source)
    })
}

/// Maps a compiled component; nothing when there is none that may be trusted and fits this engine.
fn map(engine: &Engine, compiled: &Path) -> Option<Component> {
    if !is_ours_alone(compiled) {
        return None;
    }
    deserialize(engine, compiled)
        .inspect_err(
            |error| tracing::warn!(error = %error, "a compiled function cannot be used and is made anew"),
        )
        .ok()
}

#[expect(unsafe_code, reason = "mapping machine code that only the owner of this process can have written")]
fn deserialize(engine: &Engine, compiled: &Path) -> wasmtime::Result<Component> {
    // SAFETY: `is_ours_alone` has checked that file and folder belong to this user and that nobody else may write
    // them; the file was written whole by `keep` and renamed into place, under the hash of its source and engine.
    unsafe { Component::deserialize_file(engine, compiled) }
}

/// Whether only this user can have written the file: a regular file and its folder, both ours, closed to others.
fn is_ours_alone(compiled: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let closed = |path: &Path| {
        fs::symlink_metadata(path).is_ok_and(|found| {
            !found.file_type().is_symlink() && found.uid() == user && found.mode() & 0o077 == 0
        })
    };
    compiled.is_file() && closed(compiled) && compiled.parent().is_some_and(closed)
}

/// Writes the file whole or not at all, readable by its owner only.
fn keep(compiled: &Path, code: &[u8]) -> std::io::Result<()> {
    let folder = compiled.parent().expect("a compiled component lies in the cache");
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    let draft = draft(compiled);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(code)?;
    file.sync_data()?;
    fs::rename(&draft, compiled)
}

/// Two processes may compile the same component at once, each into a file of its own.
fn draft(compiled: &Path) -> PathBuf {
    compiled.with_extension(format!("{}.draft", std::process::id()))
}
