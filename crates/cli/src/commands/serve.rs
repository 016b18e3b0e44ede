//! `banyan serve`: the foreground process that is the stack (CONTRACT.md CLI-SERVE).
//!
//! Order: lock, PostgreSQL and inbox, schemas, the project's migrations on the first start,
//! listeners; and back.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use banyan_config::{Config, Environment, Hook};
use banyan_db::{
    Database,
    migrations::{self, Order, Progress},
    platform,
};
use banyan_identity::Clock;
use banyan_local::{Inbox, Install, PostgresServer, PostgresSettings, Purpose, logs::keep_small, ports};
use banyan_mail::SmtpSettings;
use banyan_server::{Functions, Parts, Running, logs};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{db::complete_reset, start, status};
use crate::{
    access_token,
    arguments::{Global, LogFormat},
    bucket_seeds,
    database::{self, Files},
    output, project,
    reset_marker::ResetMarker,
    running_stack::{self, Lock, Record},
};

/// File that says that the first start went through to its end.
pub(crate) const PREPARED: &str = "prepared";

/// How a remark is made: a process that was detached has standard output alone for who started it.
type Remark = fn(String);

/// Clock and output of a start.
struct Starter {
    clock: Clock,
    remark: Remark,
}

/// The default log filter. Warnings about broken connections are left out: such a connection is
/// closed anyway, and every stop causes some.
const USUAL: &str = "info,sqlx_core::pool::connection=error";
/// The log filter with `--debug`.
const DEBUG: &str = "debug,hyper=info,h2=info,wasmtime=info,cranelift=warn";

/// How long a start has work beside requests.
const SETTLED: Duration = Duration::from_secs(2);

/// The pattern of seeds that `init` writes, and what stands for it where nothing is written.
const USUAL_SEED: &str = "supabase/seed.sql";

/// Restarts of a PostgreSQL that ended unexpectedly, before giving up.
const MOST_REVIVALS: u32 = 5;

pub(crate) async fn run(
    global: &Global,
    detached: bool,
    new_data: bool,
    log_format: Option<LogFormat>,
) -> anyhow::Result<()> {
    let _logging = start_logging(global, form_of_log(log_format, detached, output::notes_are_read()))?;
    open_many_files();
    let mut signals = Signals::listen()?;
    let config = match detached {
        true => project::load(global)?,
        false => project::load_to_start(global, new_data)?,
    };
    let lock = Lock::take(&config.paths.state).await?;
    config.paths.note_origin().context("cannot note whose data these are")?;
    if detached {
        tracing::info!(version = env!("CARGO_PKG_VERSION"), "starting");
    }
    check_ports(&config)?;
    let postgres = postgres_settings(&config);
    let remark: Remark = if detached { output::line } else { output::note };
    let starter = Starter { clock: Clock::system(), remark };
    let stack = tokio::select! {
        stack = Stack::start(config, &starter) => stack?,
        signal = signals.next() => {
            tell_of_the_stop(signal, &postgres.state);
            return stop_half_started(&postgres).await;
        }
    };
    lock.publish(&stack.record)?;
    if !detached {
        welcome(&stack);
    }
    tokio::spawn(give_back_memory(stack.server.functions()));
    tokio::spawn(keep_small(stack.logs()));
    let _watch = follow_config(global, &stack)?;
    let result = stack.run_until(&mut signals).await;
    drop(lock);
    result
}

/// Shows a person at a terminal what runs, and how to go on.
fn welcome(stack: &Stack) {
    output::raw(&status::summary(&stack.config, &stack.record));
    output::note("`banyan status` shows all addresses, keys and files. Ctrl-C stops the stack.");
    super::functions::warn_of_unbuilt(&stack.config);
    tell_of_functions(stack.server.functions());
}

/// Applies the settings of functions in config.toml, banyan.toml and `.env` whenever they change
/// (edge/CONTRACT.md G05). If a file cannot be read, the previous settings stay. The watch ends
/// when the returned value is dropped.
fn follow_config(global: &Global, stack: &Stack) -> anyhow::Result<impl Drop + use<>> {
    let (changed, mut changes) = tokio::sync::mpsc::channel(1);
    let (functions, global) = (stack.server.functions(), global.clone());
    // The files do not tell how the database is reached.
    let reached = stack.config.database.clone();
    let watch = super::functions::watch_config(&stack.config, changed)?;
    // The start has reported these.
    let mut told = project::load_with_doubts(&global).map_or_else(|_| Vec::new(), |(_, doubts)| doubts);
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            tokio::time::sleep(Duration::from_millis(200)).await;
            match project::load_with_doubts(&global) {
                Ok((mut config, doubts)) => {
                    for doubt in doubts.iter().filter(|doubt| !told.contains(doubt)) {
                        tracing::warn!(doubt, "the changed configuration holds what has no effect");
                    }
                    told = doubts;
                    config.database.port = reached.port;
                    config.database.password = reached.password.clone();
                    functions.reconfigure(config).await;
                }
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), "the changed configuration is not used")
                }
            }
        }
    });
    Ok(watch)
}

/// Says how many functions cannot be called yet, and when they can.
fn tell_of_functions(functions: Functions) {
    let left = functions.to_compile();
    if left == 0 {
        return start::tell_of_the_end(false, &functions.broken());
    }
    output::note(start::not_compiled(left as u64, "being"));
    // It ends with what it waits for, or with the process.
    tokio::spawn(async move {
        functions.compiled().await;
        start::tell_of_the_end(true, &functions.broken());
    });
}

/// Returns memory of the start to the system, once the functions are compiled.
async fn give_back_memory(functions: Functions) {
    functions.compiled().await;
    // The first tasks beside the requests belong to the start.
    tokio::time::sleep(SETTLED).await;
    banyan_server::trim_memory();
}

/// Logs why the stack stops, for people who find it gone.
fn tell_of_the_stop(signal: &str, state: &Path) {
    // Ctrl-C is what sends SIGINT, as good as always.
    let somebody = if signal == "SIGINT" { "Ctrl-C" } else { "unknown" };
    let by = running_stack::take_request(state).unwrap_or_else(|| somebody.to_owned());
    tracing::info!(signal, asked_by = by, "stopping");
}

/// PostgreSQL continues if its start is interrupted. The next start finds it and stops it.
async fn stop_half_started(settings: &PostgresSettings) -> anyhow::Result<()> {
    stop_postgres(PostgresServer::adopt(settings).await?).await
}

/// Returns the format that was asked for, else text for a terminal and JSON for pipes. The log file
/// of a detached start is always JSON.
fn form_of_log(asked: Option<LogFormat>, detached: bool, is_terminal: bool) -> LogFormat {
    let usual = if is_terminal { LogFormat::Text } else { LogFormat::Json };
    if detached { LogFormat::Json } else { asked.unwrap_or(usual) }
}

fn start_logging(global: &Global, format: LogFormat) -> io::Result<logs::Logging> {
    let environment = Environment::of_process();
    let default = if global.debug { DEBUG } else { USUAL };
    let format = match format {
        LogFormat::Json => logs::Format::Json,
        LogFormat::Text => logs::Format::Terminal { coloured: output::notes_are_coloured(&environment) },
    };
    logs::start(format, environment.get("RUST_LOG").unwrap_or(default))
}

/// Lets the process open as many files as the system allows it: each connection and each function
/// holds one, and many systems begin with 1,024.
fn open_many_files() {
    let most = getrlimit(Resource::Nofile).maximum;
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }) {
        tracing::warn!(error = %error, "the limit of open files stays as it was");
    }
}

/// Names who holds a wanted port before anything is started.
fn check_ports(config: &Config) -> anyhow::Result<()> {
    ports::check_free("api.port", config.server.host, config.api.port)?;
    ports::check_free("server.admin_port", IpAddr::V4(Ipv4Addr::LOCALHOST), config.server.admin_port)?;
    Ok(())
}

/// A running stack.
struct Stack {
    config: Config,
    record: Record,
    server: Running,
    inbox: Option<Inbox>,
    inbox_stop: CancellationToken,
    postgres: Option<PostgresServer>,
}

impl Stack {
    async fn start(config: Config, starter: &Starter) -> anyhow::Result<Self> {
        let postgres = match &config.database.url {
            Some(_) => None,
            None => Some(start_postgres(&config, starter.remark).await?),
        };
        match Box::pin(Self::start_on(config, starter, postgres.as_ref())).await {
            Ok(start) => Ok(Self { postgres, ..start }),
            Err(error) => {
                stop_postgres(postgres).await?;
                Err(error)
            }
        }
    }

    /// Everything but PostgreSQL, which the caller stops when this fails.
    async fn start_on(
        mut config: Config,
        starter: &Starter,
        postgres: Option<&PostgresServer>,
    ) -> anyhow::Result<Self> {
        let (database, is_new) = prepared_database(&config, starter.remark, postgres).await?;
        let inbox_stop = CancellationToken::new();
        let clock = starter.clock.clone();
        let inbox = start_inbox(&config, clock.clone(), inbox_stop.clone()).await?;
        let smtp = smtp(&config, inbox.as_ref())?;
        no_mail_is_sent(smtp.as_ref()).into_iter().for_each(starter.remark);
        if let Some(server) = postgres {
            // Settings of the database for functions.
            config.database.port = server.port();
            project::note_password(&mut config, server.passwords());
        }
        let access_token = access_token::of_stack(&config)?;
        let parts = Parts { config: config.clone(), database, smtp, clock, access_token };
        let server = banyan_server::start(parts).await?;
        tell_what_is_served(&config, &server, starter.remark);
        let addresses = server.addresses();
        if is_new {
            bucket_seeds::seed_new(&config, &reached_here(addresses.api), &starter.remark).await;
        }
        config.listening_on(addresses.api.port());
        let record = Record {
            pid: std::process::id(),
            api_url: config.api_url().to_owned(),
            admin_url: format!("http://{}", addresses.admin),
            mail_url: inbox.as_ref().map(|inbox| format!("http://{}", inbox.web_addr())),
            db_port: postgres.map(PostgresServer::port),
            db_socket: postgres.map(|server| server.socket_dir().to_owned()),
        };
        Ok(Self { config, record, server, inbox, inbox_stop, postgres: None })
    }

    /// The files that it logs to: its own, where it was detached, and PostgreSQL's.
    fn logs(&self) -> Vec<PathBuf> {
        let postgres = self.postgres.as_ref().map(|server| server.log().to_owned());
        postgres.into_iter().chain([self.config.paths.log()]).collect()
    }

    /// Waits for a signal, restarts PostgreSQL if it ends unexpectedly, then stops everything in
    /// order.
    async fn run_until(mut self, signals: &mut Signals) -> anyhow::Result<()> {
        let outcome = match self.postgres.take() {
            None => {
                tell_of_the_stop(signals.next().await, &self.config.paths.state);
                Ok(None)
            }
            Some(postgres) => watch(&self.config, &self.record, postgres, signals).await.map(Some),
        };
        self.server.stop().await;
        self.inbox_stop.cancel();
        if let Some(inbox) = self.inbox {
            inbox.closed().await;
        }
        stop_postgres(outcome?).await
    }
}

/// The origin of a listener for this machine.
fn reached_here(mut listening: SocketAddr) -> String {
    if listening.ip().is_unspecified() {
        listening.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    format!("http://{listening}")
}

/// Keeps PostgreSQL running until a signal comes.
async fn watch(
    config: &Config,
    record: &Record,
    mut postgres: PostgresServer,
    signals: &mut Signals,
) -> anyhow::Result<PostgresServer> {
    let mut settings = postgres_settings(config);
    settings.port = record.db_port.unwrap_or(settings.port);
    for _ in 0..MOST_REVIVALS {
        tokio::select! {
            signal = signals.next() => {
                tell_of_the_stop(signal, &config.paths.state);
                return Ok(postgres);
            }
            () = postgres.ended() => {}
        }
        tracing::error!(postgres.log = %postgres.log().display(), "PostgreSQL ended by itself and is started again");
        drop(postgres);
        postgres = revive(&settings).await?;
    }
    stop_postgres(Some(postgres)).await?;
    anyhow::bail!("PostgreSQL ended {MOST_REVIVALS} times by itself")
}

/// Starts PostgreSQL again. One that was taken over keeps its lock file until the system has buried
/// the process, so this is tried for five seconds.
async fn revive(settings: &PostgresSettings) -> anyhow::Result<PostgresServer> {
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        match PostgresServer::start(settings, &|_| ()).await {
            Ok(server) => return Ok(server),
            Err(error) => tracing::warn!(error = %error, "PostgreSQL does not start yet"),
        }
    }
    Ok(PostgresServer::start(settings, &|_| ()).await?)
}

async fn stop_postgres(postgres: Option<PostgresServer>) -> anyhow::Result<()> {
    match postgres {
        Some(server) => server.stop().await.context("PostgreSQL could not be stopped"),
        None => Ok(()),
    }
}

/// Settings of the embedded PostgreSQL.
fn postgres_settings(config: &Config) -> PostgresSettings {
    PostgresSettings {
        state: config.paths.state.clone(),
        cache: config.paths.cache.clone(),
        port: config.database.port,
        major_version: config.database.major_version,
        logins: &platform::SERVICE_LOGINS,
        published_password: config.keys.everybody_knows().is_some(),
        purpose: Purpose::Stack,
        connections: database::connections_of_embedded(config),
        install: Install::OwnCache,
    }
}

async fn start_postgres(config: &Config, remark: Remark) -> anyhow::Result<PostgresServer> {
    let tell = |step: &_| remark(ToString::to_string(step));
    let server = PostgresServer::start(&postgres_settings(config), &tell).await?;
    remark("✓ PostgreSQL is ready".to_owned());
    Ok(server)
}

/// Functions that are still being compiled are reported once the stack answers.
fn tell_what_is_served(config: &Config, server: &Running, remark: Remark) {
    if config.api.enabled && !server.data_api_is_ready() {
        let why = "the schema could not be read. The stack tries again; the log says why";
        remark(format!("WARN: /rest/v1 answers 503: {why}"));
    }
    let ready = server.functions().callable();
    if ready > 0 {
        remark(format!("✓ {} ready", counted(ready, "function")));
    }
    match &config.server.site {
        Some(site) if site.is_dir() => remark("✓ The app is ready".to_owned()),
        Some(site) => remark(format!("WARN: there is no app yet: `server.site` names {}", site.display())),
        None => {}
    }
}

/// A number of things, and the verb behind it.
fn counted(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing} is") } else { format!("{number} {thing}s are") }
}

/// The database with all that the stack and the project put into it, and whether that is new.
async fn prepared_database(
    config: &Config,
    remark: Remark,
    postgres: Option<&PostgresServer>,
) -> anyhow::Result<(Database, bool)> {
    let settings = match (postgres, &config.database.url) {
        (Some(server), _) => {
            database::embedded(config, (server.socket_dir(), server.port()), server.passwords())
        }
        (None, Some(url)) => database::external(config, url)?,
        (None, None) => unreachable!("without a URL there is an embedded server"),
    };
    let database = Database::connect(&settings)?;
    let was_reset = match postgres {
        Some(_) => prepare_own(&database, config, remark).await?,
        None => database::prepare(&database, config).await.map(|()| false)?,
    };
    match database::too_few_connections(&database).await {
        Ok(None) => {}
        Ok(Some(warning)) => remark(format!("WARN: {warning}")),
        Err(error) => {
            remark(format!("WARN: it is not known how many connections the server takes: {error:#}"));
        }
    }
    let is_first = first_start(&database, config, remark).await?;
    if let Err(error) = tell_hooks_out_of_reach(&database, config, remark).await {
        remark(format!("WARN: it is not known whether the auth hooks can be called: {error:#}"));
    }
    Ok((database, was_reset || is_first))
}

/// Prepares the embedded database, whatever a reset left of it that was broken off. Tells whether
/// it completed one.
async fn prepare_own(database: &Database, config: &Config, remark: Remark) -> anyhow::Result<bool> {
    let state = &config.paths.state;
    if let Some(marker) = ResetMarker::left(state)? {
        return Box::pin(complete_reset(database, config, marker, &remark)).await.map(|()| true);
    }
    if migrations::create_missing(database).await? {
        unmark_prepared(state)?;
    }
    database::prepare(database, config).await.map(|()| false)
}

/// Migrations and seeds are applied until that once went through to its end; later starts keep the
/// database as it is and only say what is pending. Tells whether this was the first one.
async fn first_start(database: &Database, config: &Config, remark: Remark) -> anyhow::Result<bool> {
    if is_prepared(database, config).await? {
        // A person who must repair the database needs the stack, so this failure does not stop it.
        if let Err(error) = tell_pending(database, config, remark).await {
            remark(format!("WARN: it is not known which migrations are applied: {error:#}"));
        }
        return Ok(false);
    }
    let seeds = database::seeds(config);
    let applied = AtomicUsize::new(0);
    let tell = |step| match step {
        // One line for all: there may be hundreds of migrations. A mistake in one is reported with
        // its name.
        Progress::Applying { .. } => {
            if applied.fetch_add(1, Ordering::Relaxed) == 0 {
                remark("Applying the migrations...".to_owned());
            }
        }
        // A new project has none.
        Progress::NoSeedFile { pattern } if pattern == USUAL_SEED => {}
        step => remark(step.to_string()),
    };
    let files = Files { order: Order::IncludeAll, up_to: None, seeds: &seeds };
    database::fill(database, config, &files, &tell).await?;
    tell_applied(applied.into_inner(), remark);
    mark_prepared(&config.paths.state).map(|()| true)
}

fn tell_applied(migrations: usize, remark: Remark) {
    if migrations > 0 {
        remark(format!("✓ {} applied", counted(migrations, "migration")));
    }
}

/// For an external database its history decides, since it outlives this machine's files.
async fn is_prepared(database: &Database, config: &Config) -> anyhow::Result<bool> {
    if config.database.url.is_none() {
        return Ok(config.paths.state.join(PREPARED).exists());
    }
    Ok(!migrations::applied(database).await?.is_empty())
}

/// Notes that the database holds the project's schema.
pub(crate) fn mark_prepared(state: &Path) -> anyhow::Result<()> {
    let path = state.join(PREPARED);
    std::fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))
}

/// Takes that note back.
pub(crate) fn unmark_prepared(state: &Path) -> anyhow::Result<()> {
    let path = state.join(PREPARED);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

async fn tell_pending(database: &Database, config: &Config, remark: Remark) -> anyhow::Result<()> {
    let files = migrations::list(&config.paths.migrations())?.files;
    let applied = migrations::applied(database).await?;
    let pending = files.iter().filter(|file| !applied.contains(&file.version)).count();
    if pending > 0 {
        let are = counted(pending, "migration");
        remark(format!("WARN: {are} not applied yet: run `banyan migration up`"));
    } else {
        tell_applied(files.len(), remark);
    }
    Ok(())
}

/// The feature of a hook fails without it, so this is said before anybody uses it.
async fn tell_hooks_out_of_reach(database: &Database, config: &Config, remark: Remark) -> anyhow::Result<()> {
    let of_database = banyan_server::unreachable_hooks(&config.auth, database).await?;
    for sentence in of_database.into_iter().chain(hooks_without_function(config)) {
        remark(format!("WARN: {sentence}"));
    }
    Ok(())
}

/// Hooks that are functions of the project which are not there, one sentence each.
fn hooks_without_function(config: &Config) -> impl Iterator<Item = String> {
    config.auth.hooks.all().filter_map(|(point, hook)| {
        let Hook::Function { name } = hook else { return None };
        let lacks = if !config.edge_runtime.enabled {
            "while edge_runtime.enabled is false"
        } else if !super::functions::is_there(config, name) {
            "which is neither built nor deployed, or switched off"
        } else {
            return None;
        };
        Some(format!("config.toml: `auth.hook.{point}` calls {hook}, {lacks}: what asks it fails until then"))
    })
}

async fn start_inbox(
    config: &Config,
    clock: Clock,
    stop: CancellationToken,
) -> anyhow::Result<Option<Inbox>> {
    if !config.local_smtp.enabled {
        return Ok(None);
    }
    let now = Arc::new(move || clock.now());
    Ok(Some(Inbox::start(&config.local_smtp, &config.paths.state, now, stop).await?))
}

/// The configured server, or the inbox (local/CONTRACT.md LOC-INBOX). None where both are off.
fn smtp(config: &Config, inbox: Option<&Inbox>) -> anyhow::Result<Option<SmtpSettings>> {
    let settings = match (&config.auth.smtp, inbox) {
        (Some(smtp), _) => Some(SmtpSettings::server(smtp)?),
        (None, Some(inbox)) => Some(SmtpSettings::inbox(&config.local_smtp, inbox.smtp_addr())?),
        (None, None) => None,
    };
    Ok(settings)
}

/// What a start says where mails go nowhere.
fn no_mail_is_sent(smtp: Option<&SmtpSettings>) -> Option<String> {
    let how = "Set [auth.email.smtp], or local_smtp.enabled = true; they wait until then";
    smtp.is_none()
        .then(|| format!("WARN: no mail is sent: `local_smtp` is off, and there is no mail server. {how}"))
}

/// SIGTERM and Ctrl-C.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The name of the next one.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-LOG-FORM
    #[test]
    fn the_log_is_text_on_a_terminal_and_json_elsewhere_or_as_asked_for() {
        assert_eq!(form_of_log(None, false, true), LogFormat::Text);
        assert_eq!(form_of_log(None, false, false), LogFormat::Json);
        assert_eq!(form_of_log(Some(LogFormat::Json), false, true), LogFormat::Json);
        assert_eq!(form_of_log(Some(LogFormat::Text), false, false), LogFormat::Text);
        assert_eq!(form_of_log(Some(LogFormat::Text), true, true), LogFormat::Json);
    }

    // rows: CLI-NO-MAIL
    #[test]
    fn a_project_without_inbox_and_mail_server_starts_and_is_told_so() {
        let config = banyan_testkit::config_with("[local_smtp]\nenabled = false\n");
        let none = smtp(&config, None).expect("it starts");
        let told = no_mail_is_sent(none.as_ref()).expect("a warning");
        assert!(told.contains("no mail is sent") && told.contains("[auth.email.smtp]"), "{told}");
        let server = "[auth.email.smtp]\nhost = \"mail.example\"\nadmin_email = \"a@mail.example\"\n";
        let config = banyan_testkit::config_with(&format!("[local_smtp]\nenabled = false\n{server}"));
        let some = smtp(&config, None).expect("it starts");
        assert!(some.is_some() && no_mail_is_sent(some.as_ref()).is_none());
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!(counted(1, "migration"), "1 migration is");
        assert_eq!(counted(46, "migration"), "46 migrations are");
    }
}
