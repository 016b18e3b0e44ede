//! A server of NATS for tests: the program of Debian's package, which `scripts/test` installs.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A running server. It ends with this.
pub(crate) struct Nats {
    process: Child,
    address: SocketAddr,
}

impl Nats {
    /// Starts a server. None, said in the output, where the program is not there.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        match serve(address) {
            Ok(process) => Some(Self { process, address }),
            Err(error) => {
                println!("left out: {test}: nats-server cannot be run: {error}");
                None
            }
        }
    }

    /// Its address, as a node is told it.
    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Ends the server as a crash does.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts it again at its address.
    pub(crate) fn restart(&mut self) {
        self.process = serve(self.address).unwrap();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

fn serve(address: SocketAddr) -> std::io::Result<Child> {
    let (host, port) = (address.ip().to_string(), address.port().to_string());
    let start = |program: &str| {
        let mut command = Command::new(program);
        command.args(["--addr", &host, "--port", &port]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    // Debian has it among the programs of the system.
    let process = start("nats-server").or_else(|_| start("/usr/sbin/nats-server"))?;
    while TcpStream::connect(address).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(process)
}
