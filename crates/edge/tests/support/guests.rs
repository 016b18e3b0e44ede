//! Components from `tests/guests`, built once for a run and compiled once for the machine.

use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Builds all guests; later runs find them in the target folder.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests");
        let status = Command::new(env!("CARGO"))
            .current_dir(&source)
            .args([
                "build",
                "--quiet",
                "--locked",
                "--profile",
                "guest",
                "--target",
                "wasm32-wasip2",
                "--target-dir",
            ])
            .arg(&target)
            .status()
            .unwrap();
        assert!(status.success(), "the guests do not build");
        target
    })
}

/// The component of a guest.
pub(crate) fn component(guest: &str) -> PathBuf {
    built().join("wasm32-wasip2/guest").join(format!("{guest}.wasm"))
}

/// Puts components into a project, with code that an earlier project compiled.
pub(super) fn install(components: &Path, functions: &[(&str, &str)]) {
    fs::create_dir_all(components).unwrap();
    for (name, guest) in functions {
        fs::copy(component(guest), components.join(format!("{name}.wasm"))).unwrap();
    }
    let own = components.join("compiled");
    DirBuilder::new().mode(0o700).create(&own).unwrap();
    copy_all(&shared(), &own);
}

/// Keeps the code that a project compiled for the next project.
pub(super) fn keep(components: &Path) {
    copy_all(&components.join("compiled"), &shared());
}

fn shared() -> PathBuf {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    DirBuilder::new().recursive(true).mode(0o700).create(&shared).unwrap();
    shared
}

/// Copies missing files whole. Other tests may do so at the same time.
fn copy_all(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap().map(|file| file.unwrap().path()) {
        let target = to.join(file.file_name().unwrap());
        if file.extension().is_some_and(|end| end == "cwasm" || end == "sum") && !target.exists() {
            let draft = tempfile::NamedTempFile::new_in(to).unwrap();
            fs::copy(&file, draft.path()).unwrap();
            draft.persist(&target).unwrap();
        }
    }
}
