//! Publishes what was found, under the policy that belongs to it.

use std::{sync::Arc, time::Instant};

use banyan_config::Function;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::{
    Registry,
    entry::{Entry, LoadResult, PreparedFunction},
    function_table::TableChange,
    origin::Stamp,
};
use crate::{
    HostError, capacity::function_capacity::FunctionCapacity, error::LoadError, host::Host,
    logs::LogRateLimits, settings::Settings,
};

impl Registry {
    /// The result for a component that was loaded. Logs it.
    pub(super) fn ready(
        &self,
        name: &str,
        pre: ProxyPre<Host>,
        digest: Arc<str>,
        started: Instant,
    ) -> LoadResult {
        self.log.ready(name, started.elapsed());
        LoadResult { code: Ok(pre), digest: Some(digest), pending: None }
    }

    /// The result for a component that cannot be loaded: the running version goes on. Logs it.
    pub(super) fn failed(
        &self,
        name: &str,
        error: &LoadError,
        digest: Option<Arc<str>>,
        old: Option<Entry>,
    ) -> LoadResult {
        let answer = error.answer();
        let running = old.filter(|_| answer != HostError::NoCode).and_then(Entry::into_running_code);
        self.log.load_failed(name, error, running.is_some());
        let (code, digest) = running.map_or((Err(answer), digest), |(pre, digest)| (Ok(pre), digest));
        LoadResult { code, digest, pending: None }
    }

    /// Publishes what was found. Code that goes on, because its successor cannot be loaded or is
    /// not compiled yet, stays under its own policy.
    pub(super) fn publish(
        &self,
        table: &TableChange<'_>,
        name: &str,
        stamp: Stamp,
        result: LoadResult,
        settings: &Settings,
    ) {
        let LoadResult { code, digest, pending } = result;
        let deployed = stamp.deployed.clone();
        let known = deployed.as_ref().zip(digest.as_deref());
        let version = known.and_then(|(known, digest)| known.by_digest(digest));
        let policy = settings.policy(name, version.and_then(|version| version.verify_jwt));
        let number = version.map_or(0, |version| version.version);
        let old = self.functions.find(name).and_then(|old| old.code.ok());
        let version = (number, old.as_deref());
        let code = code.map(|pre| Arc::new(self.prepare(name, version, &policy, pre, settings)));
        let since = self.log.now();
        self.set_entry(table, name, Some(Entry { stamp, policy, code, deployed, digest, pending, since }));
    }

    /// Prepares a function. Its limits are shared with the version before, because instances of
    /// that version may still run.
    fn prepare(
        &self,
        name: &str,
        (version, old): (u32, Option<&PreparedFunction>),
        policy: &Arc<Function>,
        pre: ProxyPre<Host>,
        settings: &Settings,
    ) -> PreparedFunction {
        PreparedFunction {
            name: name.into(),
            environment: settings.variables(name, version, policy).into(),
            jwks: settings.environment.jwks(),
            capacity: old.map_or_else(
                || FunctionCapacity::new(policy, &self.memory),
                |old| old.capacity.for_next_version(policy),
            ),
            log_rate_limits: old.map_or_else(LogRateLimits::new, |old| Arc::clone(&old.log_rate_limits)),
            policy: Arc::clone(policy),
            pre,
        }
    }

    /// Gives a name another meaning, or none. Compiled code may become unused by that.
    pub(super) fn set_entry(&self, table: &TableChange<'_>, name: &str, entry: Option<Entry>) {
        self.loader.note_change();
        table.set(name, entry);
    }
}
