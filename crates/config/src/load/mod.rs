//! Loads the files into one checked [`Config`].

/// One file, from its text to a table.
mod file;

/// Warnings and errors about unknown keys.
mod unknown_keys;

/// Variables of the environment.
mod variables;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    time::Duration,
};

use toml::{Table, Value};

use self::file::File;
use crate::{
    Api, Auth, Config, ConfigError, Database, EdgeRuntime, Environment, Function, Keys, LocalSmtp, Paths,
    Realtime, Server, Storage, duration,
    error::{every, together},
    paths,
    raw::{RawAuth, RawBanyan, RawConfig, RawFunction, RawServer, shape::Shaped as _},
    sections::{keys::KEYS, reachability::Reachability, storage::Around},
};

/// A checked configuration and what in it looks like a mistake.
#[derive(Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Settings without effect, or with another one than was likely meant, one sentence each.
    pub warnings: Vec<String>,
    /// Settings that a start needs and whose variables are not set. Other commands continue, since
    /// the user who runs them on a server may have none of its secrets.
    pub unset: Option<ConfigError>,
    /// Other folders of data that stacks of this project made under another id, and may still run
    /// in.
    pub others: Vec<PathBuf>,
    /// If this project has no data: data that are likely its own and were made under another name.
    pub left: Option<LeftData>,
}

/// Data of a project that is gone, and may be those of one that has none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftData {
    /// Their folder.
    pub state: PathBuf,
    /// The folder of the project that they were made for.
    pub made_for: PathBuf,
    /// The folder where this project would find them.
    pub place: PathBuf,
}

/// Says whose they are, and by which command they become this project's.
impl std::fmt::Display for LeftData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { state, made_for, place } = self;
        let (state, place) = (state.display(), place.display());
        write!(
            f,
            "this project has no data yet, and those in {state} were made for {}, which is gone. If that was this \
             project under another name, this brings its data back:\n  ",
            made_for.display()
        )?;
        // Without data the folder holds only files that can be built again, and `mv` would move
        // into it.
        if self.place.exists() {
            write!(f, "mv {place} {place}.aside && ")?;
        }
        write!(f, "mv {state} {place}")
    }
}

/// Reads and checks the configuration of the project at or above `start`.
///
/// Order, later wins: defaults, config.toml, banyan.toml, `SUPABASE_<SECTION>_<KEY>` of the
/// environment. `port_offset` moves every port that is not 0 (CONTRACT.md CFG-PORT-OFFSET).
///
/// # Errors
/// [`ConfigError`] for a missing project, an unreadable file, wrong TOML, or values out of bounds:
/// all of them.
pub fn load(start: &Path, environment: Environment, port_offset: u16) -> Result<Loaded, ConfigError> {
    let Written { project, environment, config, banyan, findings } = Written::read(start, environment)?;
    let Findings { mut errors, mut warnings, unset } = findings;
    warnings.extend(Auth::doubts(&config.auth));
    errors.extend(Auth::unknown_mails(&config.auth, &banyan.auth));
    let id = project_id(&config.project_id, &project);
    let DataFolders { paths, others, moved, lost } = places(project, &id, &environment);
    let left = match lost.as_slice() {
        [(state, made_for)] => {
            Some(LeftData { state: state.clone(), made_for: made_for.clone(), place: paths.state.clone() })
        }
        _ => None,
    };
    if lost.len() > 1 {
        let folders: Vec<String> = lost
            .iter()
            .map(|(state, made_for)| format!("{} (made for {})", state.display(), made_for.display()))
            .collect();
        warnings.push(format!(
            "this project has no data yet, and these were made for projects that are gone: {}. If one of those was this \
             project under another name, BANYAN_HOME can name its folder",
            folders.join(", ")
        ));
    }
    warnings.extend(moved.into_iter().map(|state| {
        format!(
            "the data in {} are a copy of this project's, or were moved there, and are not used: BANYAN_HOME can name that folder",
            state.display()
        )
    }));
    let config =
        check(config, banyan, (id, paths), &environment, port_offset).map_err(|error| errors.push(error));
    let Some(config) = config.ok().filter(|_| errors.is_empty()) else {
        errors.extend(unset);
        return Err(ConfigError::all(errors).with_warnings(warnings));
    };
    warnings.extend(config.keys.everybody_knows().filter(|_| config.server.demo_keys).map(|key| {
        format!(
            "banyan.toml: `server.demo_keys` lets others reach a stack whose `{key}` everybody knows: whoever does so can read and change all that it holds"
        )
    }));
    warnings.extend(config.doubt_of_addresses());
    let unset = (!unset.is_empty()).then(|| ConfigError::all(unset));
    Ok(Loaded { config, warnings, unset, others, left })
}

/// The file of `auth.signing_keys_path`, whether or not it exists yet.
///
/// # Errors
/// [`ConfigError`] for a missing project, files that are no TOML, and where they may be meant to
/// name another file.
pub fn signing_keys_file(start: &Path, environment: Environment) -> Result<Option<PathBuf>, ConfigError> {
    let Written { project, config, findings, .. } = Written::read(start, environment)?;
    findings.refuse_about_keys()?;
    Keys::signing_keys_file(&config.auth, &project.join("supabase"))
}

/// Returns the keys that a project has so far, for commands that make the missing ones. The rest of
/// the configuration is not checked, since it may fail for lack of those keys.
///
/// # Errors
/// [`ConfigError`] for a missing project, files that are no TOML, keys that cannot be used, and
/// where others may be meant.
pub fn keys_so_far(start: &Path, environment: Environment) -> Result<Keys, ConfigError> {
    let Written { project, config, banyan, findings, .. } = Written::read(start, environment)?;
    findings.refuse_about_keys()?;
    Keys::so_far(config.auth, banyan.auth.legacy_keys, &project.join("supabase"))
}

/// The settings that a stop needs. Mistakes elsewhere must not keep a stack running.
#[derive(Debug)]
pub struct Stopping {
    /// Folders and files of the stack.
    pub paths: Paths,
    /// Other folders of data that stacks of this project made under another id, and may still run
    /// in.
    pub others: Vec<PathBuf>,
    /// Time that running requests get.
    pub drain: Duration,
    /// Mistakes that were found on the way.
    pub mistakes: Option<ConfigError>,
}

/// Reads the settings that a stop needs, of the project at or above `start`.
///
/// # Errors
/// [`ConfigError`] for a missing project, an unreadable file, and wrong TOML where it hides which
/// project it is.
pub fn stopping(start: &Path, environment: Environment) -> Result<Stopping, ConfigError> {
    let Written { project, environment, config, banyan, findings } =
        Written::as_far_as_readable(start, environment)?;
    let Findings { mut errors, .. } = findings;
    let id = project_id(&config.project_id, &project);
    let DataFolders { paths, others, .. } = places(project, &id, &environment);
    if !paths.state.is_dir() {
        // A file with a syntax error may lack the name of the project's folder.
        refuse_syntax(&mut errors)?;
    }
    let drain = duration(DRAIN, &banyan.server.drain).or_else(|error| {
        errors.push(error);
        duration(DRAIN, &RawServer::default().drain)
    })?;
    let mistakes = (!errors.is_empty()).then(|| ConfigError::all(errors));
    Ok(Stopping { paths, others, drain, mistakes })
}

const DRAIN: &str = "server.drain";

/// Returns syntax errors first, if there are any: other errors may follow from them.
fn refuse_syntax(errors: &mut Vec<ConfigError>) -> Result<(), ConfigError> {
    let slips: Vec<_> = errors.extract_if(.., |error| matches!(error, ConfigError::Syntax { .. })).collect();
    if slips.is_empty() { Ok(()) } else { Err(ConfigError::all(slips)) }
}

/// Mistakes that were found in the files.
#[derive(Debug, Default)]
struct Findings {
    errors: Vec<ConfigError>,
    warnings: Vec<String>,
    /// Variables that are not set, of settings that a start needs.
    unset: Vec<ConfigError>,
}

impl Findings {
    /// Ends with what is wrong about the keys of the project: another could be taken for one of
    /// them, or made beside it.
    fn refuse_about_keys(self) -> Result<(), ConfigError> {
        let errors: Vec<_> = self.errors.into_iter().filter(is_about_keys).collect();
        if errors.is_empty() { Ok(()) } else { Err(ConfigError::all(errors)) }
    }

    /// Notes a warning or an error.
    fn note(&mut self, finding: Result<String, ConfigError>) {
        match finding {
            Ok(warning) => self.warnings.push(warning),
            Err(error) => self.errors.push(error),
        }
    }
}

/// Returns whether an error is about a key of the project, or about a name that may be meant to be
/// one.
fn is_about_keys(error: &ConfigError) -> bool {
    let path: Vec<&str> = error.key().map(|key| key.split('.').collect()).unwrap_or_default();
    match *path {
        [_] => true,
        ["auth", name] => KEYS.contains(&name) || RawAuth::SHAPE.key(name).is_none(),
        _ => false,
    }
}

/// The files of a project with what the environment says, each key known and each value of its
/// type.
struct Written {
    project: PathBuf,
    environment: Environment,
    config: RawConfig,
    banyan: RawBanyan,
    findings: Findings,
}

impl Written {
    fn read(start: &Path, environment: Environment) -> Result<Self, ConfigError> {
        let mut written = Self::as_far_as_readable(start, environment)?;
        refuse_syntax(&mut written.findings.errors)?;
        Ok(written)
    }

    /// Reads the files and continues past syntax errors, which it adds to the findings.
    fn as_far_as_readable(start: &Path, mut environment: Environment) -> Result<Self, ConfigError> {
        let project = Paths::find_project(start).ok_or_else(|| ConfigError::NoProject(start.to_owned()))?;
        let folder = project.join("supabase");
        let (mut findings, mut named) = (Findings::default(), BTreeSet::new());
        for env_folder in [&folder, &project] {
            findings.warnings.extend(environment.add_files(env_folder)?);
        }
        let mut read = |file| file::read(file, &folder, &environment, (&mut named, &mut findings));
        let (mut config, mut banyan) = (read(File::Official)?, read(File::Ours)?);
        join_functions(&mut config, &mut banyan);
        variables::overrule((&mut config, &mut banyan), &environment, &named, &mut findings);
        for (file, table) in [(File::Official, &config), (File::Ours, &banyan)] {
            variables::tell_unset(file, table, &[], &mut findings);
        }
        let (config, banyan) = (parse(File::Official, config)?, parse(File::Ours, banyan)?);
        Ok(Self { project, environment, config, banyan, findings })
    }
}

/// Puts `[functions.<name>]` of banyan.toml over that of config.toml, key by key.
fn join_functions(config: &mut Table, banyan: &mut Table) {
    let Some(Value::Table(ours)) = banyan.remove("functions") else { return };
    let Value::Table(joined) = config.entry("functions").or_insert_with(|| Value::Table(Table::new())) else {
        return;
    };
    for (name, said) in ours {
        match (joined.get_mut(&name), said) {
            (Some(Value::Table(function)), Value::Table(said)) => function.extend(said),
            (_, said) => drop(joined.insert(name, said)),
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(file: File, table: Table) -> Result<T, ConfigError> {
    let read = Value::Table(table).try_into();
    read.map_err(|error: toml::de::Error| ConfigError::Syntax {
        path: file.name().into(),
        message: error.message().to_owned(),
    })
}

fn check(
    raw: RawConfig,
    banyan: RawBanyan,
    (project_id, paths): (String, Paths),
    environment: &Environment,
    port_offset: u16,
) -> Result<Config, ConfigError> {
    let folder = paths.supabase();
    let server = Server::check(banyan.server, &folder, port_offset);
    let host = server.as_ref().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |server| server.host);
    let api = Api::check(raw.api, &banyan.api, host, port_offset);
    let reachability = reachability(api.as_ref().ok(), server.as_ref().ok(), &raw.auth);
    let may_be_known = server.as_ref().is_ok_and(|server| server.demo_keys);
    let others = reachability.others().filter(|_| !may_be_known);
    let keys = Keys::check(&raw.auth, banyan.auth.legacy_keys, &folder, others.as_deref());
    let api_url = api.as_ref().map_or(DEFAULT_API_URL, |api| api.external_url.as_str());
    let auth = Auth::check((raw.auth, banyan.auth), environment, api_url, &paths.project, &reachability);
    let database = Database::check(raw.db, environment, port_offset);
    let local_smtp = LocalSmtp::check(raw.local_smtp, port_offset);
    let around = Around {
        supabase: &folder,
        state: &paths.state,
        keys: keys.as_ref().ok(),
        others: others.as_deref(),
    };
    let storage = Storage::check(raw.storage, banyan.storage, &around);
    let realtime = Realtime::check(&raw.realtime, banyan.realtime);
    let edge_runtime = EdgeRuntime::check(raw.edge_runtime, &banyan.edge_runtime, &folder);
    let functions = functions(raw.functions, &folder);
    together!(api, server, keys, auth, database, local_smtp, storage, realtime, edge_runtime, functions);
    Ok(Config {
        project_id,
        paths,
        api,
        server,
        database,
        auth,
        keys,
        local_smtp,
        storage,
        realtime,
        edge_runtime,
        functions,
    })
}

/// Replaces an address that could not be read, so that all else is checked as well.
const DEFAULT_API_URL: &str = "http://127.0.0.1:54321";

/// Returns who can reach the stack, from the settings that could be read.
fn reachability(api: Option<&Api>, server: Option<&Server>, auth: &RawAuth) -> Reachability {
    let api_url = api.map_or(DEFAULT_API_URL, |api| api.external_url.as_str());
    let host = server.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |server| server.host);
    let auth_url = auth.external_url.as_deref().unwrap_or(api_url);
    Reachability::new(host, &[api_url, auth_url, &auth.site_url])
}

fn functions(
    raw: BTreeMap<String, RawFunction>,
    folder: &Path,
) -> Result<BTreeMap<String, Function>, ConfigError> {
    every(raw.into_iter().map(|(name, raw)| {
        let function = Function::check(&name, raw, folder)?;
        Ok((name, function))
    }))
}

/// `project_id`, or the folder's name, as the supabase CLI sanitises it (CONTRACT.md CFG-PROJECT).
fn project_id(raw: &str, project: &Path) -> String {
    let name = match raw {
        "" => project.file_name().and_then(|name| name.to_str()).unwrap_or("project"),
        name => name,
    };
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect();
    clean.trim_start_matches(['_', '.', '-']).chars().take(40).collect()
}

/// Folders and files of a project.
struct DataFolders {
    paths: Paths,
    /// Other folders where a stack of it may be.
    others: Vec<PathBuf>,
    /// Folders of its data that have another place than the one where they were made.
    moved: Vec<PathBuf>,
    /// If the project has no data: folders of projects that are gone and may have been this one,
    /// each with that project's folder.
    lost: Vec<(PathBuf, PathBuf)>,
}

fn places(project: PathBuf, project_id: &str, environment: &Environment) -> DataFolders {
    let root = rustix::process::geteuid().is_root();
    let States { mut all, moved, lost } = match environment.get("BANYAN_HOME") {
        Some(home) => States::only(home.into()),
        None if root => states_of(Path::new("/var/lib/banyan"), project_id, &project),
        None => States::only(project.join("supabase/.banyan")),
    };
    let state = all.remove(0);
    let cache =
        match (environment.get("BANYAN_CACHE"), environment.get("XDG_CACHE_HOME"), environment.get("HOME")) {
            (Some(cache), _, _) => cache.into(),
            _ if root => "/var/lib/banyan/cache".into(),
            (None, Some(cache), _) => Path::new(cache).join("banyan"),
            (None, None, Some(home)) => Path::new(home).join(".cache/banyan"),
            (None, None, None) => state.join("cache"),
        };
    DataFolders { paths: Paths { project, state, cache }, others: all, moved, lost }
}

/// Folders of data.
struct States {
    /// Folders that the project's stack may be in. The first one is used.
    all: Vec<PathBuf>,
    /// Folders of the project from before it was moved or copied.
    moved: Vec<PathBuf>,
    /// Folders of projects that are gone, each with that project's folder, if this project has
    /// none.
    lost: Vec<(PathBuf, PathBuf)>,
}

impl States {
    fn only(state: PathBuf) -> Self {
        Self { all: vec![state], moved: Vec::new(), lost: Vec::new() }
    }
}

/// Returns the folders below `root` that a project's stack may be in. The stack uses the folder of
/// its id, or else the folder of another id that was used last. The project's path identifies it,
/// so that data do not seem lost when a name or a variable changes. A folder that names another
/// place or another project is left out: a user who puts data aside wants new data.
fn states_of(root: &Path, project_id: &str, project: &Path) -> States {
    let end = format!("-{:08x}", fingerprint(project));
    let own = root.join(format!("{project_id}{end}"));
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut others: Vec<_> = entries
        .filter(|entry| entry.file_name().as_encoded_bytes().ends_with(end.as_bytes()) && entry.path() != own)
        // A link or a file of that name was put there by somebody else.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
    let others = others.into_iter().map(|(_, path)| path);
    let (mut all, moved): (Vec<_>, Vec<_>) = others.partition(|state| paths::may_be_of(state, project));
    let has_data = all.iter().chain([&own]).any(|state| paths::has_data(state));
    let lost = if has_data { Vec::new() } else { lost(root, project_id, project) };
    if own.is_dir() || all.is_empty() {
        all.insert(0, own);
    }
    States { all, moved, lost }
}

/// Data below `root` of projects that are gone, and that have the id of this one or lay beside it:
/// a folder that is renamed takes its project to another path, and with it to other data.
fn lost(root: &Path, project_id: &str, project: &Path) -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut lost: Vec<_> = folders
        .filter_map(|entry| Some((entry.path(), paths::made_for(&entry.path())?)))
        .filter(|(state, of)| {
            let id = state.file_name().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once('-'));
            let is_alike = id.is_some_and(|(id, _)| id == project_id) || of.parent() == project.parent();
            is_alike && !of.join("supabase/config.toml").is_file()
        })
        .collect();
    lost.sort_unstable();
    lost
}

/// FNV-1a of the folder's path. It only distinguishes two checkouts of one project.
fn fingerprint(path: &Path) -> u32 {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests;
