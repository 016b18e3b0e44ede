//! The pages in their order.

use std::collections::HashSet;
use std::rc::Rc;

use super::file::File;
use super::values::{Dictionary, Value};
use crate::error::SampleError;
use crate::limits::Meter;

/// Nodes of the tree that wait at most; they take memory.
const MOST_WAITING: usize = 100_000;

/// A page, by the numbers of objects: what they hold is read when the page is drawn.
pub(crate) struct Page {
    node: u32,
    /// The node that says what the page draws with: itself, or one above it.
    resources: Option<u32>,
}

impl Page {
    /// The streams of the page: one, or a list of them.
    pub(crate) fn contents(&self, file: &File<'_>, meter: &mut Meter) -> Result<Rc<Vec<Value>>, SampleError> {
        let node = dictionary(file, self.node, meter)?;
        let Some(contents) = node.get(&b"Contents"[..]) else { return Ok(Rc::default()) };
        Ok(match file.resolve(contents, meter)? {
            Some(Value::List(list)) => list,
            _ => Rc::new(vec![contents.clone()]),
        })
    }

    /// What the page draws with.
    pub(crate) fn resources(
        &self,
        file: &File<'_>,
        meter: &mut Meter,
    ) -> Result<Rc<Dictionary>, SampleError> {
        let Some(number) = self.resources else { return Ok(Rc::default()) };
        let node = dictionary(file, number, meter)?;
        file.sub(&node, b"Resources", meter)
    }
}

/// Lists the pages.
///
/// # Errors
/// `TooManyPages` for more than `limit`; `Damaged` without pages, and where one is missing.
pub(crate) fn pages(file: &File<'_>, limit: u32, meter: &mut Meter) -> Result<Vec<Page>, SampleError> {
    let root = dictionary(file, file.root(), meter)?;
    let Some(Value::Reference(first)) = root.get(&b"Pages"[..]) else { return Err(SampleError::Damaged) };
    let mut pages = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(*first, None)];
    while let Some((number, inherited)) = waiting.pop() {
        if !seen.insert(number) {
            continue;
        }
        let node = dictionary(file, number, meter)?;
        let resources = if node.contains_key(&b"Resources"[..]) { Some(number) } else { inherited };
        if let Some(Value::List(kids)) = file.entry(&node, b"Kids", meter)? {
            meter.step(kids.len())?;
            waiting.extend(kids.iter().rev().filter_map(reference).map(|kid| (kid, resources)));
            if waiting.len() > MOST_WAITING {
                return Err(SampleError::TooComplex);
            }
            continue;
        }
        pages.push(Page { node: number, resources });
        if pages.len() > limit as usize {
            return Err(SampleError::TooManyPages { limit });
        }
    }
    if pages.is_empty() { Err(SampleError::Damaged) } else { Ok(pages) }
}

fn reference(value: &Value) -> Option<u32> {
    if let Value::Reference(number) = value { Some(*number) } else { None }
}

fn dictionary(file: &File<'_>, number: u32, meter: &mut Meter) -> Result<Rc<Dictionary>, SampleError> {
    match file.resolve(&Value::Reference(number), meter)? {
        Some(Value::Dictionary(dictionary)) => Ok(dictionary),
        _ => Err(SampleError::Damaged),
    }
}
