//! Log files of this machine, which stay small however long the stack runs: a full disk would end
//! PostgreSQL.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{task::spawn_blocking, time::sleep};

/// Bytes from which a log is put aside.
pub const LARGEST: u64 = 64 << 20;
/// Time between two looks at their sizes.
const PAUSE: Duration = Duration::from_secs(1);

/// Puts each of these logs aside whenever it is larger than [`LARGEST`], for as long as this is
/// polled.
pub async fn keep_small(logs: Vec<PathBuf>) {
    look_again(PAUSE, logs).await;
}

async fn look_again(pause: Duration, logs: Vec<PathBuf>) {
    loop {
        sleep(pause).await;
        for log in &logs {
            let path = log.clone();
            let done = spawn_blocking(move || put_aside(&path, LARGEST)).await;
            if let Ok(Err(error)) = done {
                tracing::error!(log = %log.display(), error = %error, "a large log cannot be put aside");
            }
        }
    }
}

/// Copies a log of more than `largest` bytes to the same name with `.1` at the end, over the
/// previous copy, and empties the log. A process that has the log open for appending continues at
/// its beginning, so it need not open the file again. Lines written between the copy and the
/// emptying are lost. A missing log counts as small.
///
/// # Errors
/// Errors of the file system. If the copy failed, as on a full disk, the log is empty nevertheless.
pub fn put_aside(log: &Path, largest: u64) -> io::Result<()> {
    match fs::metadata(log) {
        Ok(found) if found.len() > largest => {}
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    let mut full = OpenOptions::new().read(true).write(true).open(log)?;
    let copied = copy(&mut full, log);
    full.set_len(0)?;
    copied
}

fn copy(full: &mut File, log: &Path) -> io::Result<()> {
    let aside = aside_of(log);
    let mut aside = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(aside)?;
    io::copy(full, &mut aside).map(drop)
}

fn aside_of(log: &Path) -> PathBuf {
    let mut aside = log.as_os_str().to_owned();
    aside.push(".1");
    aside.into()
}

/// Does the same for a log that no process has open, as before a start. The log is renamed, so its
/// size does not matter.
///
/// # Errors
/// See [`put_aside`].
pub fn put_aside_unopened(log: &Path, largest: u64) -> io::Result<()> {
    let is_large = fs::metadata(log).is_ok_and(|found| found.len() > largest);
    match is_large && fs::rename(log, aside_of(log)).is_ok() {
        true => Ok(()),
        false => put_aside(log, largest),
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::fs::MetadataExt as _};

    use super::*;

    const TICK: Duration = Duration::from_millis(5);

    // rows: cli/CLI-LOG
    #[test]
    fn a_large_log_is_put_aside_and_who_writes_it_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.log");
        put_aside(&path, 10).expect("nothing is small");
        put_aside(folder.path(), LARGEST).expect("what is small need not be a file");
        assert!(!path.exists());
        let mut writer = OpenOptions::new().create(true).append(true).open(&path).expect("opened");
        let read = |path: &Path| std::fs::read_to_string(path).expect("read");
        let aside = folder.path().join("some.log.1");
        writer.write_all(b"ten bytes\n").expect("written");
        put_aside(&path, 10).expect("looked at");
        assert!(!aside.exists(), "it is not larger than that");
        writer.write_all(b"more\n").expect("written");
        put_aside(&path, 10).expect("put aside");
        writer.write_all(b"next\n").expect("written");
        assert_eq!((read(&aside).as_str(), read(&path).as_str()), ("ten bytes\nmore\n", "next\n"));
        writer.write_all(b"once again\n").expect("written");
        put_aside(&path, 10).expect("put aside");
        assert_eq!((read(&aside).as_str(), read(&path).as_str()), ("next\nonce again\n", ""));
    }

    #[test]
    fn a_log_that_nobody_has_open_is_renamed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.log");
        let aside = folder.path().join("some.log.1");
        put_aside_unopened(&path, 10).expect("nothing is small");
        std::fs::write(&path, "ten bytes\n").expect("written");
        put_aside_unopened(&path, 10).expect("looked at");
        assert!(path.exists() && !aside.exists(), "it is not larger than that");
        let file = std::fs::metadata(&path).expect("there").ino();
        put_aside_unopened(&path, 9).expect("put aside");
        assert!(!path.exists());
        assert_eq!(std::fs::metadata(&aside).expect("there").ino(), file, "nothing was copied");
        std::fs::remove_file(&aside).expect("removed");
        std::fs::create_dir(&aside).expect("in the way");
        std::fs::write(&path, "ten bytes\n").expect("written");
        put_aside_unopened(&path, 9).expect_err("nowhere to put it");
        assert_eq!(std::fs::metadata(&path).expect("there").len(), 0);
    }

    #[test]
    fn a_log_that_cannot_be_kept_is_emptied_all_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.log");
        std::fs::write(&path, "more than ten bytes").expect("written");
        std::fs::create_dir(folder.path().join("some.log.1")).expect("in the way");
        put_aside(&path, 10).expect_err("nowhere to put it");
        assert_eq!(std::fs::metadata(&path).expect("there").len(), 0);
    }

    #[tokio::test]
    async fn logs_are_looked_at_for_as_long_as_the_stack_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.log");
        let task = tokio::spawn(look_again(TICK, vec![folder.path().join("none.log"), path.clone()]));
        for _ in 0..2 {
            let large = File::create(&path).expect("made");
            large.set_len(LARGEST + 1).expect("grown");
            let emptied = async {
                while large.metadata().expect("there").len() > 0 {
                    sleep(TICK).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(10), emptied).await.expect("emptied");
        }
        task.abort();
    }
}
