//! What an instance has of the host: what it may import, its limits, its environment (functions.md H01, H08, H09).

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use wasmtime::{
    Engine, Store, UpdateDeadline,
    component::{HasSelf, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiCtx, WasiCtxView, WasiView,
    cli::{WasiCli, WasiCliView},
    filesystem::{WasiFilesystem, WasiFilesystemView},
    p2::bindings::{cli, filesystem},
    random::{WasiRandom, WasiRandomCtx},
};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::{
    book::Level,
    environment::Keys,
    instance::Launch,
    limits::{CpuMeter, HANDLES, Limits, Tick},
    logs::Lines,
    memory::Share,
    outbound::Outbound,
};

/// What an instance holds on the host's side.
pub(crate) struct Host {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    pub(crate) table: ResourceTable,
    outbound: Outbound,
    pub(crate) limits: Limits,
    pub(crate) cpu: Arc<CpuMeter>,
    pub(crate) output: [Lines; 2],
    variables: Variables,
}

/// What `wasi:cli/environment` gives out when it is asked, which few functions do.
struct Variables {
    shared: Arc<[(String, SecretString)]>,
    keys: Keys,
    execution_id: Arc<str>,
}

impl cli::environment::Host for Host {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        let Variables { shared, keys, execution_id } = &self.variables;
        let shared = shared.iter().map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
        let own = [keys.variable(), ("SB_EXECUTION_ID".to_owned(), execution_id.to_string())];
        Ok(shared.chain(own).collect())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(None)
    }
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Host {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.outbound, table: &mut self.table, ctx: &mut self.http }
    }
}

/// Everything that a component may import (functions.md H01): HTTP, clocks, random, io, environment and output. The
/// filesystem is there because the standard library names it, but no folder is opened; sockets are not.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    wasmtime_wasi_http::p2::add_to_linker_async(l)?;
    wasmtime_wasi::p2::bindings::random::insecure::add_to_linker::<Host, WasiRandom>(l, insecure)?;
    wasmtime_wasi::p2::bindings::random::insecure_seed::add_to_linker::<Host, WasiRandom>(l, insecure)?;
    cli::exit::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    cli::environment::add_to_linker::<Host, HasSelf<Host>>(l, |host| host)?;
    cli::terminal_input::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    cli::terminal_output::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    cli::terminal_stdin::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    cli::terminal_stdout::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    cli::terminal_stderr::add_to_linker::<Host, WasiCli>(l, Host::cli)?;
    filesystem::preopens::add_to_linker::<Host, WasiFilesystem>(l, Host::filesystem)?;
    filesystem::types::add_to_linker::<Host, WasiFilesystem>(l, Host::filesystem)?;
    Ok(linker)
}

fn insecure(host: &mut Host) -> &mut WasiRandomCtx {
    host.wasi.random()
}

/// A store of its own for one instance, within the limits of its function.
pub(crate) fn store(launch: &Launch, share: Share) -> Store<Host> {
    let (prepared, engine) = (&launch.prepared, &launch.common.engine);
    let output = [Level::Info, Level::Error].map(|level| Lines::new(Arc::clone(&launch.source), level));
    let mut wasi = WasiCtx::builder();
    wasi.stdout(output[0].clone()).stderr(output[1].clone());
    let mut table = ResourceTable::new();
    table.set_max_capacity(HANDLES);
    let mut store = Store::new(
        engine,
        Host {
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            table,
            outbound: launch.outbound.clone(),
            limits: Limits::new(prepared.most_memory(), share),
            cpu: CpuMeter::new(prepared.policy.cpu),
            output,
            variables: Variables {
                shared: Arc::clone(&prepared.environment),
                keys: prepared.keys.clone(),
                execution_id: Arc::clone(&launch.source.execution_id),
            },
        },
    );
    store.limiter(|host| &mut host.limits);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|context| {
        Ok(match context.data().cpu.tick() {
            Tick::Stop => UpdateDeadline::Interrupt,
            // Tokio's own yield lets the thread look at its timers and at others before it comes back here; a plain
            // wake-up would let busy guests hold it for dozens of ticks.
            Tick::Yield => UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())),
            Tick::GoOn => UpdateDeadline::Continue(1),
        })
    });
    store
}

/// Gives a waiting instance what belongs to one request alone: its limits, its lines, its calls.
pub(crate) fn renew(store: &mut Store<Host>, launch: &Launch) {
    let host = store.data_mut();
    host.cpu = CpuMeter::new(launch.prepared.policy.cpu);
    host.limits.renew();
    host.outbound = launch.outbound.clone();
    host.variables.execution_id = Arc::clone(&launch.source.execution_id);
    for lines in &host.output {
        lines.turn_to(Arc::clone(&launch.source));
    }
    store.set_epoch_deadline(1);
}
