//! How many connections there may be, in all and of one address: of a socket, of those that change
//! their protocol for one service, and of those that upload. Short requests have a bound of their
//! own (`admission/`).

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use banyan_config::Network;
use banyan_identity::Peer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections held at a time on one socket.
const MOST: usize = 10_000;
/// Time between two lines of the log about an address that holds too many.
const WINDOW: Duration = Duration::from_secs(10);

/// The connections of one socket, or of one service that changes their protocol.
#[derive(Debug)]
pub(crate) struct Connections {
    all: Arc<Semaphore>,
    of_one: Option<Arc<OfOne>>,
}

/// A bound for each address.
#[derive(Debug)]
struct OfOne {
    most: usize,
    /// Through these come all clients, so they have no bound of their own.
    proxies: Vec<Network>,
    held: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    by_network: HashMap<u128, usize>,
    last_logged: Option<Instant>,
}

/// The permit of one connection, given back when it ends.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    _all: OwnedSemaphorePermit,
    of_one: Option<(Arc<OfOne>, u128)>,
}

impl Connections {
    /// As many as there are, wherever they come from.
    pub(crate) fn from_anywhere() -> Self {
        Self { all: Arc::new(Semaphore::new(MOST)), of_one: None }
    }

    /// So many in all, and as few of each address as without it.
    pub(crate) fn at_most(self, most: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(most)), ..self }
    }

    /// At most so many of each address, but for this machine and `proxies`.
    pub(crate) fn of_each_address(most: usize, proxies: Vec<Network>) -> Self {
        let of_one = OfOne { most, proxies, held: Mutex::default() };
        Self { of_one: Some(Arc::new(of_one)), ..Self::from_anywhere() }
    }

    /// A permit for a connection; none when all are taken, or the address has its share.
    pub(crate) fn permit(&self, peer: &Peer) -> Option<ConnectionPermit> {
        // Taken first: it gives itself back where the address has its share.
        let all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let bound = self.of_one.as_ref().and_then(|bound| Some((bound, network(peer, &bound.proxies)?)));
        let of_one = match bound {
            Some((bound, key)) => Some(bound.take(key).then(|| (Arc::clone(bound), key))?),
            None => None,
        };
        Some(ConnectionPermit { _all: all, of_one })
    }
}

/// What counts as one client: an IPv4 address, or the /64 of IPv6 that one host chooses its
/// addresses from. None for this machine and for `proxies`, through which come many.
pub(crate) fn network(peer: &Peer, proxies: &[Network]) -> Option<u128> {
    let Peer::Tcp(address) = peer else { return None };
    let address = address.ip().to_canonical();
    if address.is_loopback() || proxies.iter().any(|network| network.contains(address)) {
        return None;
    }
    Some(match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    })
}

impl OfOne {
    fn take(&self, key: u128) -> bool {
        let mut held = self.held();
        let count = held.by_network.entry(key).or_default();
        if *count < self.most {
            *count += 1;
            return true;
        }
        let now = Instant::now();
        if held.last_logged.is_none_or(|last| now.duration_since(last) >= WINDOW) {
            held.last_logged = Some(now);
            tracing::warn!(
                most = self.most,
                "an address holds as many connections or uploads as one may; more are refused. If many clients share it, raise server.connections_per_address in banyan.toml, or name it in auth.trusted_proxies"
            );
        }
        false
    }

    fn give_back(&self, key: u128) {
        let mut held = self.held();
        match held.by_network.get_mut(&key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(held.by_network.remove(&key)),
        }
    }

    fn held(&self) -> MutexGuard<'_, Counts> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Some((bound, key)) = &self.of_one {
            bound.give_back(*key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> Peer {
        Peer::Tcp((address.parse::<IpAddr>().unwrap(), 40_000).into())
    }

    fn connections(most: usize) -> Connections {
        Connections::of_each_address(most, vec![Network::parse("10.0.0.0/8").unwrap()])
    }

    // rows: GW-CONNECTIONS
    #[test]
    fn one_address_holds_its_share_and_leaves_the_rest_to_others() {
        let connections = connections(2);
        let held: Vec<_> = (0..3).map(|_| connections.permit(&peer("203.0.113.7"))).collect();
        assert_eq!(held.iter().filter(|permit| permit.is_some()).count(), 2);
        assert!(connections.permit(&peer("203.0.113.8")).is_some());
        assert!(connections.permit(&peer("::ffff:203.0.113.7")).is_none(), "the same address");
        drop(held);
        assert!(connections.permit(&peer("203.0.113.7")).is_some(), "given back");
        assert!(connections.of_one.unwrap().held().by_network.is_empty(), "nothing is kept of who is gone");
    }

    // rows: GW-CONNECTIONS GW-UPGRADES
    #[test]
    fn tries_that_find_all_taken_cost_an_address_nothing() {
        let connections = connections(2).at_most(1);
        let held = connections.permit(&peer("203.0.113.8"));
        for _ in 0..3 {
            assert!(connections.permit(&peer("203.0.113.7")).is_none());
        }
        drop(held);
        assert!(connections.permit(&peer("203.0.113.7")).is_some());
    }

    // rows: GW-CONNECTIONS
    #[test]
    fn the_addresses_of_one_ipv6_host_count_as_one() {
        let connections = connections(1);
        let _held = connections.permit(&peer("2001:db8:1:2::1"));
        assert!(connections.permit(&peer("2001:db8:1:2:ffff::2")).is_none());
        assert!(connections.permit(&peer("2001:db8:1:3::1")).is_some());
    }

    // rows: GW-CONNECTIONS
    #[test]
    fn this_machine_and_trusted_proxies_hold_as_many_as_there_are() {
        let connections = connections(1);
        for who in [peer("127.0.0.1"), peer("::1"), peer("10.1.2.3"), Peer::Unix] {
            let held: Vec<_> = (0..50).map(|_| connections.permit(&who)).collect();
            assert!(held.iter().all(Option::is_some), "{who:?}");
        }
        let all: Vec<_> = (0..MOST).map_while(|_| connections.permit(&Peer::Unix)).collect();
        assert_eq!(all.len(), MOST);
        assert!(connections.permit(&Peer::Unix).is_none(), "in all there is a bound");
    }
}
