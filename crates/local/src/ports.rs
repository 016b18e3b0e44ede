//! Finds the process that holds a TCP port of this machine, in `/proc` (CONTRACT.md LOC-PORTS).

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
};

use crate::{Holder, LocalError};

/// Checks that `port` can be listened on at `host`; 0 always can. `what` names the setting in the
/// message.
///
/// # Errors
/// [`LocalError::PortTaken`] naming the holder, or [`LocalError::Listen`].
pub fn check_free(what: &'static str, host: IpAddr, port: u16) -> Result<(), LocalError> {
    match TcpListener::bind(SocketAddr::new(host, port)) {
        Ok(_) => Ok(()),
        Err(source) => Err(listen_error(what, port, source)),
    }
}

/// Turns a failed `bind` into an error that names the holder of the port.
#[must_use]
pub fn listen_error(what: &'static str, port: u16, source: std::io::Error) -> LocalError {
    if source.kind() == std::io::ErrorKind::AddrInUse {
        LocalError::PortTaken { what, port, holder: holder(port) }
    } else {
        LocalError::Listen { what, port, source }
    }
}

/// A TCP port of loopback that nobody listens on at this moment.
pub(crate) fn choose_free() -> Result<u16, LocalError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|source| LocalError::Listen { what: "db.port", port: 0, source })
}

/// The process that listens on TCP `port`.
#[must_use]
pub fn holder(port: u16) -> Holder {
    let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| listening_inodes(&table, port))
        .collect();
    owner_of(&inodes).unwrap_or(Holder::Unknown)
}

/// Inodes of the listening sockets (state 0A) on `port` in a table such as `/proc/net/tcp`.
fn listening_inodes(table: &str, port: u16) -> Vec<String> {
    let suffix = format!(":{port:04X}");
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let listens = fields.get(1)?.ends_with(&suffix) && *fields.get(3)? == "0A";
            listens.then(|| format!("socket:[{}]", fields[9]))
        })
        .collect()
}

fn owner_of(inodes: &[String]) -> Option<Holder> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .find(|pid| has_open(*pid, inodes))
        .map(|pid| Holder::Process { pid, command: command_of(pid) })
}

fn has_open(pid: u32, inodes: &[String]) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files
        .flatten()
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .any(|link| inodes.iter().any(|inode| link == Path::new(inode)))
}

fn command_of(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = line
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .take(3)
        .map(String::from_utf8_lossy)
        .collect();
    words.join(" ").chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOC-PORTS
    #[test]
    fn the_holder_of_a_port_is_named() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let Err(LocalError::PortTaken { holder: Holder::Process { pid, .. }, .. }) =
            check_free("api.port", Ipv4Addr::LOCALHOST.into(), port)
        else {
            panic!("the port is taken by this process")
        };
        assert_eq!(pid, std::process::id());
        drop(listener);
        check_free("api.port", Ipv4Addr::LOCALHOST.into(), port).expect("free again");
    }

    #[test]
    fn only_listening_sockets_of_that_port_count() {
        let table = "  sl  local_address rem_address   st\n\
            0: 0100007F:D431 00000000:0000 0A 0:0 0:0 0 0 0 111 1\n\
            1: 0100007F:D431 0100007F:1111 01 0:0 0:0 0 0 0 222 1\n\
            2: 0100007F:D432 00000000:0000 0A 0:0 0:0 0 0 0 333 1\n";
        assert_eq!(listening_inodes(table, 0xD431), ["socket:[111]"]);
    }
}
