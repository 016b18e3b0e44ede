use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{SinkExt, StreamExt};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_websockets::{Message, ServerBuilder};

use crate::Failure;

type Everybody = Arc<Mutex<Vec<mpsc::UnboundedSender<Message>>>>;

/// Sends what a socket sends to all of them. Prints its address.
pub(crate) async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let everybody = Everybody::default();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(socket(stream, Arc::clone(&everybody)));
    }
}

async fn socket(stream: TcpStream, everybody: Everybody) {
    let Ok((_, socket)) = ServerBuilder::new().accept(stream).await else { return };
    let (mut sink, mut messages) = socket.split();
    let (sender, mut waiting) = mpsc::unbounded_channel();
    everybody.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
    tokio::spawn(async move {
        while let Some(message) = waiting.recv().await {
            if sink.feed(message).await.is_err() || (waiting.is_empty() && sink.flush().await.is_err()) {
                return;
            }
        }
    });
    while let Some(Ok(message)) = messages.next().await {
        for sender in &*everybody.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = sender.send(message.clone());
        }
    }
}
