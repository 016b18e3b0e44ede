//! The bytes of a component, and its code in the cache (CONTRACT.md H11, pitfall 9).
//!
//! A component is compiled once, on threads of its own, while the running version goes on. From
//! then on its code is mapped from the cache.

use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use sha2::{Digest, Sha256};
use wasmtime::{Engine, component::Component};

use super::{
    compiled_cache::{CodeReservation, CompiledCache},
    compiler,
};
use crate::{
    engine::cache_key,
    error::LoadError,
    files::{create_private_folder, write_atomically},
};

/// Largest component in bytes (CONTRACT.md LIMIT_BUNDLE).
pub(crate) const MAX_COMPONENT_BYTES: u64 = 20_000_000;
/// The first bytes of a component.
pub(crate) const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
/// The first bytes of a core module. Components are made of core modules.
pub(crate) const MODULE: &[u8] = b"\0asm\x01\0\0\0";
/// Largest compiled component in bytes.
const MAX_COMPILED_BYTES: usize = 64_000_000;

/// A component that was read once: its digest and its code are of the same bytes.
pub(crate) struct ComponentBytes<'a> {
    bytes: Cow<'a, [u8]>,
    /// SHA-256 in hexadecimal digits.
    pub(crate) digest: Arc<str>,
    /// The path of the compiled code, which may not exist yet.
    compiled: PathBuf,
}

impl<'a> ComponentBytes<'a> {
    /// A component that is in no file yet. The reservation keeps its code.
    pub(crate) fn of_bytes<'c>(
        engine: &Engine,
        bytes: &'a [u8],
        cache: &'c CompiledCache,
    ) -> (Self, CodeReservation<'c>) {
        let digest = Sha256::digest(bytes);
        let (compiled, reserved) = cache.reserve(cache_key(engine, digest.into()));
        (Self { bytes: bytes.into(), digest: hex::encode(digest).into(), compiled }, reserved)
    }

    /// Reads the component at `path`.
    pub(crate) fn read(engine: &Engine, path: &Path, cache: &CompiledCache) -> Result<Self, LoadError> {
        let read = |source| LoadError::Read(path.to_owned(), source);
        let length = fs::metadata(path).map_err(read)?.len();
        if length > MAX_COMPONENT_BYTES {
            return Err(LoadError::TooLarge(length));
        }
        let bytes = fs::read(path).map_err(read)?;
        let digest = Sha256::digest(&bytes);
        let compiled = cache.file(path, cache_key(engine, digest.into()));
        Ok(Self { bytes: bytes.into(), digest: hex::encode(digest).into(), compiled })
    }

    /// Its code, if it was compiled before.
    pub(crate) fn compiled(&self, engine: &Engine) -> Option<Component> {
        map(engine, &self.compiled)
    }

    /// Its code. Compiles it if needed.
    pub(crate) fn load(&self, engine: &Engine) -> Result<Component, LoadError> {
        self.compiled(engine).map_or_else(|| self.compile(engine), Ok)
    }

    fn compile(&self, engine: &Engine) -> Result<Component, LoadError> {
        begins_as_component(&self.bytes)?;
        let code = compiler::compile(engine, &self.bytes).map_err(LoadError::Compile)?;
        if code.len() > MAX_COMPILED_BYTES {
            return Err(LoadError::CompiledTooLarge(code.len()));
        }
        let failed = |source| LoadError::Keep(self.compiled.clone(), source);
        save(&self.compiled, &code).map_err(failed)?;
        self.compiled(engine)
            .ok_or_else(|| failed(io::Error::other("the file just written cannot be mapped")))
    }
}

/// Refuses bytes that are no component. The message of a compiler would not say what they are.
pub(crate) fn begins_as_component(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.starts_with(COMPONENT) {
        return Ok(());
    }
    Err(if bytes.starts_with(MODULE) { LoadError::Module } else { LoadError::NoComponent })
}

/// Maps compiled code. Returns nothing if there is no code that is private, whole and made for this
/// engine.
fn map(engine: &Engine, compiled: &Path) -> Option<Component> {
    if !is_private(compiled) {
        return None;
    }
    if !is_whole(compiled) {
        tracing::warn!(file = %compiled.display(), "a compiled function is damaged and is made anew");
        return None;
    }
    deserialize(engine, compiled)
        .inspect(drop_pages)
        .inspect_err(
            |error| tracing::warn!(error = %error, "a compiled function cannot be used and is made anew"),
        )
        .ok()
}

/// Gives back the pages that loading has touched. They are read from the file again once the code
/// runs, so that functions which nobody calls hold no memory for it.
#[expect(unsafe_code, reason = "advice about memory takes a plain address")]
fn drop_pages(component: &Component) {
    let image = component.image_range();
    let length = image.end.addr() - image.start.addr();
    // SAFETY: the range is the component's own private mapping of its file. wasmtime has made it
    // read-only and never writes it, because it refuses images with relocations. Dropped pages come
    // back from the file with the same bytes.
    let advised = unsafe {
        rustix::mm::madvise(image.start.cast_mut().cast(), length, rustix::mm::Advice::LinuxDontNeed)
    };
    if let Err(error) = advised {
        tracing::debug!(error = %error, "pages of a compiled function stay in memory");
    }
}

#[expect(unsafe_code, reason = "mapping machine code that only the owner of this process can have written")]
fn deserialize(engine: &Engine, compiled: &Path) -> wasmtime::Result<Component> {
    // SAFETY: `is_private` has checked that file and folder belong to this user, and that nobody
    // else may write them. `save` wrote the file whole and renamed it into place, under the hash of
    // its source and engine. `is_whole` has found the bytes that were written.
    unsafe { Component::deserialize_file(engine, compiled) }
}

/// Whether only this user can have written the file: it is a regular file, and file and folder are
/// ours and closed to others.
fn is_private(compiled: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let closed = |path: &Path| {
        fs::symlink_metadata(path).is_ok_and(|found| {
            !found.file_type().is_symlink() && found.uid() == user && found.mode() & 0o077 == 0
        })
    };
    compiled.is_file() && closed(compiled) && compiled.parent().is_some_and(closed)
}

/// Whether the file holds what was written. This protects against a disk that loses bytes;
/// `is_private` protects against people.
fn is_whole(compiled: &Path) -> bool {
    let kept = fs::read_to_string(checksum_file(compiled)).ok();
    let found = File::open(compiled).and_then(checksum).ok();
    found.is_some() && kept == found
}

/// CRC-32 of what is read, in hexadecimal digits.
fn checksum(mut source: impl Read) -> io::Result<String> {
    let mut sum = crc32fast::Hasher::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        match source.read(&mut chunk)? {
            0 => return Ok(format!("{:08x}", sum.finalize())),
            read => sum.update(&chunk[..read]),
        }
    }
}

fn checksum_file(compiled: &Path) -> PathBuf {
    compiled.with_extension("sum")
}

/// Writes code and checksum, each whole or not at all, readable by their owner only.
fn save(compiled: &Path, code: &[u8]) -> io::Result<()> {
    let folder = compiled.parent().expect("a compiled component is in the cache");
    create_private_folder(folder)?;
    write_atomically(&checksum_file(compiled), checksum(code)?.as_bytes())?;
    write_atomically(compiled, code)
}
