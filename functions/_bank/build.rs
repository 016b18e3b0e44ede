//! Deflates what is known: a component carries all of it, and a call reads little.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

const DATA: &str = "data";

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script in this way where to write")]
fn main() -> io::Result<()> {
    writeln!(io::stdout(), "cargo::rerun-if-changed={DATA}")?;
    let out = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    deflate(Path::new(DATA), Path::new(&out))
}

/// Writes every file of a folder, and of those in it, to the same place below another.
fn deflate(folder: &Path, out: &Path) -> io::Result<()> {
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, place) = (entry.path(), out.join(entry.file_name()));
        if path.is_dir() {
            deflate(&path, &place)?;
        } else {
            let mut deflated = DeflateEncoder::new(File::create(place)?, Compression::best());
            deflated.write_all(&fs::read(path)?)?;
            deflated.finish()?;
        }
    }
    Ok(())
}
