//! Who can reach the stack: this machine alone, or others as well.

use std::net::IpAddr;

/// Who can reach the stack, by its listener or by a public server before it, whose address it gives out. A listener alone says
/// little; redirect targets say nothing, since one list commonly serves this machine and a hosted project.
#[derive(Debug)]
pub(crate) struct Audience {
    pub(crate) host: IpAddr,
    /// The first address of the stack that is of another machine.
    public: Option<String>,
}

impl Audience {
    /// What is no address of the web says nothing: the scheme of a mobile application, or what stays `env(NAME)`.
    pub(crate) fn new(host: IpAddr, addresses: &[&str]) -> Self {
        let is_web = |address: &str| ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
        let mut said = addresses.iter().filter(|address| is_web(address));
        let public = said.find(|address| !crate::is_of_this_machine(address));
        Self { host, public: public.map(ToString::to_string) }
    }

    /// By what others reach the stack; none where nobody does.
    pub(crate) fn others(&self) -> Option<String> {
        if self.host.is_loopback() { self.public.clone() } else { Some(format!("server.host {}", self.host)) }
    }

    /// The address by which others come to a listener that is for this machine alone: something stands before it.
    pub(crate) fn proxied(&self) -> Option<&str> {
        self.public.as_deref().filter(|_| self.host.is_loopback())
    }
}
