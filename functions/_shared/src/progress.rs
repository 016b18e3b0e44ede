//! How far a document is, told while it is made. Who does not listen costs nothing, and who stops listening changes
//! nothing: the work goes on (app/SPECIFICATION.md D09).

use std::cell::Cell;

use futures_channel::mpsc::{self, UnboundedReceiver, UnboundedSender};
use serde_json::{Value, json};

use crate::error::{Failure, FunctionError};

/// What is heard of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// The numbers are fixed; so many sections will be written.
    Planned(usize),
    /// So many sections of all are written.
    Section(usize, usize),
    /// All is written, and is being checked and laid out.
    Checking,
    /// The end: what would be the body of an answer in one piece.
    End(Result<Value, FunctionError>),
}

impl Told {
    /// As an event of a `text/event-stream`: `planned`, `section`, `checking`, then `result` or `error`. A refusal in
    /// the stream carries as `status` what the answer's status would have been.
    pub fn event(&self, request_id: &str) -> Vec<u8> {
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

/// Where a document's maker says how far it is.
#[derive(Debug, Default)]
pub struct Progress {
    listener: Option<UnboundedSender<Told>>,
    sections: Cell<usize>,
    done: Cell<usize>,
}

impl Progress {
    /// Progress that somebody listens to. At most a few dozen steps are told, so nothing is ever waited for.
    pub fn told() -> (Self, UnboundedReceiver<Told>) {
        let (listener, told) = mpsc::unbounded();
        (Self { listener: Some(listener), ..Self::default() }, told)
    }

    /// The numbers are fixed.
    pub fn planned(&self, sections: usize) {
        self.sections.set(sections);
        self.tell(Told::Planned(sections));
    }

    /// One more section is written.
    pub fn section(&self) {
        self.done.set(self.done.get() + 1);
        self.tell(Told::Section(self.done.get(), self.sections.get()));
    }

    /// All is written, also the sections that nobody spoke of, since the built-in generator writes them at once.
    pub fn checking(&self) {
        while self.done.get() < self.sections.get() {
            self.section();
        }
        self.tell(Told::Checking);
    }

    /// The call is over.
    pub fn end(&self, result: Result<Value, FunctionError>) {
        self.tell(Told::End(result));
    }

    fn tell(&self, step: Told) {
        if let Some(listener) = &self.listener {
            // A listener that left is no reason to stop.
            let _ = listener.unbounded_send(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_name_and_one_line_of_data_whatever_it_holds() {
        let result = Told::End(Ok(json!({ "text": "a\n\nevent: x\ndata: y" })));
        for (told, name) in
            [(Told::Planned(3), "planned"), (Told::Section(1, 3), "section"), (result, "result")]
        {
            let event = String::from_utf8(told.event("r-1")).unwrap();
            let lines: Vec<&str> = event.split('\n').collect();
            assert_eq!((lines.len(), lines[0]), (4, format!("event: {name}").as_str()), "{event}");
            assert!(lines[1].starts_with("data: {") && lines[2].is_empty() && lines[3].is_empty());
        }
    }

    #[test]
    fn a_refusal_keeps_its_status_and_its_sentence() {
        let event = Told::End(Err(FunctionError::GeneratorTimeout)).event("r-1");
        let text = String::from_utf8(event).unwrap();
        let data = text.split_once("data: ").unwrap().1;
        let body: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            (&body["status"], &body["code"], &body["requestId"]),
            (&json!(504), &json!("generator_timeout"), &json!("r-1"))
        );
    }

    #[tokio::test]
    async fn every_section_that_was_planned_is_told_before_the_check() {
        let (progress, told) = Progress::told();
        progress.planned(3);
        progress.section();
        progress.checking();
        drop(progress);
        let sections = (1..=3).map(|done| Told::Section(done, 3));
        let expected: Vec<Told> =
            [Told::Planned(3)].into_iter().chain(sections).chain([Told::Checking]).collect();
        assert_eq!(futures_util::StreamExt::collect::<Vec<_>>(told).await, expected);
    }

    #[test]
    fn a_listener_that_left_changes_nothing() {
        let (progress, told) = Progress::told();
        drop(told);
        progress.planned(2);
        progress.section();
        assert_eq!((progress.done.get(), progress.sections.get()), (1, 2));
    }
}
