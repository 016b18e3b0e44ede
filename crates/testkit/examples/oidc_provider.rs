//! An OpenID Connect provider that asks in the browser who to be. It stops when its standard input
//! ends.
//!
//! Usage: `oidc_provider [PORT]`; with it, `[auth.external.google] url = "<what it prints>"`.

use banyan_identity::Clock;
use banyan_testkit::oidc::{CLIENT_ID, CLIENT_SECRET, OidcProvider};
use tokio::io::AsyncReadExt;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it tells whoever started it where it listens")]
async fn main() -> anyhow::Result<()> {
    let port = std::env::args().nth(1).map(|port| port.parse()).transpose()?.unwrap_or_default();
    let provider = OidcProvider::start(port, Clock::system().now().unix_timestamp()).await;
    println!(
        "[auth.external.google]\nenabled = true\nclient_id = \"{CLIENT_ID}\"\nsecret = \"{CLIENT_SECRET}\""
    );
    println!("url = \"{}\"", provider.issuer());
    let mut ticks = tokio::time::interval(std::time::Duration::from_secs(1));
    let (mut input, mut byte) = (tokio::io::stdin(), [0]);
    loop {
        tokio::select! {
            _ = ticks.tick() => provider.set_time(Clock::system().now().unix_timestamp()),
            read = input.read(&mut byte) => if read? == 0 { return Ok(()) },
        }
    }
}
