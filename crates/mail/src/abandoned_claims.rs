//! Finds abandoned claims.
//!
//! A holder renews its claim every few seconds. A watcher counts a claim as abandoned if it has not
//! changed for a whole [`LEASE`]. Only the watcher's own clock counts, so clocks of nodes may
//! differ. Only time in which the database answered counts, since a holder cannot renew without it.
//!
//! A claim is not a lease of `banyan_db::Leases`: it is taken with the message's row, in the same
//! statement, and by the clock of this process, like everything else in the queue.

use std::collections::HashMap;

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::store::Claim;

/// Time after which a claim that nobody renewed counts as abandoned.
pub(crate) const LEASE: Duration = Duration::seconds(30);

/// The claims of all drains, as one of them sees them.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Each with the time since which it is as it is.
    seen: HashMap<Uuid, (Claim, OffsetDateTime)>,
}

impl Watch {
    /// Compares the current claims with those seen before, and returns the abandoned ones.
    pub(crate) fn abandoned(&mut self, in_hand: Vec<Claim>, now: OffsetDateTime) -> Vec<Claim> {
        let before = std::mem::take(&mut self.seen);
        for claim in in_hand {
            let since =
                before.get(&claim.id).filter(|(seen, _)| *seen == claim).map_or(now, |(_, since)| *since);
            self.seen.insert(claim.id, (claim, since));
        }
        let over = self.seen.values().filter(|(_, since)| now - *since >= LEASE);
        over.map(|(claim, _)| claim.clone()).collect()
    }

    /// Begins anew, after a time in which nothing could be seen.
    pub(crate) fn forget(&mut self) {
        self.seen.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::seconds(seconds)
    }

    fn claim(tries: i16, claimed_at: i64) -> Claim {
        Claim { id: Uuid::from_u128(1), tries, claimed_at: Some(at(claimed_at)) }
    }

    #[test]
    fn a_claim_that_nobody_renews_for_a_lease_is_abandoned() {
        let mut watch = Watch::default();
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(0)), []);
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(29)), []);
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(30)), [claim(1, 0)]);
    }

    #[test]
    fn a_claim_that_is_renewed_is_never_abandoned_whatever_the_clock_of_its_holder_says() {
        let mut watch = Watch::default();
        for round in 0..100 {
            let by_a_slow_clock = claim(1, round - 86_400);
            assert_eq!(watch.abandoned(vec![by_a_slow_clock], at(round * 20)), [], "{round}");
        }
    }

    #[test]
    fn another_try_of_the_same_message_has_a_lease_of_its_own() {
        let mut watch = Watch::default();
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(0)), []);
        assert_eq!(watch.abandoned(vec![], at(10)), []);
        assert_eq!(watch.abandoned(vec![claim(2, 0)], at(31)), []);
    }

    #[test]
    fn time_in_which_the_database_was_away_ends_no_lease() {
        let mut watch = Watch::default();
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(0)), []);
        watch.forget();
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(600)), []);
        assert_eq!(watch.abandoned(vec![claim(1, 0)], at(630)), [claim(1, 0)]);
    }
}
