//! Deflates the chapter packs: a component carries them all, and a call reads one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

const PACKS: &str = "data/packs";

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script in this way where to write")]
fn main() -> io::Result<()> {
    writeln!(io::stdout(), "cargo::rerun-if-changed={PACKS}")?;
    let out = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    for language in fs::read_dir(PACKS)? {
        let language = language?;
        let folder = Path::new(&out).join(language.file_name());
        fs::create_dir_all(&folder)?;
        for pack in fs::read_dir(language.path())? {
            let pack = pack?;
            let file = File::create(folder.join(pack.file_name()).with_extension("deflate"))?;
            let mut deflated = DeflateEncoder::new(file, Compression::best());
            deflated.write_all(&fs::read(pack.path())?)?;
            deflated.finish()?;
        }
    }
    Ok(())
}
