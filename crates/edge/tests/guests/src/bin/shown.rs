//! What the README of the SDK shows, word for word, and a door for each of it. The last path
//! segment chooses.

use banyan_sdk::futures_util::future::Either;
use banyan_sdk::guest::Answer;

use banyan_sdk::futures_util::{StreamExt as _, stream};
use banyan_sdk::guest::Call;
use banyan_sdk::http::{Request, Response};
use banyan_sdk::transport::{Transport, read_all, within};
use banyan_sdk::wstd::http::{Body, Error};
use banyan_sdk::wstd::{runtime, task, time::Duration};
use banyan_sdk::{env::Env, error::FunctionRefusal, handler, handler::IncomingRequest, log};
use serde_json::{Value, json};

banyan_sdk::http_function!(shown);

async fn shown(call: Call) -> Result<impl Answer, Error> {
    Ok(match call.path().rsplit('/').next().unwrap_or_default() {
        "any?x=1" => Either::Left(any_method(call).await?),
        "streamed" => Either::Left(streamed(call).await?),
        "events" => Either::Left(events(call).await?),
        "answered-first" => Either::Right(answered_first(call).await?),
        _ => Either::Right(banyan_sdk::guest::call(call, handler::BODY_LIMIT, rates).await?),
    })
}

async fn any_method(call: Call) -> Result<Response<Body>, Error> {
    let mut request = call.into_request()?;
    let sent = request.body_mut().contents().await?.len();
    let told = json!({ "method": request.method().as_str(), "query": request.uri().query(), "bytes": sent });
    Ok(handler::answer(Ok::<_, FunctionRefusal>(told), "").map(Body::from))
}

async fn streamed(_call: Call) -> Result<Response<Body>, Error> {
    let lines = stream::iter(1..=3).map(|n| format!("line {n}\n"));
    Ok(Response::new(Body::from_stream(lines)))
}

async fn events(_call: Call) -> Result<Response<Body>, Error> {
    let ticks = stream::unfold(1, |n| async move {
        task::sleep(Duration::from_millis(300)).await;
        (n <= 3).then(|| (format!("data: {n}\n\n"), n + 1))
    });
    Ok(handler::event_stream().map(|()| Body::from_stream(ticks)))
}

async fn answered_first(_call: Call) -> Result<Response<Vec<u8>>, Error> {
    let work = async {
        task::sleep(Duration::from_secs(1)).await;
        log::info("the work after the answer is done", &Value::Null);
    };
    runtime::spawn(work).detach();
    Ok(Response::builder().status(202).body(b"taken on".to_vec())?)
}

pub async fn rates(
    _: &IncomingRequest,
    outside: &impl Transport,
    env: &Env,
) -> Result<Value, FunctionRefusal> {
    let address = env.get("RATES_URL").unwrap_or("https://api.example.com/rates");
    let request = Request::get(address).body(Vec::new()).map_err(|_| FunctionRefusal::Busy)?;
    let sent = within(outside, std::time::Duration::from_secs(5), outside.send(request));
    let mut answer = sent.await.and_then(|sent| sent).map_err(|_| FunctionRefusal::Busy)?;
    let rates = read_all(answer.body_mut(), 64 * 1024).await.map_err(|_| FunctionRefusal::Busy)?;
    Ok(json!({ "status": answer.status().as_u16(), "rates": String::from_utf8_lossy(&rates) }))
}

fn main() {}
