//! The pages in their order.

use std::collections::HashSet;
use std::rc::Rc;

use super::file::File;
use super::values::{Dictionary, Value};
use crate::error::SampleError;
use crate::limits::Meter;

/// A page: its content and what the content draws with.
pub(crate) struct Page {
    pub(crate) contents: Vec<Value>,
    pub(crate) resources: Rc<Dictionary>,
}

/// Lists the pages.
///
/// # Errors
/// `TooManyPages` for more than `limit`; `Damaged` without pages, and where one is missing.
pub(crate) fn pages(file: &File<'_>, limit: u32, meter: &mut Meter) -> Result<Vec<Page>, SampleError> {
    let root = dictionary(file, &Value::Reference(file.root()), meter)?;
    let first = root.get(&b"Pages"[..]).cloned().ok_or(SampleError::Damaged)?;
    let mut pages = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(first, Rc::default())];
    while let Some((node, inherited)) = waiting.pop() {
        if let Value::Reference(number) = node
            && !seen.insert(number)
        {
            continue;
        }
        let node = dictionary(file, &node, meter)?;
        let resources = match node.get(&b"Resources"[..]) {
            Some(_) => Rc::new(file.sub(&node, b"Resources", meter)?),
            None => inherited,
        };
        if let Some(Value::List(kids)) = file.entry(&node, b"Kids", meter)? {
            meter.step(kids.len())?;
            waiting.extend(kids.into_iter().rev().map(|kid| (kid, Rc::clone(&resources))));
            continue;
        }
        pages.push(Page { contents: contents(file, &node, meter)?, resources });
        if pages.len() > limit as usize {
            return Err(SampleError::TooManyPages { limit });
        }
    }
    if pages.is_empty() { Err(SampleError::Damaged) } else { Ok(pages) }
}

fn dictionary(file: &File<'_>, value: &Value, meter: &mut Meter) -> Result<Dictionary, SampleError> {
    match file.resolve(value, meter)? {
        Some(Value::Dictionary(dictionary)) => Ok(dictionary),
        _ => Err(SampleError::Damaged),
    }
}

/// The streams of a page: one, or a list of them.
fn contents(file: &File<'_>, page: &Dictionary, meter: &mut Meter) -> Result<Vec<Value>, SampleError> {
    let Some(contents) = page.get(&b"Contents"[..]) else { return Ok(Vec::new()) };
    Ok(match file.resolve(contents, meter)? {
        Some(Value::List(list)) => list,
        _ => vec![contents.clone()],
    })
}
