//! What was found takes its place, under the policy that belongs to it, and is told of.

use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::{Duration, Instant},
};

use banyan_config::Function;
use tokio::sync::Semaphore;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::{
    Registry,
    entry::{Entry, Found, Prepared},
};
use crate::{
    HostError,
    book::{Event, Facts, Level, Line},
    error::LoadError,
    host::Host,
    logs::LineBudget,
    origin::Stamp,
    settings::Settings,
};

impl Registry {
    pub(super) fn ready(&self, name: &str, pre: ProxyPre<Host>, digest: Arc<str>, started: Instant) -> Found {
        self.note_ready(name, started.elapsed());
        Found { code: Ok(pre), digest: Some(digest), next: None }
    }

    /// After a failure the version that runs goes on.
    pub(super) fn failed(
        &self,
        name: &str,
        error: &LoadError,
        digest: Option<Arc<str>>,
        old: Option<Entry>,
    ) -> Found {
        let answer = error.answer();
        let kept = old.filter(|_| answer != HostError::NoCode).and_then(Entry::code_that_goes_on);
        self.note_failure(name, error, kept.is_some());
        let (code, digest) = kept.map_or((Err(answer), digest), |(pre, digest)| (Ok(pre), digest));
        Found { code, digest, next: None }
    }

    /// Publishes what was found. Code that goes on, because what should take its place cannot be loaded or is not compiled
    /// yet, does so under its own policy.
    pub(super) fn settle(&self, name: &str, stamp: Stamp, found: Found, settings: &Settings) {
        let Found { code, digest, next } = found;
        let deployed = stamp.deployed.clone();
        let known = deployed.as_ref().zip(digest.as_deref());
        let version = known.and_then(|(known, digest)| known.of_digest(digest));
        let policy = settings.policy(name, version.and_then(|version| version.verify_jwt));
        let number = version.map_or(0, |version| version.version);
        let old = self.find(name).and_then(|old| old.code.ok());
        let version = (number, old.as_deref());
        let code = code.map(|pre| Arc::new(self.assemble(name, version, &policy, pre, settings)));
        let since = self.clock.now();
        self.publish(name, Some(Entry { stamp, policy, code, deployed, digest, next, since }));
    }

    /// What bounds a function holds for it and not for a version: those that run still have their part in it.
    fn assemble(
        &self,
        name: &str,
        (version, old): (u32, Option<&Prepared>),
        policy: &Arc<Function>,
        pre: ProxyPre<Host>,
        settings: &Settings,
    ) -> Prepared {
        let permits = old.filter(|old| old.policy.concurrency == policy.concurrency);
        Prepared {
            name: name.into(),
            environment: settings.variables(name, version, policy).into(),
            keys: settings.environment.keys(),
            permits: permits.map_or_else(
                || Arc::new(Semaphore::new(policy.concurrency as usize)),
                |old| Arc::clone(&old.permits),
            ),
            waiting: AtomicUsize::new(0),
            memory: old.map_or_else(|| self.memory.portion(), |old| old.memory.of_next_version()),
            habit: old.map(|old| Arc::clone(&old.habit)).unwrap_or_default(),
            log_budget: old.map_or_else(LineBudget::new, |old| Arc::clone(&old.log_budget)),
            policy: Arc::clone(policy),
            pre,
        }
    }

    fn note_ready(&self, name: &str, took: Duration) {
        let boot_time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(function = name, duration_ms = boot_time_ms, "the function is ready");
        let facts = Facts { boot_time_ms: Some(boot_time_ms), ..Facts::default() };
        let message = format!("ready after {boot_time_ms} ms");
        self.note(name, (Level::Info, Event::Boot), message, facts);
    }

    pub(super) fn note_failure(&self, name: &str, error: &LoadError, kept: bool) {
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(function = name, error = %error, source, running_version_kept = kept, "the function cannot be loaded");
        self.note(name, (Level::Error, Event::BootFailure), error.to_string(), Facts::default());
    }

    /// Keeps a line that belongs to no request.
    fn note(&self, name: &str, (level, event): (Level, Event), message: String, facts: Facts) {
        self.book.add(Line {
            id: 0,
            timestamp: self.clock.now(),
            function: name.into(),
            level,
            event,
            message,
            request_id: None,
            execution_id: None,
            facts,
        });
    }
}
