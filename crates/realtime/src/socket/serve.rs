use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
};

use tokio::{
    io::AsyncRead,
    time::{Instant, Sleep, sleep, sleep_until},
};

use super::messages::{Messages, Received};
use crate::{
    channel::{CHECK_TOKENS_EVERY, Channel, ChannelMessage, Join},
    context::SocketContext,
    error::ChannelError,
    metrics::Count,
    model::PREFIX,
    outbox::{ChannelId, End, Order, Outbox},
    patience::Patience,
    protocol::{self, Inbound, MessagePayload, Refs, Version, parse_binary, parse_text},
};

/// A normal end.
const NORMAL: u16 = 1000;
/// The client shall connect again.
const GOING_AWAY: u16 = 1001;
/// The server restarts.
const SERVICE_RESTART: u16 = 1012;

/// An open socket, and its channels.
pub(crate) struct Socket {
    context: SocketContext,
    channels: Vec<Channel>,
    last_id: u32,
    heard_at: Instant,
    has_channels_since: Instant,
    /// The next token has to be checked then.
    check_tokens_at: Instant,
}

/// What happens next.
enum Event {
    Received(Received),
    Order(Order),
    Time,
    Closed,
}

impl Socket {
    /// A socket that was just opened.
    pub(crate) fn new(context: SocketContext) -> Self {
        let now = Instant::now();
        Self {
            context,
            channels: Vec::new(),
            last_id: 0,
            heard_at: now,
            has_channels_since: now,
            check_tokens_at: now + CHECK_TOKENS_EVERY,
        }
    }

    /// How long its client is waited for.
    pub(super) fn patience(&self) -> Patience {
        self.context.patience
    }

    /// What counts the bytes that are written.
    pub(super) fn written_bytes(&self) -> Count {
        self.context.service.metrics.channel_output_bytes.clone()
    }

    /// What waits for it.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.context.outbox
    }

    /// Has the channels answer what comes, until nothing more comes.
    pub(super) async fn serve<R: AsyncRead + Unpin>(mut self, messages: &mut Messages<R>) {
        let mut timer = pin!(sleep_until(self.deadline()));
        loop {
            match poll_fn(|cx| self.poll_event(cx, messages, timer.as_mut())).await {
                Event::Received(Received::Wrong(code)) => {
                    return self.context.outbox.end(End::Closing(code));
                }
                Event::Received(received) => self.receive(received).await,
                Event::Order(order) => self.obey(order),
                Event::Time => self.look_at_the_time(),
                Event::Closed => return,
            }
            // Most frames only put the deadline off, which is seen when the timer has run out.
            let deadline = self.deadline();
            if timer.is_elapsed() || deadline < timer.deadline() {
                timer.as_mut().reset(deadline);
            }
        }
    }

    fn poll_event<R: AsyncRead + Unpin>(
        &self,
        cx: &mut Context<'_>,
        messages: &mut Messages<R>,
        timer: Pin<&mut Sleep>,
    ) -> Poll<Event> {
        if let Poll::Ready(order) = self.context.outbox.poll_order(cx) {
            return Poll::Ready(Event::Order(order));
        }
        if let Poll::Ready(received) = messages.poll_next(cx) {
            return Poll::Ready(received.map_or(Event::Closed, Event::Received));
        }
        timer.poll(cx).map(|()| Event::Time)
    }

    async fn receive(&mut self, received: Received) {
        self.heard_at = Instant::now();
        if let Received::Text(frame) | Received::Binary(frame) = &received {
            self.context.service.metrics.channel_input_bytes.add(frame.len());
        }
        let parsed = match &received {
            Received::Text(frame) => parse_text(self.context.version, frame),
            Received::Binary(frame) if self.context.version == Version::V2 => parse_binary(frame),
            Received::Binary(_) => Err(protocol::Malformed::Type),
            Received::Control | Received::Wrong(_) => return,
        };
        match parsed {
            Ok(message) => self.handle(message).await,
            Err(error) => tracing::info!(%error, "realtime: MalformedWebSocketMessage"),
        }
    }

    async fn handle(&mut self, message: Inbound<'_>) {
        let place = self.channels.iter().position(|channel| {
            message.topic.strip_prefix(PREFIX).is_some_and(|name| name == channel.topic_name())
        });
        match (&*message.topic, &*message.event, place) {
            ("phoenix", "heartbeat", _) => self.reply(&message, true, "{}"),
            (_, "phx_join", place) => {
                if let Some(place) = place {
                    self.remove(place).close();
                }
                Box::pin(self.join(&message)).await;
            }
            (_, "phx_leave", place) => self.leave(&message, place),
            (_, _, Some(place)) => self.pass_on(place, message).await,
            (_, _, None) => self.reply(&message, false, r#"{"reason":"unmatched topic"}"#),
        }
    }

    async fn join(&mut self, message: &Inbound<'_>) {
        let Some(topic) = message.topic.strip_prefix(PREFIX) else {
            return self.reply(message, false, r#"{"reason":"unmatched topic"}"#);
        };
        self.last_id = self.last_id.wrapping_add(1);
        let join = Join {
            topic,
            join_ref: if message.join_ref == "null" { &message.reference } else { &message.join_ref },
            reference: &message.reference,
            payload: match &message.payload {
                MessagePayload::Json(payload) => payload,
                _ => b"{}",
            },
            id: ChannelId(self.last_id),
            channels: self.channels.len(),
        };
        match join.run(&self.context).await {
            Ok(channel) => {
                self.context.service.metrics.channel_joins.add(1);
                self.channels.push(channel);
            }
            Err(error) => self.refuse(message, &error).await,
        }
        self.check_tokens_at = self.next_check();
    }

    /// CONTRACT.md C8, C14, L5
    async fn refuse(&self, message: &Inbound<'_>, error: &ChannelError) {
        self.count(error);
        let reason = error.reason();
        tracing::info!(topic = &*message.topic, reason, "realtime: a join is refused");
        sleep(self.context.service.limits.settings.refusal_delay).await;
        self.reply(message, false, &serde_json::json!({ "reason": reason }).to_string());
        if *error == ChannelError::TooManyJoins {
            self.context.outbox.end(End::Closing(GOING_AWAY));
        }
    }

    fn count(&self, error: &ChannelError) {
        self.context.service.metrics.error(error.code().unwrap_or("UnknownErrorOnChannel"));
    }

    /// CONTRACT.md C16, L8
    fn leave(&mut self, message: &Inbound<'_>, place: Option<usize>) {
        self.reply(message, true, "{}");
        if let Some(place) = place {
            self.remove(place).close();
        }
    }

    async fn pass_on(&mut self, place: usize, message: Inbound<'_>) {
        let Inbound { reference, event, payload, .. } = message;
        let message = ChannelMessage { reference: &reference, event: &event, payload };
        if let Err(error) = self.channels[place].handle(&self.context, message).await {
            self.count(&error);
            self.remove(place).end(error.text());
        }
        if event == "access_token" {
            self.check_tokens_at = self.next_check();
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::EndChannel(id, message) => {
                if let Some(place) = self.channels.iter().position(|channel| channel.id() == id) {
                    self.remove(place).end(message);
                }
            }
            Order::Disconnect => {
                for channel in &self.channels {
                    channel.sender().system("system", true, "Server requested disconnect");
                }
                self.context.outbox.end(End::Closing(SERVICE_RESTART));
            }
        }
    }

    fn look_at_the_time(&mut self) {
        let (now, clock) = (Instant::now(), self.context.service.clock.now());
        while let Some((place, error)) = self
            .channels
            .iter()
            .enumerate()
            .find_map(|(place, channel)| Some((place, channel.check_token(clock).err()?)))
        {
            self.remove(place).end(error.text());
        }
        self.check_tokens_at = self.next_check();
        let is_idle = now >= self.heard_at + self.context.patience.silence;
        let is_without_channel = self.channels.is_empty()
            && now >= self.has_channels_since + self.context.patience.without_channel;
        if is_idle || is_without_channel {
            self.context.outbox.end(End::Closing(NORMAL));
        }
    }

    fn remove(&mut self, place: usize) -> Channel {
        self.has_channels_since = Instant::now();
        self.channels.swap_remove(place)
    }

    /// When the time has to be looked at again.
    fn deadline(&self) -> Instant {
        let first = (self.heard_at + self.context.patience.silence).min(self.check_tokens_at);
        if self.channels.is_empty() {
            first.min(self.has_channels_since + self.context.patience.without_channel)
        } else {
            first
        }
    }

    fn next_check(&self) -> Instant {
        let clock = self.context.service.clock.now();
        let first = self.channels.iter().map(|channel| channel.token_holds_for(clock)).min();
        Instant::now() + first.unwrap_or(CHECK_TOKENS_EVERY)
    }

    fn reply(&self, message: &Inbound<'_>, is_ok: bool, response: &str) {
        let status = if is_ok { "ok" } else { "error" };
        let payload = format!("{{\"status\":\"{status}\",\"response\":{response}}}");
        let refs = Refs { join_ref: &message.join_ref, reference: &message.reference };
        let version = self.context.version;
        let frame = protocol::message(version, refs, &message.topic, "phx_reply", payload.as_bytes());
        self.context.outbox.push(frame);
    }
}
