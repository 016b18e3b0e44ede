//! Reports how far a document is while it is made. Without a listener nothing is sent. A listener
//! that leaves does not stop the work (app/SPECIFICATION.md D09).

use std::cell::Cell;

use futures_channel::mpsc::{self, UnboundedReceiver, UnboundedSender};
use serde_json::{Value, json};

use crate::error::{Failure, FunctionError};

/// One step of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgressEvent {
    /// The numbers are fixed; so many sections will be written.
    Planned(usize),
    /// So many of all sections are written.
    Section(usize, usize),
    /// All is written, and is being checked and laid out.
    Checking,
    /// The end, with the result that an answer in one piece would have.
    End(Result<Value, FunctionError>),
}

impl ProgressEvent {
    /// Writes the step as an event of a `text/event-stream`: `planned`, `section`, `checking`, then
    /// `result` or `error`. A refusal carries the status that the answer would have had.
    pub fn to_sse(&self, request_id: &str) -> Vec<u8> {
        let (name, data) = match self {
            Self::Planned(sections) => ("planned", json!({ "sections": sections })),
            Self::Section(done, of) => ("section", json!({ "done": done, "of": of })),
            Self::Checking => ("checking", json!({})),
            Self::End(Ok(result)) => ("result", result.clone()),
            Self::End(Err(error)) => {
                let mut body = error.body(request_id);
                body["status"] = json!(error.status().as_u16());
                ("error", body)
            }
        };
        // JSON of serde_json has no line breaks, so each event has one line of data.
        format!("event: {name}\ndata: {data}\n\n").into_bytes()
    }
}

/// Sends the steps of one call to its listener.
#[derive(Debug, Default)]
pub struct Progress {
    listener: Option<UnboundedSender<ProgressEvent>>,
    sections: Cell<usize>,
    done: Cell<usize>,
}

impl Progress {
    /// Returns progress with a listener. A call has at most a few dozen steps, so no send waits.
    pub fn observed() -> (Self, UnboundedReceiver<ProgressEvent>) {
        let (listener, events) = mpsc::unbounded();
        (Self { listener: Some(listener), ..Self::default() }, events)
    }

    /// The numbers are fixed.
    pub fn planned(&self, sections: usize) {
        self.sections.set(sections);
        self.send(ProgressEvent::Planned(sections));
    }

    /// One more section is written.
    pub fn section(&self) {
        self.done.set(self.done.get() + 1);
        self.send(ProgressEvent::Section(self.done.get(), self.sections.get()));
    }

    /// All sections are written. Missing section steps are sent first, because the built-in
    /// generator writes all sections at once.
    pub fn checking(&self) {
        while self.done.get() < self.sections.get() {
            self.section();
        }
        self.send(ProgressEvent::Checking);
    }

    /// The call is over.
    pub fn end(&self, result: Result<Value, FunctionError>) {
        self.send(ProgressEvent::End(result));
    }

    fn send(&self, event: ProgressEvent) {
        if let Some(listener) = &self.listener {
            // A listener that left is no reason to stop.
            let _ = listener.unbounded_send(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_name_and_one_line_of_data_whatever_it_holds() {
        let result = ProgressEvent::End(Ok(json!({ "text": "a\n\nevent: x\ndata: y" })));
        for (event, name) in [
            (ProgressEvent::Planned(3), "planned"),
            (ProgressEvent::Section(1, 3), "section"),
            (result, "result"),
        ] {
            let event = String::from_utf8(event.to_sse("r-1")).unwrap();
            let lines: Vec<&str> = event.split('\n').collect();
            assert_eq!((lines.len(), lines[0]), (4, format!("event: {name}").as_str()), "{event}");
            assert!(lines[1].starts_with("data: {") && lines[2].is_empty() && lines[3].is_empty());
        }
    }

    #[test]
    fn a_refusal_keeps_its_status_and_its_sentence() {
        let event = ProgressEvent::End(Err(FunctionError::GeneratorTimeout)).to_sse("r-1");
        let text = String::from_utf8(event).unwrap();
        let data = text.split_once("data: ").unwrap().1;
        let body: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            (&body["status"], &body["code"], &body["requestId"]),
            (&json!(504), &json!("generator_timeout"), &json!("r-1"))
        );
    }

    #[tokio::test]
    async fn every_section_that_was_planned_is_reported_before_the_check() {
        let (progress, events) = Progress::observed();
        progress.planned(3);
        progress.section();
        progress.checking();
        drop(progress);
        let sections = (1..=3).map(|done| ProgressEvent::Section(done, 3));
        let expected: Vec<ProgressEvent> = [ProgressEvent::Planned(3)]
            .into_iter()
            .chain(sections)
            .chain([ProgressEvent::Checking])
            .collect();
        assert_eq!(futures_util::StreamExt::collect::<Vec<_>>(events).await, expected);
    }

    #[test]
    fn a_listener_that_left_changes_nothing() {
        let (progress, events) = Progress::observed();
        drop(events);
        progress.planned(2);
        progress.section();
        assert_eq!((progress.done.get(), progress.sections.get()), (1, 2));
    }
}
