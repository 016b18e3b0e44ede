//! Components come, change, break and go while requests run (CONTRACT.md G05, H11).

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_testkit::hostile_components::{slow_to_compile, with_modules};
use http::Method;
use tokio_util::sync::CancellationToken;

use crate::support::{OfThePlatform, World, component, eventually, load};

async fn watched() -> (World, CancellationToken) {
    let world = World::open(&[("hello", "hello"), ("other", "hello")], "").await;
    let shutdown = CancellationToken::new();
    let (state, token) = (Arc::clone(&world.state), shutdown.clone());
    tokio::spawn(async move { state.watch(token).await.unwrap() });
    (world, shutdown)
}

/// As a build does: a whole file renamed into place.
fn replace(world: &World, name: &str, content: &[u8]) {
    let path = world.component_path(name);
    let draft = path.with_extension("draft");
    fs::write(&draft, content).unwrap();
    fs::rename(draft, path).unwrap();
}

// rows: G05
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_component_is_swapped_and_a_broken_one_keeps_the_old() {
    let (world, shutdown) = watched().await;
    assert_eq!(world.get("/hello").await.text(), "Hello World");
    replace(&world, "hello", &fs::read(component("mirror")).unwrap());
    eventually("the new version", async || world.get("/hello").await.text().starts_with('{')).await;
    replace(&world, "hello", b"\0asm broken");
    replace(&world, "other", &fs::read(component("mirror")).unwrap());
    eventually("the change after it", async || world.get("/other").await.text().starts_with('{')).await;
    assert!(world.get("/hello").await.text().starts_with('{'), "the version before the broken one serves");
    shutdown.cancel();
}

// rows: G05
#[tokio::test(flavor = "multi_thread")]
async fn a_component_comes_and_goes() {
    let (world, shutdown) = watched().await;
    assert_eq!(world.get("/late").await.status, 404);
    fs::copy(component("probe"), world.component_path("late")).unwrap();
    eventually("the new function", async || world.get("/late").await.status == 401).await;
    fs::remove_file(world.component_path("late")).unwrap();
    eventually("its end", async || world.get("/late").await.status == 404).await;
    shutdown.cancel();
}

// rows: G05 G13
#[tokio::test(flavor = "multi_thread")]
async fn a_new_typescript_function_is_noticed() {
    let (world, shutdown) = watched().await;
    let folder = world.config.paths.functions().join("old");
    assert_eq!(world.get("/old").await.status, 404);
    // Neither the folder of sources nor the function's own exists at the start, and each step is
    // seen by itself.
    fs::create_dir_all(&folder).unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    fs::write(folder.join("index.ts"), "Deno.serve(() => new Response())").unwrap();
    let becomes = async |what: &str, status: u16| {
        eventually(what, async || {
            let call = world.call(Method::GET, "/old").header("authorization", world.service_key());
            call.await.status == status
        })
        .await;
    };
    becomes("the function of TypeScript", 500).await;
    fs::remove_dir_all(&folder).unwrap();
    becomes("its end", 404).await;
    // A crate that appears whole, and is later none.
    let draft = world.config.paths.project.join("draft");
    fs::create_dir(&draft).unwrap();
    fs::write(draft.join("index.ts"), "").unwrap();
    fs::write(draft.join("Cargo.toml"), "").unwrap();
    fs::rename(&draft, &folder).unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(world.get("/old").await.status, 404);
    fs::remove_file(folder.join("Cargo.toml")).unwrap();
    becomes("the crate that is TypeScript now", 500).await;
    shutdown.cancel();
}

// rows: G05 G02
#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_a_changed_configuration_names_is_watched() {
    let (world, shutdown) = watched().await;
    let elsewhere = world.config.paths.project.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::copy(component("hello"), elsewhere.join("mine.wasm")).unwrap();
    let banyan = "[functions.mine]\ncomponent = \"../elsewhere/mine.wasm\"\nverify_jwt = false\n";
    fs::write(world.config.paths.supabase().join("banyan.toml"), banyan).unwrap();
    world.state.reconfigure(&world.config_with("")).await;
    assert_eq!(world.get("/mine").await.text(), "Hello World");
    fs::copy(component("mirror"), elsewhere.join("draft")).unwrap();
    fs::rename(elsewhere.join("draft"), elsewhere.join("mine.wasm")).unwrap();
    eventually("the new version", async || world.get("/mine").await.text().starts_with('{')).await;
    // As `cargo clean` and a build do.
    fs::remove_dir_all(&elsewhere).unwrap();
    eventually("its end", async || world.get("/mine").await.status == 404).await;
    fs::create_dir(&elsewhere).unwrap();
    for guest in ["hello", "mirror"] {
        fs::copy(component(guest), elsewhere.join("draft")).unwrap();
        fs::rename(elsewhere.join("draft"), elsewhere.join("mine.wasm")).unwrap();
        eventually("what was built", async || {
            world.get("/mine").await.text().starts_with('{') == (guest == "mirror")
                && world.get("/mine").await.status == 200
        })
        .await;
    }
    // Both happen at once, and what comes into the new folder afterwards is seen as well. The new
    // folder may get the inode number of the old one, because other numbers are in use by then.
    fs::rename(elsewhere.join("mine.wasm"), world.config.paths.project.join("aside")).unwrap();
    fs::remove_dir(&elsewhere).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    for guest in ["hello", "mirror"] {
        fs::copy(component(guest), elsewhere.join("draft")).unwrap();
        fs::rename(elsewhere.join("draft"), elsewhere.join("mine.wasm")).unwrap();
        eventually("what was built at once", async || {
            let answer = world.get("/mine").await;
            answer.status == 200 && answer.text().starts_with('{') == (guest == "mirror")
        })
        .await;
        // Waits until the changes so far have led to their last scan.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    shutdown.cancel();
}

// rows: FUNCTION_NOT_READY G05
#[tokio::test(flavor = "multi_thread")]
async fn no_function_waits_for_the_component_of_another_to_be_compiled() {
    let (world, shutdown) = watched().await;
    fs::write(world.component_path("another"), slow_to_compile()).unwrap();
    let open = "[functions.another]\nverify_jwt = false\n";
    let began = Instant::now();
    // The configuration also closes what was open.
    world.state.reconfigure(&world.config_with(open)).await;
    let took = began.elapsed();
    let waiting = world.get("/another").await;
    waiting.is_platform_error(503, "FUNCTION_NOT_READY", "FUNCTION_NOT_READY");
    assert_eq!(waiting.header("retry-after"), Some("2"));
    assert_eq!(world.get("/hello").await.status, 401, "the other functions' policies are in effect");
    eventually("the end of compiling", async || world.get("/another").await.status != 503).await;
    assert!(took < began.elapsed() / 2, "{took:?} for what was there already");
    shutdown.cancel();
}

// rows: FUNCTION_NOT_READY G05
#[tokio::test(flavor = "multi_thread")]
async fn a_small_component_is_compiled_before_large_ones() {
    let (world, shutdown) = watched().await;
    for name in ["a", "b"] {
        let mut large = slow_to_compile();
        // An empty custom section makes it another component.
        large.extend([0, 2, 1, name.as_bytes()[0]]);
        replace(&world, name, &large);
    }
    replace(&world, "small", &with_modules(1));
    let open = ["a", "b", "small"].map(|name| format!("[functions.{name}]\nverify_jwt = false\n"));
    world.state.reconfigure(&world.config_with(&open.concat())).await;
    let is_ready = async |name: &str| world.get(&format!("/{name}")).await.status != 503;
    eventually("the small one", async || is_ready("small").await).await;
    assert!(!is_ready("a").await || !is_ready("b").await, "it did not wait for both");
    shutdown.cancel();
}

// rows: FUNCTION_NOT_READY G05
#[tokio::test(flavor = "multi_thread")]
async fn a_small_component_does_not_wait_for_a_large_one_that_is_being_compiled() {
    let world = World::start(
        &[],
        "[functions.large]\nverify_jwt = false\n[functions.small]\nverify_jwt = false\n",
        "",
        banyan_edge::Timings::default(),
    )
    .await;
    let is_ready = async |name: &str| world.get(&format!("/{name}")).await.status != 503;
    replace(&world, "large", &slow_to_compile());
    world.state.scan().await;
    assert_eq!(world.state.pending_compilations(), 1, "too fast to tell");
    replace(&world, "small", &with_modules(1));
    world.state.scan().await;
    eventually("the small one", async || is_ready("small").await).await;
    assert!(!is_ready("large").await, "it waited for the large one");
    world.state.wait_until_compiled().await;
    assert!(is_ready("large").await);
}

// rows: FUNCTION_NOT_READY
#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_for_nothing_that_is_to_be_compiled_and_tells_of_it() {
    let world = World::open(&[("hello", "hello")], "").await;
    assert!(world.state.is_ready());
    fs::write(world.component_path("slow"), slow_to_compile()).unwrap();
    let again = world.another_host();
    assert!(!again.is_ready(), "it has not looked yet");
    let began = Instant::now();
    again.scan().await;
    let looked = began.elapsed();
    assert_eq!((again.pending_compilations(), again.is_ready()), (1, false));
    again.wait_until_compiled().await;
    assert!(looked < began.elapsed() / 2, "{looked:?} of {:?}", began.elapsed());
    assert_eq!((again.pending_compilations(), again.is_ready()), (0, true));
    // A later component concerns one function alone.
    let mut other = slow_to_compile();
    other.extend([0, 2, 1, b'o']);
    fs::write(world.component_path("later"), other).unwrap();
    again.scan().await;
    assert_eq!((again.pending_compilations(), again.is_ready()), (1, true));
}

// rows: FUNCTION_NOT_READY W04
#[tokio::test(flavor = "multi_thread")]
async fn nothing_more_is_compiled_once_the_host_stops() {
    let world = World::open(&[("hello", "hello")], "").await;
    world.state.shut_down(Duration::from_secs(1)).await;
    fs::write(world.component_path("late"), with_modules(1)).unwrap();
    world.state.scan().await;
    // It would be done by then.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(world.state.pending_compilations(), 1);
}

// rows: FUNCTION_NOT_READY G05 G09
#[tokio::test(flavor = "multi_thread")]
async fn what_a_management_command_finds_to_compile_is_compiled() {
    let world = World::open(&[("other", "hello")], "[functions.late]\nverify_jwt = false\n").await;
    let deployed = fs::read(component("mirror")).unwrap();
    world.manage(http::Method::POST, "/functions/deploy?slug=mine", "application/wasm", deployed).await;
    fs::write(world.component_path("late"), with_modules(1)).unwrap();
    // Nobody else scans: this comes before the watcher wakes.
    let patch = r#"{"verify_jwt":false}"#;
    let patched = world.manage(http::Method::PATCH, "/functions/mine", "application/json", patch).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    eventually("the end of compiling", async || world.get("/late").await.status == 500).await;
}

// rows: FUNCTION_NOT_READY G05
#[tokio::test(flavor = "multi_thread")]
async fn the_running_version_goes_on_under_a_new_policy_while_the_next_is_compiled() {
    let (world, shutdown) = watched().await;
    replace(&world, "hello", &slow_to_compile());
    world.state.reconfigure(&world.config_with("[functions.other]\nverify_jwt = false\n")).await;
    assert_eq!(world.get("/hello").await.status, 401);
    let call = || world.call(http::Method::POST, "/hello").header("authorization", world.service_key());
    assert_eq!(call().await.text(), "Hello World");
    eventually("the next version", async || call().await.status == 500).await;
    shutdown.cancel();
}

// rows: BOOT_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_component_is_a_boot_error() {
    let world = World::open(&[("hello", "hello")], "").await;
    replace(&world, "broken", b"no component");
    load(&world.state).await;
    let request = world.call(http::Method::POST, "/broken").header("authorization", world.service_key());
    request.await.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
}

// rows: H11
#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_is_kept_for_its_owner_alone_and_distrusted_otherwise() {
    let world = World::open(&[("hello", "hello")], "").await;
    let cache = world.config.paths.components().join("compiled");
    fs::remove_dir_all(&cache).unwrap();
    replace(&world, "hello", &fs::read(component("hello")).unwrap());
    load(&world.state).await;
    let all = fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
    let kept: Vec<_> = all.filter(|path| path.extension().is_some_and(|end| end == "cwasm")).collect();
    assert_eq!(kept.len(), 1);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&cache), mode(&kept[0])), (0o700, 0o600));
    assert_eq!(mode(&kept[0].with_extension("sum")), 0o600);
    // A file that others may write is not mapped, but compiled again. It gets a new name, because
    // the old file is mapped.
    let planted = cache.join("planted");
    fs::write(&planted, b"planted").unwrap();
    fs::set_permissions(&planted, fs::Permissions::from_mode(0o666)).unwrap();
    fs::rename(planted, &kept[0]).unwrap();
    replace(&world, "hello", &fs::read(component("hello")).unwrap());
    load(&world.state).await;
    assert_eq!(world.get("/hello").await.text(), "Hello World");
    assert_eq!(mode(&kept[0]), 0o600);
}

// rows: H11
#[tokio::test(flavor = "multi_thread")]
async fn whole_code_that_another_user_could_have_written_is_not_run() {
    let world = World::open(&[("hello", "hello"), ("mirror", "mirror")], "").await;
    let cache = world.config.paths.components().join("compiled");
    let code_of = |guest: &str| {
        let (world, cache) = (&world, cache.clone());
        let bytes = fs::read(component(guest)).unwrap();
        async move {
            fs::remove_dir_all(&cache).unwrap();
            world.install("hello", &bytes).await;
            let all = fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
            let kept: Vec<_> =
                all.filter(|path| path.extension().is_some_and(|end| end == "cwasm")).collect();
            kept.into_iter().next().unwrap()
        }
    };
    let mirror = code_of("mirror").await;
    let (code, sum) = (fs::read(&mirror).unwrap(), fs::read(mirror.with_extension("sum")).unwrap());
    let hello = code_of("hello").await;
    // Code of another component takes the place of hello's, with a checksum that fits.
    let plant = |file_mode: u32, folder_mode: u32| {
        for (path, content) in [(hello.clone(), &code), (hello.with_extension("sum"), &sum)] {
            let draft = path.with_extension("planted");
            fs::write(&draft, content).unwrap();
            fs::set_permissions(&draft, fs::Permissions::from_mode(file_mode)).unwrap();
            fs::rename(draft, path).unwrap();
        }
        fs::set_permissions(&cache, fs::Permissions::from_mode(folder_mode)).unwrap();
    };
    for (file_mode, folder_mode, is_run) in
        [(0o600, 0o700, true), (0o620, 0o700, false), (0o602, 0o700, false), (0o600, 0o770, false)]
    {
        plant(file_mode, folder_mode);
        world.install("hello", &fs::read(component("hello")).unwrap()).await;
        let body = world.get("/hello").await.text().to_owned();
        assert_eq!(body.starts_with('{'), is_run, "{file_mode:o} in {folder_mode:o}: {body}");
        assert!(
            is_run || fs::read(&hello).unwrap() != code,
            "{file_mode:o} in {folder_mode:o} is still there"
        );
    }
}

/// Names of the files in the folder of compiled code.
fn compiled(world: &World) -> BTreeSet<String> {
    let cache = world.config.paths.components().join("compiled");
    fs::read_dir(cache).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

// rows: H11
#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_that_no_function_uses_is_removed() {
    let world = World::open(&[("hello", "hello"), ("other", "hello")], "").await;
    let before = compiled(&world);
    assert_eq!(before.len(), 2, "code and checksum of one component: {before:?}");
    // After the next start, files of older engines and of processes that died are gone.
    let cache = world.config.paths.components().join("compiled");
    let old = "0".repeat(64);
    for left in [format!("{old}.cwasm"), format!("{old}.sum"), format!("{old}.1-0.draft")] {
        fs::write(cache.join(left), "left").unwrap();
    }
    let again = world.another_host();
    load(&again).await;
    assert_eq!(compiled(&world), before);
    // One of two functions with this component changes, then the other.
    replace(&world, "hello", &fs::read(component("mirror")).unwrap());
    load(&world.state).await;
    let both = compiled(&world);
    assert!(both.len() == 4 && both.is_superset(&before), "{both:?}");
    replace(&world, "other", &fs::read(component("mirror")).unwrap());
    load(&world.state).await;
    assert_eq!(compiled(&world), both.difference(&before).cloned().collect());
    for name in ["hello", "other"] {
        assert!(world.get(&format!("/{name}")).await.text().starts_with('{'));
        fs::remove_file(world.component_path(name)).unwrap();
    }
    load(&world.state).await;
    assert_eq!(compiled(&world), BTreeSet::new());
}

// rows: H11 G10
#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_of_every_version_that_is_kept_stays() {
    let world = World::start(&[], "", "", banyan_edge::Timings::default()).await;
    for guest in ["hello", "mirror", "raw"] {
        let path = "/functions/deploy?slug=changing&verify_jwt=false";
        let answer =
            world.manage(http::Method::POST, path, "application/wasm", fs::read(component(guest)).unwrap());
        assert_eq!(answer.await.status, 201);
    }
    let all = compiled(&world);
    assert_eq!(all.len(), 6, "{all:?}");
    let again = world.another_host();
    load(&again).await;
    assert_eq!(compiled(&world), all, "a start keeps what can be rolled back to");
    world.manage(http::Method::DELETE, "/functions/changing", "", "").await;
    assert_eq!(compiled(&world), BTreeSet::new());
}

// rows: ANY_COMPONENT H01
#[tokio::test(flavor = "multi_thread")]
async fn one_on_the_bindings_alone_runs_unmodified() {
    let world = World::open(&[("raw", "raw")], "").await;
    let answer = world.get("/raw").await;
    assert_eq!((answer.status, answer.text()), (200, "Hello World"), "{answer:?}");
}

// rows: H13
#[tokio::test(flavor = "multi_thread")]
async fn clocks_are_real_and_random_numbers_never_the_same() {
    let world = World::probe("").await;
    let told = [world.get("/probe/chance").await.json(), world.get("/probe/chance").await.json()];
    for kind in ["random", "insecure", "seed"] {
        assert_ne!(told[0][kind], told[1][kind], "{kind}: a fresh instance begins elsewhere");
    }
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let theirs = u128::from(told[1]["unix_ms"].as_u64().unwrap());
    assert!(now.abs_diff(theirs) < 10_000, "{theirs} at {now}");
    let waited = told[0]["waited_ms"].as_u64().unwrap();
    assert!((50..5000).contains(&waited), "a wait of 50 ms took {waited} ms");
}
