//! The calls that change the disk, as tests see them.

use std::io;

/// A call that changes the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    MakeFolder,
    Create,
    Write,
    SyncFile,
    Name,
    SyncFolder,
    Remove,
}

/// Writes the steps down and may refuse one. It does nothing outside of tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    #[cfg(test)]
    noted: std::sync::Arc<std::sync::Mutex<Noted>>,
}

#[cfg(test)]
#[derive(Debug, Default)]
struct Noted {
    steps: Vec<Step>,
    refused: Option<(Step, rustix::io::Errno)>,
}

#[cfg(not(test))]
impl Journal {
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "tests note the step and may refuse it"
    )]
    pub(super) fn note(&self, _: Step) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
impl Journal {
    pub(super) fn note(&self, step: Step) -> io::Result<()> {
        let mut noted = self.noted.lock().unwrap();
        noted.steps.push(step);
        match noted.refused {
            Some((refused, errno)) if refused == step => Err(errno.into()),
            _ => Ok(()),
        }
    }

    /// Lets every `step` fail from now on.
    pub(super) fn refuse(&self, step: Step, errno: rustix::io::Errno) {
        self.noted.lock().unwrap().refused = Some((step, errno));
    }

    /// The steps since the last call.
    pub(super) fn take(&self) -> Vec<Step> {
        std::mem::take(&mut self.noted.lock().unwrap().steps)
    }
}
