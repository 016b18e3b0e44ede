//! From names to addresses by the system's resolver, with a limit on number and time.
//!
//! The system's resolver holds a thread until it is done, and nothing can end it before. Lookups
//! that were given up keep their permit until then, so that a resolver without an answer holds only
//! a few threads. A name is looked up once for all who ask at the same time, so that a name without
//! an answer holds one permit and leaves the others to other names.

use std::{
    collections::{HashMap, hash_map::Entry},
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::BoxFuture;
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore, watch},
    time::timeout,
};

/// Lookups at a time, including those that were given up.
const MAX_LOOKUPS: usize = 16;
/// Lookups of one function at a time.
const MAX_OF_ONE_FUNCTION: usize = 4;
/// Longest wait for a lookup, including the wait for its permit.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Gives the addresses of a host's name and port.
pub type Resolver = Arc<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// Looks up a name. It may block.
type Lookup = fn(&str) -> io::Result<Vec<IpAddr>>;
/// The result of a lookup, once it is done.
type Answer = watch::Receiver<Option<Result<Vec<IpAddr>, Arc<io::Error>>>>;

tokio::task_local! {
    /// The function that makes the call. Neither the client nor its connector has a parameter for
    /// it.
    pub(super) static CALLING_FUNCTION: Arc<str>;
}

/// The system's resolver.
pub(super) fn system() -> Resolver {
    bounded(|host| Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect()), MAX_WAIT)
}

fn bounded(lookup: Lookup, longest: Duration) -> Resolver {
    let permits = Arc::new(Semaphore::new(MAX_LOOKUPS));
    let lookups = Lookups { lookup, permits, by_function: Mutex::default(), running: Mutex::default() };
    let lookups = Arc::new(lookups);
    Arc::new(move |host, port| {
        let lookups = Arc::clone(&lookups);
        Box::pin(async move {
            let found = match host.parse::<IpAddr>() {
                Ok(address) => vec![address],
                Err(_) => {
                    timeout(longest, lookups.find(host)).await.map_err(|_| io::ErrorKind::TimedOut)??
                }
            };
            Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
        })
    })
}

struct Lookups {
    lookup: Lookup,
    permits: Arc<Semaphore>,
    /// Permits by function.
    by_function: Mutex<HashMap<Arc<str>, Arc<Semaphore>>>,
    /// Running lookups by name.
    running: Mutex<HashMap<String, Answer>>,
}

impl Lookups {
    /// Waits for the running lookup of this name, or starts one.
    async fn find(self: &Arc<Self>, host: String) -> io::Result<Vec<IpAddr>> {
        let running = self.running().get(&host).cloned();
        let mut answer = match running {
            Some(answer) => answer,
            None => {
                let permits = self.permits().await.map_err(io::Error::other)?;
                self.begin(host, permits)
            }
        };
        let found = answer.wait_for(Option::is_some).await.map_err(io::Error::other)?;
        let found = found.clone().expect("it was waited for");
        found.map_err(|error| io::Error::new(error.kind(), error))
    }

    /// A permit of the function that makes the call, and one of the node.
    async fn permits(&self) -> Result<LookupPermits, AcquireError> {
        let own = match CALLING_FUNCTION.try_with(|function| self.function_permits(function)) {
            Ok(function_permits) => Some(function_permits.acquire_owned().await?),
            // No function makes the call.
            Err(_) => None,
        };
        Ok(LookupPermits { _own: own, _node: Arc::clone(&self.permits).acquire_owned().await? })
    }

    fn function_permits(&self, function: &Arc<str>) -> Arc<Semaphore> {
        let mut all = self.by_function.lock().unwrap_or_else(PoisonError::into_inner);
        // Permits that nobody uses now.
        all.retain(|_, function_permits| Arc::strong_count(function_permits) > 1);
        let function_permits =
            all.entry(Arc::clone(function)).or_insert_with(|| Arc::new(Semaphore::new(MAX_OF_ONE_FUNCTION)));
        Arc::clone(function_permits)
    }

    /// Looks up a name, unless another caller has started that while this one waited for its
    /// permit.
    fn begin(self: &Arc<Self>, host: String, permits: LookupPermits) -> Answer {
        let (sender, answer) = watch::channel(None);
        match self.running().entry(host.clone()) {
            Entry::Occupied(running) => return running.get().clone(),
            Entry::Vacant(none) => none.insert(answer.clone()),
        };
        let running = RunningLookup { lookups: Arc::clone(self), host, _permits: permits };
        tokio::task::spawn_blocking(move || {
            sender.send_replace(Some((running.lookups.lookup)(&running.host).map_err(Arc::new)));
        });
        answer
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Answer>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permits of a running lookup.
struct LookupPermits {
    _own: Option<OwnedSemaphorePermit>,
    _node: OwnedSemaphorePermit,
}

/// A lookup that runs until this is dropped.
struct RunningLookup {
    lookups: Arc<Lookups>,
    host: String,
    _permits: LookupPermits,
}

impl Drop for RunningLookup {
    fn drop(&mut self) {
        self.lookups.running().remove(&self.host);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        thread,
        time::Instant,
    };

    use futures_util::future::join_all;

    use super::*;

    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);

    /// A resolver whose server does not answer.
    fn silent(_: &str) -> io::Result<Vec<IpAddr>> {
        MOST.fetch_max(RUNNING.fetch_add(1, SeqCst) + 1, SeqCst);
        thread::sleep(Duration::from_millis(400));
        RUNNING.fetch_sub(1, SeqCst);
        Ok(Vec::new())
    }

    // rows: LIMIT_LOOKUPS
    #[tokio::test]
    async fn a_silent_resolver_holds_a_few_threads_and_each_caller_a_short_while() {
        let resolver = bounded(silent, Duration::from_millis(100));
        let began = Instant::now();
        for _ in 0..2 {
            // In the second round, lookups that the first round gave up hold every permit.
            let answers = join_all((0..100).map(|n| resolver(format!("host-{n}.example"), 443))).await;
            for answer in answers {
                assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::TimedOut);
            }
        }
        assert!(began.elapsed() < Duration::from_millis(390), "{:?}", began.elapsed());
        assert_eq!(MOST.load(SeqCst), MAX_LOOKUPS);
        let literal = resolver("2001:db8::1".to_owned(), 443).await.unwrap();
        assert_eq!(literal, ["[2001:db8::1]:443".parse().unwrap()], "an address needs no lookup");
        thread::sleep(Duration::from_millis(500));
        assert_eq!(MOST.load(SeqCst), MAX_LOOKUPS, "who has given up is not looked up later");
    }

    static DEAD: AtomicUsize = AtomicUsize::new(0);

    /// A resolver without an answer for one name.
    fn one_is_dead(host: &str) -> io::Result<Vec<IpAddr>> {
        if host == "dead.example" {
            DEAD.fetch_add(1, SeqCst);
            thread::sleep(Duration::from_millis(400));
            return Err(io::ErrorKind::HostUnreachable.into());
        }
        Ok(vec!["192.0.2.1".parse().unwrap()])
    }

    // rows: LIMIT_LOOKUPS
    #[tokio::test]
    async fn a_name_without_an_answer_keeps_no_other_name_from_its_own() {
        let resolver = bounded(one_is_dead, Duration::from_millis(100));
        for _ in 0..2 {
            let answers = join_all((0..50).map(|_| resolver("dead.example".to_owned(), 443))).await;
            assert!(answers.into_iter().all(|answer| answer.unwrap_err().kind() == io::ErrorKind::TimedOut));
        }
        assert_eq!(resolver("a.example".to_owned(), 80).await.unwrap(), ["192.0.2.1:80".parse().unwrap()]);
        assert_eq!(DEAD.load(SeqCst), 1, "all who ask wait for one lookup");
        thread::sleep(Duration::from_millis(500));
        let patient = bounded(one_is_dead, Duration::from_secs(5));
        let answers = join_all((0..2).map(|_| patient("dead.example".to_owned(), 443))).await;
        assert!(
            answers.into_iter().all(|answers| answers.unwrap_err().kind() == io::ErrorKind::HostUnreachable)
        );
        assert_eq!(patient("a.example".to_owned(), 80).await.unwrap().len(), 1);
    }

    static ANSWERED: AtomicBool = AtomicBool::new(false);

    /// A resolver without an answer for any name with this end, until the test says so, or for a
    /// second.
    fn many_are_dead(host: &str) -> io::Result<Vec<IpAddr>> {
        let began = Instant::now();
        while host.ends_with(".dead.example") && !ANSWERED.load(SeqCst) && began.elapsed().as_secs() < 1 {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(vec!["192.0.2.1".parse().unwrap()])
    }

    // rows: LIMIT_LOOKUPS H12
    #[tokio::test]
    async fn one_function_leaves_permits_to_others() {
        let resolver = bounded(many_are_dead, Duration::from_millis(100));
        let of =
            |function: &str, host: String| CALLING_FUNCTION.scope(Arc::from(function), resolver(host, 443));
        let greedy = join_all((0..50).map(|n| of("greedy", format!("{n}.dead.example"))));
        let others = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            of("other", "a.example".to_owned()).await
        };
        let (greedy, other) = tokio::join!(greedy, others);
        assert!(greedy.into_iter().all(|answer| answer.unwrap_err().kind() == io::ErrorKind::TimedOut));
        assert_eq!(other.unwrap(), ["192.0.2.1:443".parse().unwrap()]);
        // Its lookups are given up by now, but their threads are still held.
        let own = of("greedy", "b.example".to_owned()).await;
        assert_eq!(own.unwrap_err().kind(), io::ErrorKind::TimedOut, "its own names wait");
        ANSWERED.store(true, SeqCst);
    }
}
