//! The WebAssembly side of the tools, on the SDK's.

use banyan_sdk::wstd::http::{Body, Error};
use banyan_sdk::wstd::runtime;
use futures_util::{StreamExt as _, future::Either, stream};
use http::Response;
use serde_json::Value;

pub use banyan_sdk::guest::{Answer, Call, Host, HostBody, call, run};

use crate::env::Env;
use crate::error::{FunctionError, FunctionRefusal};
use crate::handler::{self, BODY_LIMIT, IncomingRequest};
use crate::paid_call::{self, Settings, Tool};
use crate::progress::{Progress, ProgressEvent};
use crate::rest::RestClient;

/// Answers a call of a tool: the wallet, the settings and the model are those of the environment.
///
/// # Errors
/// The host's error if the request's body breaks off.
pub async fn serve<T: Tool + 'static>(call: Call) -> Result<impl Answer, Error> {
    let incoming = call.receive(BODY_LIMIT).await?;
    if incoming.wants_events() {
        return Ok(event_stream::<T>(incoming).await);
    }
    let handler = async |incoming: &IncomingRequest| generate::<T>(incoming, &Progress::default()).await;
    Ok(Either::Left(handler::serve(incoming, handler).await))
}

async fn generate<T: Tool>(incoming: &IncomingRequest, progress: &Progress) -> Result<Value, FunctionError> {
    let (host, env, now) = (Host::new(), Env::read(), Host::unix_time());
    let wallet = RestClient::from_env(&host, &env)?;
    paid_call::generate_with_progress::<T>(incoming, &host, &wallet, &Settings::from_env(&env), now, progress)
        .await
}

/// Answers as a stream of events. The work is a task of its own, so it continues if the client
/// leaves. A refusal before the first event is sent with its status, as without events.
async fn event_stream<T: Tool + 'static>(
    incoming: IncomingRequest,
) -> Either<Response<Vec<u8>>, Response<Body>> {
    let request_id = incoming.request_id().to_owned();
    let (progress, mut steps) = Progress::observed();
    let work = async move {
        let result = generate::<T>(&incoming, &progress).await;
        progress.end(result);
    };
    runtime::spawn(work).detach();
    let first = match steps.next().await {
        Some(ProgressEvent::End(Err(error))) => {
            return Either::Left(handler::answer(Err(error), &request_id));
        }
        Some(first) => first,
        None => {
            return Either::Left(handler::answer(
                Err(FunctionError::from(FunctionRefusal::Busy)),
                &request_id,
            ));
        }
    };
    let events = stream::iter([first]).chain(steps).map(move |step| step.to_sse(&request_id));
    Either::Right(handler::event_stream().map(|()| Body::from_stream(events)))
}
