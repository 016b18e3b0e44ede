//! Widths of letters.

use std::collections::BTreeMap;

use super::file::File;
use super::standard_widths::standard_widths;
use super::values::{Dictionary, Value};
use crate::error::SampleError;
use crate::limits::Meter;

/// Steps for each entry of a table.
const STEPS_OF_ENTRY: usize = 32;

/// The width of a code that a font with codes of one byte does not tell.
const USUAL_WIDTH: f64 = 500.0;

/// Widths by ranges of codes, in thousandths of the font size.
#[derive(Debug)]
pub(crate) struct Widths {
    /// The last code and the width of a range, by its first code.
    ranges: BTreeMap<u32, (u32, f64)>,
    default: f64,
    most: usize,
}

impl Widths {
    fn new(default: f64, most: usize) -> Self {
        Self { ranges: BTreeMap::new(), default, most }
    }

    /// Reads `/Widths` of a font whose codes have one byte. A standard font may lack them.
    ///
    /// # Errors
    /// `TooComplex` for more than `most` ranges.
    pub(crate) fn read(
        file: &File<'_>,
        font: &Dictionary,
        name: &str,
        most: usize,
        meter: &mut Meter,
    ) -> Result<Self, SampleError> {
        let mut widths = Self::new(USUAL_WIDTH, most);
        let (first, each) = match file.entry(font, b"Widths", meter)? {
            Some(Value::List(list)) => {
                let first = file.entry(font, b"FirstChar", meter)?.and_then(|first| first.number());
                let each = list.iter().take(256).map(|width| width.number().unwrap_or(0.0)).collect();
                (first.unwrap_or(0.0), each)
            }
            _ => (f64::from(b' '), standard_widths(name)),
        };
        widths.add_each(first, each.into_iter(), meter)?;
        Ok(widths)
    }

    /// Reads `/W` and `/DW` of a font whose codes have two bytes.
    ///
    /// # Errors
    /// `TooComplex` for more than `most` ranges.
    pub(crate) fn read_wide(
        file: &File<'_>,
        font: &Dictionary,
        most: usize,
        meter: &mut Meter,
    ) -> Result<Self, SampleError> {
        let mut widths = Self::new(1000.0, most);
        let Some(Value::List(fonts)) = file.entry(font, b"DescendantFonts", meter)? else {
            return Ok(widths);
        };
        let first = fonts.first().map_or(Ok(None), |font| file.resolve(font, meter))?;
        let Some(Value::Dictionary(font)) = first else { return Ok(widths) };
        let default = file.entry(&font, b"DW", meter)?.and_then(|width| width.number());
        widths.default = default.unwrap_or(widths.default);
        if let Some(Value::List(list)) = file.entry(&font, b"W", meter)? {
            widths.add_all(&list, meter)?;
        }
        Ok(widths)
    }

    /// Adds `first [width width …]` and `first last width`, one after the other.
    fn add_all(&mut self, list: &[Value], meter: &mut Meter) -> Result<(), SampleError> {
        let mut at = 0;
        while let Some(first) = list.get(at).and_then(Value::number) {
            match (list.get(at + 1), list.get(at + 2).and_then(Value::number)) {
                (Some(Value::List(each)), _) => {
                    self.add_each(first, each.iter().filter_map(Value::number), meter)?;
                    at += 2;
                }
                (Some(Value::Number(last)), Some(width)) => {
                    self.add(first as u32, *last as u32, width, meter)?;
                    at += 3;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Adds widths of codes that follow one another, up to the last code there is.
    fn add_each(
        &mut self,
        first: f64,
        each: impl Iterator<Item = f64>,
        meter: &mut Meter,
    ) -> Result<(), SampleError> {
        (first as u32..=u32::MAX).zip(each).try_for_each(|(code, width)| self.add(code, code, width, meter))
    }

    fn add(&mut self, first: u32, last: u32, width: f64, meter: &mut Meter) -> Result<(), SampleError> {
        meter.step(STEPS_OF_ENTRY)?;
        self.ranges.insert(first, (last, width));
        if self.len() > self.most { Err(SampleError::TooComplex) } else { Ok(()) }
    }

    /// How many ranges there are.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The width of a code.
    pub(crate) fn of(&self, code: u32) -> f64 {
        let range = self.ranges.range(..=code).next_back();
        let found = range.filter(|(_, (last, _))| code <= *last);
        found.map_or(self.default, |(_, (_, width))| *width)
    }
}
