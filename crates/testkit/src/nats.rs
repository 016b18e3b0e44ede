use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A server of NATS: the program of Debian's package, which `scripts/test` installs. Dropped, it
/// ends.
#[derive(Debug)]
pub struct Nats {
    process: Child,
    address: SocketAddr,
}

impl Nats {
    /// Starts a server.
    ///
    /// # Errors
    /// Why the program cannot be run here.
    pub fn start() -> io::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        Ok(Self { process: serve(address)?, address })
    }

    /// Its address, as a node is told it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Ends the server as a crash does.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts it again at its address.
    ///
    /// # Panics
    /// If that cannot be done.
    pub fn restart(&mut self) {
        self.process = serve(self.address).expect("the program is there");
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

fn serve(address: SocketAddr) -> io::Result<Child> {
    let (host, port) = (address.ip().to_string(), address.port().to_string());
    let start = |program: &str| {
        let mut command = Command::new(program);
        command.args(["--addr", &host, "--port", &port]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    // Debian has it among the programs of the system.
    let mut process = start("nats-server").or_else(|_| start("/usr/sbin/nats-server"))?;
    for _ in 0..500 {
        if TcpStream::connect(address).is_ok() {
            return Ok(process);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    process.kill()?;
    Err(io::Error::other("it does not listen"))
}
