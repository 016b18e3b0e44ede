//! The objects of a file, found by looking through it. A file's own index can be wrong, and a
//! hostile one can lead in circles.

use std::collections::HashMap;
use std::rc::Rc;

use super::filters::unpack;
use super::values::{Dictionary, Reader, Value, is_space};
use crate::error::SampleError;
use crate::limits::Meter;

/// References that lead to references are followed this far.
const LONGEST_CHAIN: usize = 8;

/// Objects that a file has at most.
const MOST_OBJECTS: usize = 200_000;

/// A file with a list of its objects.
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    places: HashMap<u32, Place>,
    /// Unpacked streams that hold objects.
    packs: Vec<Vec<u8>>,
    root: Option<u32>,
}

/// The dictionary of a stream and its unpacked bytes.
pub(crate) type Stream = (Rc<Dictionary>, Vec<u8>);

/// Where an object stands.
#[derive(Clone, Copy)]
struct Place {
    /// The pack that holds it; `None` for an object of the file itself.
    pack: Option<usize>,
    at: usize,
}

impl<'a> File<'a> {
    /// Lists the objects. Of two with one number the later in the file counts.
    ///
    /// # Errors
    /// `Locked`, and `Damaged` for a file that names no first object.
    pub(crate) fn read(bytes: &'a [u8], meter: &mut Meter) -> Result<Self, SampleError> {
        let mut file = Self { bytes, places: HashMap::new(), packs: Vec::new(), root: None };
        file.scan(meter)?;
        file.read_trailers(meter)?;
        if file.root.is_none() { Err(SampleError::Damaged) } else { Ok(file) }
    }

    fn scan(&mut self, meter: &mut Meter) -> Result<(), SampleError> {
        let mut at = 0;
        while let Some(found) = find(self.bytes, b"obj", at, meter)? {
            at = found + 3;
            let Some(number) = number_before(self.bytes, found) else { continue };
            if self.places.len() >= MOST_OBJECTS {
                return Err(SampleError::TooComplex);
            }
            self.places.insert(number, Place { pack: None, at });
            let Ok(Some(Value::Dictionary(dictionary))) = self.value_at(at, meter) else { continue };
            let Some((start, end)) = self.stream_at(at, &dictionary, meter)? else { continue };
            self.read_special(&dictionary, &self.bytes[start..end], meter)?;
            at = end;
        }
        Ok(())
    }

    /// Reads a stream that says something of other objects.
    fn read_special(
        &mut self,
        dictionary: &Dictionary,
        raw: &[u8],
        meter: &mut Meter,
    ) -> Result<(), SampleError> {
        match dictionary.get(&b"Type"[..]) {
            Some(kind) if kind.is_name(b"XRef") => self.read_trailer(dictionary),
            Some(kind) if kind.is_name(b"ObjStm") => self.read_pack(dictionary, raw, meter),
            _ => Ok(()),
        }
    }

    fn read_pack(
        &mut self,
        dictionary: &Dictionary,
        raw: &[u8],
        meter: &mut Meter,
    ) -> Result<(), SampleError> {
        let whole = |name: &[u8]| dictionary.get(name).and_then(Value::number).map_or(0, |it| it as usize);
        let (count, first) = (whole(b"N"), whole(b"First"));
        let bytes = unpack(dictionary, raw, meter)?;
        let mut reader = Reader::new(&bytes, 0);
        for _ in 0..count.min(MOST_OBJECTS - self.places.len().min(MOST_OBJECTS)) {
            let (Some(Value::Number(number)), Some(Value::Number(offset))) =
                (reader.next(meter)?, reader.next(meter)?)
            else {
                break;
            };
            let place = Place { pack: Some(self.packs.len()), at: first.saturating_add(offset as usize) };
            self.places.insert(number as u32, place);
        }
        self.packs.push(bytes);
        Ok(())
    }

    fn read_trailers(&mut self, meter: &mut Meter) -> Result<(), SampleError> {
        let mut at = 0;
        while let Some(found) = find(self.bytes, b"trailer", at, meter)? {
            at = found + b"trailer".len();
            if let Ok(Some(Value::Dictionary(dictionary))) = self.value_at(at, meter) {
                self.read_trailer(&dictionary)?;
            }
        }
        Ok(())
    }

    fn read_trailer(&mut self, dictionary: &Dictionary) -> Result<(), SampleError> {
        if dictionary.get(&b"Encrypt"[..]).is_some_and(|it| !it.is_word(b"null")) {
            return Err(SampleError::Locked);
        }
        if let Some(Value::Reference(root)) = dictionary.get(&b"Root"[..]) {
            self.root = Some(*root);
        }
        Ok(())
    }

    fn value_at(&self, at: usize, meter: &mut Meter) -> Result<Option<Value>, SampleError> {
        Reader::new(self.bytes, at).next(meter)
    }

    /// The bounds of the stream behind the dictionary that begins at `at`.
    fn stream_at(
        &self,
        at: usize,
        dictionary: &Dictionary,
        meter: &mut Meter,
    ) -> Result<Option<(usize, usize)>, SampleError> {
        let mut reader = Reader::new(self.bytes, at);
        reader.next(meter)?;
        if !reader.next(meter)?.is_some_and(|word| word.is_word(b"stream")) {
            return Ok(None);
        }
        let mut start = reader.position();
        start += usize::from(self.bytes.get(start) == Some(&b'\r'));
        start += usize::from(self.bytes.get(start) == Some(&b'\n'));
        let length = dictionary.get(&b"Length"[..]).and_then(Value::number);
        let told = length.map(|length| start.saturating_add(length as usize));
        let told = told.filter(|end| self.bytes.get(*end..).is_some_and(ends_stream));
        let end = match told {
            Some(end) => end,
            None => find(self.bytes, b"endstream", start, meter)?.unwrap_or(self.bytes.len()),
        };
        Ok(Some((start.min(end), end)))
    }

    /// The first object of the file.
    pub(crate) fn root(&self) -> u32 {
        self.root.unwrap_or_default()
    }

    /// The object of this number; `None` where the file has none.
    pub(crate) fn object(&self, number: u32, meter: &mut Meter) -> Result<Option<Value>, SampleError> {
        let Some(place) = self.places.get(&number) else { return Ok(None) };
        let bytes = place.pack.map_or(self.bytes, |pack| &self.packs[pack]);
        Reader::new(bytes, place.at).next(meter)
    }

    /// The value that a value stands for.
    pub(crate) fn resolve(&self, value: &Value, meter: &mut Meter) -> Result<Option<Value>, SampleError> {
        meter.step(value.size())?;
        let mut value = value.clone();
        for _ in 0..LONGEST_CHAIN {
            let Value::Reference(number) = value else { return Ok(Some(value)) };
            let Some(next) = self.object(number, meter)? else { return Ok(None) };
            value = next;
        }
        Ok(None)
    }

    /// The value of an entry, resolved.
    pub(crate) fn entry(
        &self,
        dictionary: &Dictionary,
        name: &[u8],
        meter: &mut Meter,
    ) -> Result<Option<Value>, SampleError> {
        dictionary.get(name).map_or(Ok(None), |value| self.resolve(value, meter))
    }

    /// The dictionary of an entry, resolved; an empty one where there is none.
    pub(crate) fn sub(
        &self,
        dictionary: &Dictionary,
        name: &[u8],
        meter: &mut Meter,
    ) -> Result<Rc<Dictionary>, SampleError> {
        let value = self.entry(dictionary, name, meter)?;
        Ok(if let Some(Value::Dictionary(sub)) = value { sub } else { Rc::default() })
    }

    /// The dictionary and the unpacked bytes of a stream; `None` for what is no stream.
    pub(crate) fn stream(&self, value: &Value, meter: &mut Meter) -> Result<Option<Stream>, SampleError> {
        let Value::Reference(number) = value else { return Ok(None) };
        let Some(Place { pack: None, at }) = self.places.get(number).copied() else { return Ok(None) };
        let Some(Value::Dictionary(mut dictionary)) = self.value_at(at, meter)? else { return Ok(None) };
        let Some((start, end)) = self.stream_at(at, &dictionary, meter)? else { return Ok(None) };
        if let Some(filter) = self.entry(&dictionary, b"Filter", meter)? {
            Rc::make_mut(&mut dictionary).insert(b"Filter".to_vec(), filter);
        }
        let bytes = unpack(&dictionary, &self.bytes[start..end], meter)?;
        Ok(Some((dictionary, bytes)))
    }
}

/// Where `word` stands next.
pub(crate) fn find(
    bytes: &[u8],
    word: &[u8],
    from: usize,
    meter: &mut Meter,
) -> Result<Option<usize>, SampleError> {
    let rest = bytes.get(from..).unwrap_or_default();
    let found = rest.windows(word.len()).position(|window| window == word);
    meter.step(found.unwrap_or(rest.len()) / 2 + 1)?;
    Ok(found.map(|at| from + at))
}

/// The object number of `12 0 ` before `at`.
fn number_before(bytes: &[u8], at: usize) -> Option<u32> {
    let before = &bytes[at.saturating_sub(40)..at];
    let trim = |bytes: &[u8], skipped: fn(u8) -> bool| {
        let length = bytes.iter().rposition(|byte| !skipped(*byte)).map_or(0, |last| last + 1);
        (length, bytes.len() > length)
    };
    let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
    let (end, _) = trim(before, is_space);
    let (generation, has_generation) = trim(&before[..end], digit);
    let (end, has_space) = trim(&before[..generation], is_space);
    let (start, _) = trim(&before[..end], digit);
    let number = std::str::from_utf8(&before[start..end]).ok()?;
    if has_generation && has_space { number.parse().ok() } else { None }
}

/// Returns whether a stream ends here.
fn ends_stream(rest: &[u8]) -> bool {
    let space = rest.iter().take(3).take_while(|byte| is_space(**byte)).count();
    rest[space..].starts_with(b"endstream")
}
