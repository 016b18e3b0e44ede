//! What an instance has of the host: imports, limits, environment (CONTRACT.md H01, H08, H09).

/// How much of a guest's requests the host keeps.
mod requests;

/// An instance between two requests.
mod warm_instance;

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use wasmtime::{
    Engine,
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

pub(crate) use self::warm_instance::WarmInstance;
use crate::{
    capacity::limits::{CpuMeter, HANDLES, HEADER_BYTES, InstanceLimits, RANDOM_BYTES},
    logs::{InvocationLog, Lines, log_buffer::Level},
    outbound::Outbound,
    settings::environment::JwksVariable,
};

/// What an instance holds on the host's side.
pub(crate) struct Host {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    pub(crate) table: ResourceTable,
    outbound: Outbound,
    pub(crate) limits: InstanceLimits,
    pub(crate) cpu: Arc<CpuMeter>,
    pub(crate) output: [Lines; 2],
    variables: Variables,
}

/// What `wasi:cli/environment` returns. It is built only when a guest asks, which few do.
pub(crate) struct Variables {
    pub(crate) shared: Arc<[(String, SecretString)]>,
    pub(crate) jwks: JwksVariable,
    pub(crate) execution_id: Arc<str>,
}

impl Host {
    pub(crate) fn new(
        variables: Variables,
        outbound: Outbound,
        limits: InstanceLimits,
        cpu: Arc<CpuMeter>,
        log: &Arc<InvocationLog>,
    ) -> Self {
        let output = [Level::Info, Level::Error].map(|level| Lines::new(Arc::clone(log), level));
        let mut wasi = WasiCtx::builder();
        wasi.stdout(output[0].clone()).stderr(output[1].clone()).max_random_size(RANDOM_BYTES);
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES);
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(HEADER_BYTES);
        Self { wasi: wasi.build(), http, table, outbound, limits, cpu, output, variables }
    }

    /// Replaces what belongs to one request alone: limits, logs, outgoing calls.
    pub(crate) fn renew(&mut self, outbound: Outbound, cpu: Arc<CpuMeter>, log: &Arc<InvocationLog>) {
        self.cpu = cpu;
        self.limits.renew();
        self.outbound = outbound;
        self.variables.execution_id = Arc::clone(&log.execution_id);
        for lines in &self.output {
            lines.switch_to(Arc::clone(log));
        }
    }
}

impl cli::environment::Host for Host {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        let Variables { shared, jwks, execution_id } = &self.variables;
        let shared = shared.iter().map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
        let own = [jwks.variable(), ("SB_EXECUTION_ID".to_owned(), execution_id.to_string())];
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

/// Everything that a component may import (CONTRACT.md H01): HTTP, clocks, random, io, environment
/// and output. The filesystem is there because the standard library imports it, but no folder is
/// open. Sockets are not there.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    wasmtime_wasi_http::p2::add_to_linker_async(l)?;
    requests::bound(l)?;
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
