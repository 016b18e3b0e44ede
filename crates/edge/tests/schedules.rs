//! Functions that the stack itself calls (product decision D17).

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll},
    time::Duration,
};

use banyan_edge::{Timings, schedules};
use banyan_identity::Clock;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::{Outside, World, eventually};

/// A server, and a world with two functions: a scheduled one that is only for service_role and
/// calls the server, and one without a schedule.
async fn scheduled() -> (Outside, World) {
    let outside = Outside::start().await;
    let toml = format!("[functions.tick.env]\nTARGET = \"{}\"\n", outside.url("/ticked"));
    let listed = outside.listed();
    let banyan = format!("[functions.tick]\nschedule = \"100ms\"\nroles = [\"service_role\"]\n{listed}\n");
    let functions = [("tick", "caller"), ("other", "hello")];
    (outside, World::start(&functions, &toml, &banyan, Timings::default()).await)
}

/// The schedules of a world, called until they are ended.
struct Schedules {
    shutdown: CancellationToken,
    running: JoinHandle<()>,
}

impl Schedules {
    fn run<F, L>(
        world: &World,
        try_take: impl Fn(String, Duration) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Option<L>> + Send + 'static,
        L: Future<Output = ()> + Send + 'static,
    {
        let (state, shutdown) = (Arc::clone(&world.state), CancellationToken::new());
        let running = schedules::run(state, Clock::system(), try_take, shutdown.clone());
        Self { shutdown, running: tokio::spawn(running) }
    }

    async fn end(self) {
        self.shutdown.cancel();
        self.running.await.unwrap();
    }
}

/// A lease that is never lost, and counts its releases.
struct Held(Arc<AtomicUsize>);

impl Future for Held {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

// rows: W08
#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_calls_the_function_when_it_has_the_lease() {
    let (outside, world) = scheduled().await;
    let (asked, released) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, done) = (Arc::clone(&asked), Arc::clone(&released));
    let try_take = move |name: String, every: Duration| {
        assert_eq!((name.as_str(), every), ("tick", Duration::from_millis(100)));
        count.fetch_add(1, SeqCst);
        std::future::ready(Some(Held(Arc::clone(&done))))
    };
    let schedules = Schedules::run(&world, try_take);
    eventually("three calls", async || released.load(SeqCst) >= 3).await;
    assert!(outside.asked().len() >= 3, "the function ran as service_role: {:?}", outside.asked());
    schedules.end().await;
    let after = asked.load(SeqCst);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(asked.load(SeqCst), after, "no call after the shutdown");
}

// rows: W08
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_kept_until_a_refused_call_has_run() {
    let banyan = "[functions.probe]\nconcurrency = 1\nschedule = \"2s\"\n";
    let timings = Timings { queue: Duration::from_millis(10), ..Timings::default() };
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, banyan, timings).await;
    let (asked, released) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, done) = (Arc::clone(&asked), Arc::clone(&released));
    let try_take = move |_, _| {
        let first = count.fetch_add(1, SeqCst) == 0;
        std::future::ready(first.then(|| Held(Arc::clone(&done))))
    };
    let busy = async {
        assert_eq!(world.get("/probe/wait?1200").await.text(), "waited");
        assert_eq!((asked.load(SeqCst), released.load(SeqCst)), (1, 0), "it has a turn and waits for room");
    };
    let schedules = async {
        // The slot is taken before the first lease.
        let schedules = Schedules::run(&world, try_take);
        eventually("the function ran", async || released.load(SeqCst) == 1).await;
        schedules
    };
    let ((), schedules) = tokio::join!(busy, schedules);
    schedules.end().await;
}

// rows: W08
#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_when_its_lease_is_lost() {
    let banyan = "[functions.probe]\nconcurrency = 1\nschedule = \"1s\"\n";
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let timings = Timings { queue: Duration::from_millis(10), ..Timings::default() };
    let world = World::start(&[("probe", "probe")], toml, banyan, timings).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let lost = move |_, _| {
        count.fetch_add(1, SeqCst);
        std::future::ready(Some(tokio::time::sleep(Duration::from_millis(1))))
    };
    let busy = async {
        assert_eq!(world.get("/probe/wait?1000").await.text(), "waited");
        asked.load(SeqCst)
    };
    let schedules = async { Schedules::run(&world, lost) };
    let (asked, schedules) = tokio::join!(busy, schedules);
    assert!(asked >= 2, "a call whose lease is lost does not wait for room until the next is due: {asked}");
    schedules.end().await;
}

// rows: W08
#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_the_lease_calls_nothing() {
    let (outside, world) = scheduled().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let try_take = move |_, _| {
        count.fetch_add(1, SeqCst);
        std::future::ready(None::<Held>)
    };
    let schedules = Schedules::run(&world, try_take);
    eventually("three turns", async || asked.load(SeqCst) >= 3).await;
    assert_eq!(outside.asked(), Vec::<String>::new());
    world.state.shut_down(Duration::ZERO).await;
    let before = asked.load(SeqCst);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(asked.load(SeqCst), before, "a node that is stopping leaves the turns to others");
    schedules.end().await;
}

// rows: W08
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_panics_does_not_end_its_schedule() {
    let (_outside, world) = scheduled().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let try_take = move |_, _| {
        assert!(count.fetch_add(1, SeqCst) > 0, "the first one panics");
        std::future::ready(None::<Held>)
    };
    let schedules = Schedules::run(&world, try_take);
    eventually("the next turns", async || asked.load(SeqCst) >= 3).await;
    schedules.end().await;
}

// rows: W08 G05
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_configuration_begins_renews_and_ends_schedules() {
    let outside = Outside::start().await;
    let toml = format!(
        "[functions.tick.env]\nTARGET = \"{}\"\n[functions.tock.env]\nTARGET = \"{}\"\n",
        outside.url("/ticked"),
        outside.url("/tocked"),
    );
    let listed = outside.listed();
    let banyan = |tick: &str, tock: &str| {
        format!("[functions.tick]\n{tick}\n{listed}\n[functions.tock]\n{tock}\n{listed}\n")
    };
    let functions = [("tick", "caller"), ("tock", "caller")];
    let slowly = banyan("schedule = \"1h\"", "");
    let world = World::start(&functions, &toml, &slowly, Timings::default()).await;
    let reconfigure = async |banyan: String| {
        std::fs::write(world.config.paths.supabase().join("banyan.toml"), banyan).unwrap();
        world.state.reconfigure(&world.config_with(&toml)).await;
    };
    let calls = |path: &str| outside.asked().iter().filter(|asked| *asked == path).count();
    let schedules = Schedules::run(&world, |_, _| std::future::ready(Some(std::future::pending::<()>())));
    reconfigure(banyan("schedule = \"50ms\"", "schedule = \"50ms\"")).await;
    eventually("calls at the new interval", async || calls("/ticked") >= 3 && calls("/tocked") >= 3).await;
    reconfigure(banyan("", "schedule = \"50ms\"")).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (ticked, tocked) = (calls("/ticked"), calls("/tocked"));
    eventually("calls of the other", async || calls("/tocked") >= tocked + 3).await;
    assert_eq!(calls("/ticked"), ticked, "a schedule that is gone calls nothing");
    reconfigure(banyan("schedule = \"50ms\"", "")).await;
    eventually("calls once it is back", async || calls("/ticked") > ticked).await;
    schedules.end().await;
}
