//! How much of a file is read, and how much work it may cause.

use crate::error::SampleError;

/// Limits of one sample.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Pages.
    pub pages: u32,
    /// Characters of text. Text beyond them is left out.
    pub characters: usize,
    /// Bytes of all parts together after unpacking.
    pub unpacked_bytes: usize,
    /// Steps of work: about one for each byte that is looked at and each letter that is placed.
    pub steps: u64,
}

impl Default for Limits {
    /// The limits of GEN-5.3.1 and GEN-5.3.3.
    fn default() -> Self {
        Self {
            bytes: 10_000_000,
            pages: 20,
            characters: 12_000,
            unpacked_bytes: 20_000_000,
            steps: 60_000_000,
        }
    }
}

/// What is left of the limits while a file is read.
#[derive(Debug)]
pub(crate) struct Meter {
    steps: u64,
    unpacked: usize,
}

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { steps: limits.steps, unpacked: limits.unpacked_bytes }
    }

    /// Counts work. Once the steps are used up, no further step succeeds.
    ///
    /// # Errors
    /// `TooComplex` once the steps are used up.
    pub(crate) fn step(&mut self, steps: usize) -> Result<(), SampleError> {
        let left = self.steps.checked_sub(steps as u64);
        self.steps = left.unwrap_or(0);
        left.map(|_| ()).ok_or(SampleError::TooComplex)
    }

    /// Counts unpacked bytes, each of which is also a step.
    ///
    /// # Errors
    /// `TooLargeUnpacked` once the bytes are used up.
    pub(crate) fn unpack(&mut self, bytes: usize) -> Result<(), SampleError> {
        let left = self.unpacked.checked_sub(bytes);
        self.unpacked = left.ok_or(SampleError::TooLargeUnpacked)?;
        self.step(bytes)
    }
}
