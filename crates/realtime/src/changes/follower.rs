//! The log as another node sends it.

use std::{collections::HashSet, time::Duration};

use tokio::time::Instant;

use super::{
    packets::{Packet, Part},
    pgoutput::Malformed,
    router::Router,
};

/// The node that reads the log says so every second. One that was silent for so long is gone.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// Takes packets in their order.
#[derive(Debug)]
pub(super) struct Follower {
    router: Router,
    /// The stream of the last packet, its place, and when it came.
    last: Option<(u64, u64, Instant)>,
    /// Versions of the tables' descriptions that were taken, of one stream.
    described: HashSet<u64>,
    /// How often packets were missing.
    gaps: u64,
}

impl Follower {
    pub(super) fn new(router: Router) -> Self {
        Self { router, last: None, described: HashSet::new(), gaps: 0 }
    }

    /// Whether another node was heard of lately that reads the log.
    pub(super) fn hears(&self) -> bool {
        self.last.is_some_and(|(_, _, at)| at.elapsed() < LONGEST_SILENCE)
    }

    /// Takes a packet. Gives the number of its stream, which is another after each gap.
    pub(super) fn take(&mut self, packet: Packet) -> Result<u64, Malformed> {
        match self.last {
            Some((stream, place, _)) if stream == packet.stream => {
                let expected = place + u64::from(!packet.parts.is_empty());
                self.gaps += u64::from(packet.place != expected);
            }
            _ => self.described.clear(),
        }
        self.last = Some((packet.stream, packet.place, Instant::now()));
        for Part { version, message } in packet.parts {
            // A description that is known is not taken for a change of the table.
            if version == 0 || self.described.insert(version) {
                self.router.take(message)?;
            }
        }
        Ok(packet.stream.wrapping_add(self.gaps))
    }
}
