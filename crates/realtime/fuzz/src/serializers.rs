//! Feeds frames to both serializers, and holds what comes out to their promises: an answer that its
//! client can read, a broadcast that passes as it came.
//!
//! `scripts/fuzz serializers` runs it. An input is what one frame carries.
#![no_main]

use banyan_realtime::check_frame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| check_frame(bytes));
