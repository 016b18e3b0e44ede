use std::io::Read as _;

use flate2::read::DeflateDecoder;
use serde::de::DeserializeOwned;

/// The deflated text of a file of `data`.
macro_rules! deflated {
    ($($path:literal),+) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $($path),+))
    };
}

pub(crate) use deflated;

/// Reads what the build script has deflated. Every file is read in a test.
pub(crate) fn read<T: DeserializeOwned>(deflated: &[u8]) -> T {
    let mut text = Vec::new();
    DeflateDecoder::new(deflated).read_to_end(&mut text).expect("the build script has written it");
    serde_json::from_slice(&text).expect("every file is read in a test")
}
