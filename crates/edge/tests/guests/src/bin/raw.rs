//! The smallest function on the bindings alone, as anyone may build one to plain `wasi:http`.

use wasip2::http::types::{Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam};

struct Raw;

impl wasip2::exports::http::incoming_handler::Guest for Raw {
    fn handle(_request: IncomingRequest, out: ResponseOutparam) {
        let headers = [("content-type".to_owned(), b"text/plain;charset=UTF-8".to_vec())];
        let headers = Fields::from_list(&headers).expect("headers that may be set");
        let response = OutgoingResponse::new(headers);
        let body = response.body().expect("asked for once");
        ResponseOutparam::set(out, Ok(response));
        let stream = body.write().expect("asked for once");
        stream.blocking_write_and_flush(b"Hello World").expect("the client listens");
        drop(stream);
        OutgoingBody::finish(body, None).expect("all is written");
    }
}

wasip2::http::proxy::export!(Raw);

fn main() {}
