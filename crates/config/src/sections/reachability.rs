//! Whether others than this machine can reach the stack.

use std::net::IpAddr;

/// The ways to reach the stack: its listener, and the address of a public server in front of it.
/// The listener alone does not decide. Redirect targets do not count, since one list often serves
/// this machine and a hosted project.
#[derive(Debug)]
pub(crate) struct Reachability {
    pub(crate) host: IpAddr,
    /// The first address of the stack that is of another machine.
    public: Option<String>,
}

impl Reachability {
    /// Texts that are no web address do not count: the scheme of a mobile application, or an
    /// unresolved `env(NAME)`.
    pub(crate) fn new(host: IpAddr, addresses: &[&str]) -> Self {
        let is_web = |address: &str| ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
        let mut said = addresses.iter().filter(|address| is_web(address));
        let public = said.find(|address| !crate::is_of_this_machine(address));
        Self { host, public: public.map(ToString::to_string) }
    }

    /// Returns the address by which others reach the stack; none if nobody does.
    pub(crate) fn others(&self) -> Option<String> {
        if self.host.is_loopback() { self.public.clone() } else { Some(format!("server.host {}", self.host)) }
    }

    /// The address by which others come to a listener that is for this machine alone: something
    /// stands before it.
    pub(crate) fn proxied(&self) -> Option<&str> {
        self.public.as_deref().filter(|_| self.host.is_loopback())
    }
}
