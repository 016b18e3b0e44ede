//! Writes a folder with all its files, or none of it: code that finds the folder takes it for
//! complete.

use std::{fs, path::Path};

use anyhow::Context;

/// Writes a folder of these files, each by its path in it. What an interrupted writing has left is
/// written over.
pub(super) fn write_whole(folder: &Path, files: &[(&str, String)]) -> anyhow::Result<()> {
    let part = folder.with_extension("part");
    let is_left = part.exists();
    if is_left {
        fs::remove_dir_all(&part).with_context(|| format!("cannot remove {}", part.display()))?;
    }
    for (file, text) in files {
        let path = part.join(file);
        let parent = path.parent().expect("a file has a folder");
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    fs::rename(&part, folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_written_whole_also_after_a_try_that_was_interrupted() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("hello");
        fs::create_dir(place.path().join("hello.part")).expect("made");
        fs::write(place.path().join("hello.part/half"), "").expect("written");
        let files = [("Cargo.toml", String::new()), ("src/lib.rs", "text".to_owned())];
        write_whole(&folder, &files).expect("written");
        assert_eq!(fs::read_to_string(folder.join("src/lib.rs")).expect("read"), "text");
        assert!(!folder.join("half").exists() && !place.path().join("hello.part").exists());
        fs::remove_dir_all(&folder).expect("removed");
        let impossible = [files[0].clone(), ("Cargo.toml/x", String::new())];
        write_whole(&folder, &impossible).expect_err("no folder can be made in a file");
        assert!(!folder.exists(), "nothing is taken for complete");
    }
}
