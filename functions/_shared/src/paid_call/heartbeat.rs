//! The word that work goes on. An instance that is ended by a limit says no last word, so the
//! wallet takes silence for the end and gives the credits back (D10).

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::error::FunctionError;
use crate::transport::Transport;
use crate::wallet::Wallet;

/// Between two words; of `silence_limit` in `private.settings` a third, so that two may be lost.
const PAUSE: Duration = Duration::from_secs(8);

/// Does the work, and extends its lease every few seconds. If the wallet has ended the generation,
/// the work is not finished.
pub(super) async fn with_heartbeat<R>(
    transport: &impl Transport,
    wallet: &impl Wallet,
    generation_id: &str,
    work: impl Future<Output = Result<R, FunctionError>>,
) -> Result<R, FunctionError> {
    let until_ended = async {
        loop {
            transport.sleep(PAUSE).await;
            // A word that is lost is said again the next time.
            if let Ok(false) = wallet.extend_lease(generation_id).await {
                return;
            }
        }
    };
    match select(pin!(work), pin!(until_ended)).await {
        Either::Left((done, _)) => done,
        Either::Right(((), _)) => Err(FunctionError::Cancelled),
    }
}
