//! The WebAssembly side of the tools, on the SDK's.

use banyan_sdk::wstd::http::{Body, Error};
use banyan_sdk::wstd::runtime;
use futures_util::{StreamExt as _, future::Either, stream};
use http::Response;
use serde_json::Value;

pub use banyan_sdk::guest::{Answer, Call, Host, HostBody, call, run};

use crate::door::{self, BODY_LIMIT, Incoming};
use crate::env::Env;
use crate::error::{FunctionError, Refusal};
use crate::progress::{Progress, Told};
use crate::rest::RestClient;
use crate::service::{self, Settings, Tool};

/// Answers a call of a tool: the wallet, the settings and the model are those of the environment.
///
/// # Errors
/// What the host reports when the request's body breaks off.
pub async fn serve<T: Tool + 'static>(call: Call) -> Result<impl Answer, Error> {
    let incoming = call.receive(BODY_LIMIT).await?;
    if incoming.wants_events() {
        return Ok(told::<T>(incoming).await);
    }
    let handler = async |incoming: &Incoming| generate::<T>(incoming, &Progress::default()).await;
    Ok(Either::Left(door::serve(incoming, handler).await))
}

async fn generate<T: Tool>(incoming: &Incoming, progress: &Progress) -> Result<Value, FunctionError> {
    let (host, env, now) = (Host::new(), Env::read(), Host::unix_time());
    let wallet = RestClient::from_env(&host, &env)?;
    service::generate_telling::<T>(incoming, &host, &wallet, &Settings::from_env(&env), now, progress).await
}

/// Answers event by event. The work is a task of its own, so it ends whether or not somebody listens to the end; what is
/// refused before there is anything to tell is refused with its status, as without events.
async fn told<T: Tool + 'static>(incoming: Incoming) -> Either<Response<Vec<u8>>, Response<Body>> {
    let request_id = incoming.request_id().to_owned();
    let (progress, mut told) = Progress::told();
    let work = async move {
        let result = generate::<T>(&incoming, &progress).await;
        progress.end(result);
    };
    runtime::spawn(work).detach();
    let first = match told.next().await {
        Some(Told::End(Err(error))) => return Either::Left(door::whole(Err(error), &request_id)),
        Some(first) => first,
        None => return Either::Left(door::whole(Err(FunctionError::from(Refusal::Busy)), &request_id)),
    };
    let events = stream::iter([first]).chain(told).map(move |told| told.event(&request_id));
    Either::Right(door::events().map(|()| Body::from_stream(events)))
}
