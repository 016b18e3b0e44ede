//! An MD5 that is carried from request to request (CONTRACT.md K06).

use md5::{
    Digest as _, Md5,
    digest::common::hazmat::{SerializableState as _, SerializedState},
};

use crate::error::StorageError;

/// The MD5 over all bytes of an upload so far. Its state is kept in the upload's row, so that the
/// bytes are read once.
#[derive(Debug, Clone)]
pub(crate) struct RunningMd5(Md5);

impl RunningMd5 {
    /// That of an upload without bytes.
    pub(crate) fn new() -> Self {
        Self(Md5::new())
    }

    /// Goes on from a state.
    ///
    /// # Errors
    /// `Internal` for bytes that are no state.
    pub(crate) fn from_state(state: &[u8]) -> Result<Self, StorageError> {
        let state = SerializedState::<Md5>::try_from(state).ok();
        let md5 = state.and_then(|state| Md5::deserialize(&state).ok());
        md5.map(Self).ok_or(StorageError::Internal("the state of an MD5 cannot be read"))
    }

    /// What [`RunningMd5::from_state`] reads.
    pub(crate) fn state(&self) -> Vec<u8> {
        self.0.serialize().to_vec()
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The entity tag of the object: the MD5 in hexadecimal digits, in quotes (CONTRACT.md D11).
    pub(crate) fn e_tag(self) -> String {
        format!("\"{}\"", hex::encode(self.0.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: K06 T05
    #[test]
    fn a_state_goes_on_where_it_was_left() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let mut whole = RunningMd5::new();
        whole.update(&bytes);
        for cut in [0, 1, 63, 64, 65, 128, 999, 1000] {
            let mut first = RunningMd5::new();
            first.update(&bytes[..cut]);
            let mut second = RunningMd5::from_state(&first.state()).expect("a state");
            second.update(&bytes[cut..]);
            assert_eq!(second.e_tag(), whole.clone().e_tag(), "cut at {cut}");
        }
    }

    // rows: K06
    #[test]
    fn what_is_no_state_is_refused() {
        for bytes in [&b""[..], &[0; 10], &[255; 89]] {
            assert!(RunningMd5::from_state(bytes).is_err(), "{} bytes", bytes.len());
        }
    }
}
