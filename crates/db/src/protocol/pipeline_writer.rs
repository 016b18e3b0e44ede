//! A pipeline as it is written: messages into a send buffer, and what the answers will be about.

use std::fmt::Write as _;

use bytes::{BufMut, BytesMut};
use postgres_protocol::{
    IsNull,
    message::frontend::{self, CopyData},
};

use super::prepared::Prepared;
use crate::RunError;

/// A longer text is sent afresh each time instead of being kept prepared.
const LONGEST_PREPARED_TEXT: usize = 16 << 10;
/// Most bytes of data in one message.
pub(crate) const LARGEST_DATA: usize = 64 << 10;
/// PostgreSQL's own bound on one message.
const LARGEST_MESSAGE: usize = 1 << 30;

/// Writes the statements of one pipeline.
pub(crate) struct PipelineWriter<'c> {
    prepared: &'c mut Prepared,
    send_buffer: &'c mut BytesMut,
    steps: Vec<Step>,
}

/// One statement of a pipeline.
#[derive(Debug)]
pub(crate) struct Step {
    parses: bool,
    /// Its data for `copy … from stdin` are sent with it.
    brings_data: bool,
    preparing: Option<Preparing>,
}

/// A statement to be remembered once the server has confirmed it.
#[derive(Debug)]
pub(crate) struct Preparing {
    pub(crate) role: Box<str>,
    pub(crate) text: Box<str>,
    pub(crate) id: u64,
}

impl<'c> PipelineWriter<'c> {
    /// An empty pipeline. It first closes what the connection need not keep prepared any longer.
    pub(crate) fn new(prepared: &'c mut Prepared, send_buffer: &'c mut BytesMut) -> Self {
        for id in prepared.take_closing() {
            frontend::close(b'S', &name(Some(id)), send_buffer).expect("the name holds no NUL");
        }
        Self { prepared, send_buffer, steps: Vec::with_capacity(4) }
    }

    /// Adds a statement. It is prepared once for each role and text; later pipelines use that.
    pub(crate) fn step<'v>(
        &mut self,
        role: &str,
        text: &str,
        values: impl Iterator<Item = (Option<&'v [u8]>, u32)> + Clone,
    ) -> Result<(), RunError> {
        let keep = self.prepared.keeps_any() && text.len() <= LONGEST_PREPARED_TEXT;
        let known = if keep { self.prepared.find(role, text) } else { None };
        let id = if keep && known.is_none() { Some(self.prepared.new_id()) } else { known };
        let name = name(id);
        if known.is_none() {
            let declared = self.prepared.keeps_any();
            let types = values.clone().map(|(_, type_oid)| if declared { type_oid } else { 0 });
            frontend::parse(&name, text, types, self.send_buffer).map_err(unsendable)?;
        }
        bind(&name, values.map(|(value, _)| value), self.send_buffer)?;
        frontend::execute("", 0, self.send_buffer).map_err(unsendable)?;
        let new = id.filter(|_| known.is_none());
        let preparing = new.map(|id| Preparing { role: role.into(), text: text.into(), id });
        self.steps.push(Step { preparing, parses: known.is_none(), brings_data: false });
        Ok(())
    }

    /// Adds a statement that no later pipeline needs.
    pub(crate) fn step_once<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = (Option<&'v [u8]>, u32)> + Clone,
    ) -> Result<(), RunError> {
        let types = values.clone().map(|(_, type_oid)| type_oid);
        frontend::parse("", text, types, self.send_buffer).map_err(unsendable)?;
        bind("", values.map(|(value, _)| value), self.send_buffer)?;
        frontend::execute("", 0, self.send_buffer).map_err(unsendable)?;
        self.steps.push(Step { preparing: None, parses: true, brings_data: false });
        Ok(())
    }

    /// Adds the data of the statement added last, a `copy … from stdin`.
    pub(crate) fn data(&mut self, data: &[u8]) -> Result<(), RunError> {
        for piece in data.chunks(LARGEST_DATA) {
            CopyData::new(piece).map_err(unsendable)?.write(self.send_buffer);
        }
        frontend::copy_done(self.send_buffer);
        if let Some(step) = self.steps.last_mut() {
            step.brings_data = true;
        }
        Ok(())
    }

    /// Bytes in the send buffer.
    pub(crate) fn written(&self) -> usize {
        self.send_buffer.len()
    }

    /// Takes back everything but the first `length` bytes.
    pub(crate) fn truncate(self, length: usize) {
        self.send_buffer.truncate(length);
    }

    /// The steps; a Sync is still to be written.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps
    }
}

/// The places of the steps that bring data.
pub(crate) fn with_data(steps: &[Step]) -> Vec<usize> {
    steps.iter().enumerate().filter(|(_, step)| step.brings_data).map(|(place, _)| place).collect()
}

/// What the first `confirmed` of the steps that parse have prepared.
pub(crate) fn confirmed(steps: &[Step], confirmed: usize) -> impl Iterator<Item = &Preparing> {
    steps.iter().filter(|step| step.parses).take(confirmed).filter_map(|step| step.preparing.as_ref())
}

/// What the steps after those were to prepare and did not.
pub(crate) fn unconfirmed(steps: &[Step], confirmed: usize) -> impl Iterator<Item = &Preparing> {
    steps.iter().filter(|step| step.parses).skip(confirmed).filter_map(|step| step.preparing.as_ref())
}

fn name(id: Option<u64>) -> String {
    let mut name = String::new();
    if let Some(id) = id {
        write!(name, "s{id}").expect("a String takes everything");
    }
    name
}

pub(crate) fn unsendable(error: std::io::Error) -> RunError {
    RunError::Unsendable(error.to_string())
}

fn bind<'v>(
    name: &str,
    values: impl Iterator<Item = Option<&'v [u8]>> + Clone,
    send_buffer: &mut BytesMut,
) -> Result<(), RunError> {
    let size: usize = values.clone().map(|value| 4 + value.map_or(0, <[u8]>::len)).sum();
    if size >= LARGEST_MESSAGE {
        return Err(RunError::Unsendable(format!("parameters of {size} bytes")));
    }
    // What follows a large value has room too, so that the buffer is not made twice as long for it.
    send_buffer.reserve(size + 64 + size / 256);
    let write = |value: Option<&[u8]>, send_buffer: &mut BytesMut| {
        Ok(match value {
            None => IsNull::Yes,
            Some(bytes) => {
                send_buffer.put_slice(bytes);
                IsNull::No
            }
        })
    };
    frontend::bind("", name, [], values, write, [], send_buffer).map_err(|error| match error {
        frontend::BindError::Serialization(error) => unsendable(error),
        frontend::BindError::Conversion(error) => RunError::Unsendable(error.to_string()),
    })
}
