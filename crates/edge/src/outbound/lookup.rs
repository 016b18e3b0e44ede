//! From names to addresses by the system's resolver, so many at a time and for so long.
//!
//! The system's resolver holds a thread until it is done, which nothing can end before. Lookups that are given up keep
//! their place until then, so that a resolver that does not answer holds a few threads and no more.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use tokio::{sync::Semaphore, time::timeout};

use super::client::Resolver;

/// Lookups at a time, those that were given up included.
const AT_A_TIME: usize = 16;
/// Longest wait for a lookup, with the wait for its place.
const LONGEST: Duration = Duration::from_secs(5);

/// How a name is looked up; it may take its time.
type Lookup = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// The resolver of the system.
pub(super) fn system() -> Resolver {
    bounded(|host, port| Ok((host, port).to_socket_addrs()?.collect()), LONGEST)
}

fn bounded(lookup: Lookup, longest: Duration) -> Resolver {
    let places = Arc::new(Semaphore::new(AT_A_TIME));
    Arc::new(move |host, port| {
        let places = Arc::clone(&places);
        Box::pin(async move {
            if let Ok(address) = host.parse::<IpAddr>() {
                return Ok(vec![SocketAddr::new(address, port)]);
            }
            let found = async {
                let place = places.acquire_owned().await.map_err(io::Error::other)?;
                let lookup = move || {
                    let _place = place;
                    lookup(&host, port)
                };
                tokio::task::spawn_blocking(lookup).await.map_err(io::Error::other)?
            };
            timeout(longest, found).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering::SeqCst},
        thread,
        time::Instant,
    };

    use futures_util::future::join_all;

    use super::*;

    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);

    /// A resolver whose server is away.
    fn silent(_: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        MOST.fetch_max(RUNNING.fetch_add(1, SeqCst) + 1, SeqCst);
        thread::sleep(Duration::from_millis(400));
        RUNNING.fetch_sub(1, SeqCst);
        Ok(Vec::new())
    }

    #[tokio::test]
    async fn functions_limit_lookups_a_silent_resolver_holds_a_few_threads_and_each_caller_a_short_while() {
        let resolver = bounded(silent, Duration::from_millis(100));
        let began = Instant::now();
        for _ in 0..2 {
            // The second round finds every place held by lookups that the first has given up.
            let answers = join_all((0..100).map(|n| resolver(format!("host-{n}.example"), 443))).await;
            for answer in answers {
                assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::TimedOut);
            }
        }
        assert!(began.elapsed() < Duration::from_millis(390), "{:?}", began.elapsed());
        assert_eq!(MOST.load(SeqCst), AT_A_TIME);
        let literal = resolver("2001:db8::1".to_owned(), 443).await.unwrap();
        assert_eq!(literal, ["[2001:db8::1]:443".parse().unwrap()], "an address needs no lookup");
        thread::sleep(Duration::from_millis(500));
        assert_eq!(MOST.load(SeqCst), AT_A_TIME, "who has given up is not looked up later");
    }
}
