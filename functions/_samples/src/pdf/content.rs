//! Draws the text of a page and notes where it stands.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::File;
use super::fonts::{Font, Fonts};
use super::layout::{Layout, Piece};
use super::pages::Page;
use super::to_unicode;
use super::values::{Dictionary, Reader, Value};
use crate::error::SampleError;
use crate::limits::Meter;

/// Drawings that stand in one another at most.
const DEEPEST: usize = 6;

/// Operands, saved states and marks that are kept at most.
const MOST_KEPT: usize = 64;

/// Bytes of the letters of one piece of text at most.
const LONGEST_PIECE: usize = 20_000;

/// Steps for each piece of text and for each of its codes, beside those for its letters.
const STEPS_OF_PIECE: usize = 32;
const STEPS_OF_CODE: usize = 8;

/// Draws a page onto the layout, until the layout is full.
pub(crate) fn draw(
    file: &File<'_>,
    page: &Page,
    fonts: &mut Fonts,
    layout: &mut Layout,
    meter: &mut Meter,
) -> Result<(), SampleError> {
    let mut content = Vec::new();
    for stream in page.contents(file, meter)?.iter() {
        if let Some((_, bytes)) = file.stream(stream, meter)? {
            content.extend(bytes);
            content.push(b'\n');
        }
    }
    let resources = page.resources(file, meter)?;
    let mut painter = Painter { file, fonts, layout, meter, marks: Vec::new() };
    painter.draw(&content, &resources, State::default(), 0)
}

struct Painter<'a> {
    file: &'a File<'a>,
    fonts: &'a mut Fonts,
    layout: &'a mut Layout,
    meter: &'a mut Meter,
    marks: Vec<Mark>,
}

/// What the file says of a stretch of its content.
struct Mark {
    /// The level of a heading.
    level: Option<u8>,
    /// The letters of the whole stretch; empty once they are noted.
    letters: Option<String>,
}

/// The state that operators change.
#[derive(Clone)]
struct State {
    page: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    rise: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            page: Matrix::ONE,
            text: Matrix::ONE,
            line: Matrix::ONE,
            font: None,
            size: 0.0,
            leading: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            rise: 0.0,
        }
    }
}

/// What a drawing is made with.
struct Resources {
    fonts: Rc<Dictionary>,
    drawings: Rc<Dictionary>,
    properties: Rc<Dictionary>,
    /// The fonts that are no objects of their own, once they are read.
    own_fonts: HashMap<Vec<u8>, Option<Rc<Font>>>,
}

impl Painter<'_> {
    fn draw(
        &mut self,
        content: &[u8],
        resources: &Dictionary,
        mut state: State,
        depth: usize,
    ) -> Result<(), SampleError> {
        let mut used = Resources {
            fonts: self.file.sub(resources, b"Font", self.meter)?,
            drawings: self.file.sub(resources, b"XObject", self.meter)?,
            properties: self.file.sub(resources, b"Properties", self.meter)?,
            own_fonts: HashMap::new(),
        };
        let mut reader = Reader::of_content(content);
        let mut operands: Vec<Value> = Vec::new();
        let mut saved: Vec<State> = Vec::new();
        while let Some(value) = reader.next(self.meter)? {
            let Value::Word(operator) = value else {
                if operands.len() < MOST_KEPT {
                    operands.push(value);
                }
                continue;
            };
            match operator.as_slice() {
                b"q" if saved.len() < MOST_KEPT => saved.push(state.clone()),
                b"Q" => state = saved.pop().unwrap_or(state),
                b"ID" => skip_picture(&mut reader, content),
                b"BDC" | b"BMC" => self.open_mark(&operands, &used)?,
                b"EMC" => drop(self.marks.pop()),
                b"Tf" => self.choose_font(&operands, &mut used, &mut state)?,
                b"Do" => self.draw_form(&operands, &used, resources, &state, depth)?,
                b"Tj" | b"TJ" | b"'" | b"\"" => self.show(&operator, &operands, &mut state)?,
                other => state.apply(other, &operands),
            }
            operands.clear();
            if self.layout.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn open_mark(&mut self, operands: &[Value], used: &Resources) -> Result<(), SampleError> {
        let level = operands.first().and_then(level_of_tag);
        let properties = match operands.get(1) {
            Some(Value::Dictionary(properties)) => Rc::clone(properties),
            Some(Value::Name(name)) => self.file.sub(&used.properties, name, self.meter)?,
            _ => Rc::default(),
        };
        let letters = match properties.get(&b"ActualText"[..]) {
            Some(Value::Text(letters)) => {
                let letters = &letters[..letters.len().min(LONGEST_PIECE)];
                self.meter.step(letters.len())?;
                Some(to_unicode::text(letters))
            }
            _ => None,
        };
        if self.marks.len() < MOST_KEPT {
            self.marks.push(Mark { level, letters });
        }
        Ok(())
    }

    fn choose_font(
        &mut self,
        operands: &[Value],
        used: &mut Resources,
        state: &mut State,
    ) -> Result<(), SampleError> {
        if let [Value::Name(name), Value::Number(size)] = operands {
            state.size = *size;
            state.font = self.font(name, used)?;
        }
        Ok(())
    }

    fn font(&mut self, name: &[u8], used: &mut Resources) -> Result<Option<Rc<Font>>, SampleError> {
        let own = match used.fonts.get(name) {
            None => return Ok(None),
            Some(Value::Reference(number)) => return self.fonts.font(self.file, *number, self.meter),
            Some(own) => own,
        };
        if let Some(known) = used.own_fonts.get(name) {
            return Ok(known.clone());
        }
        let font = self.fonts.read(self.file, own, self.meter)?;
        used.own_fonts.insert(name.to_vec(), font.clone());
        Ok(font)
    }

    /// Draws what stands in the file on its own and is used on pages.
    fn draw_form(
        &mut self,
        operands: &[Value],
        used: &Resources,
        outer: &Dictionary,
        state: &State,
        depth: usize,
    ) -> Result<(), SampleError> {
        let Some(Value::Name(name)) = operands.first() else { return Ok(()) };
        let Some(reference @ Value::Reference(number)) = used.drawings.get(name) else { return Ok(()) };
        let Some(Value::Dictionary(form)) = self.file.object(*number, self.meter)? else { return Ok(()) };
        if depth >= DEEPEST || !form.get(&b"Subtype"[..]).is_some_and(|it| it.is_name(b"Form")) {
            return Ok(());
        }
        let Some((form, content)) = self.file.stream(reference, self.meter)? else { return Ok(()) };
        let mut state = state.clone();
        if let Some(Value::List(matrix)) = form.get(&b"Matrix"[..]) {
            state.page = Matrix::of(matrix).times(&state.page);
        }
        match form.get(&b"Resources"[..]) {
            Some(_) => {
                let own = self.file.sub(&form, b"Resources", self.meter)?;
                self.draw(&content, &own, state, depth + 1)
            }
            None => self.draw(&content, outer, state, depth + 1),
        }
    }

    fn show(&mut self, operator: &[u8], operands: &[Value], state: &mut State) -> Result<(), SampleError> {
        if let (b"\"", [Value::Number(word), Value::Number(letter), _]) = (operator, operands) {
            (state.word_space, state.letter_space) = (*word, *letter);
        }
        if matches!(operator, b"'" | b"\"") {
            state.next_line(0.0, -state.leading);
        }
        match operands.last() {
            Some(Value::Text(text)) => self.show_text(text, state),
            Some(Value::List(parts)) => parts.iter().try_for_each(|part| match part {
                Value::Text(text) => self.show_text(text, state),
                Value::Number(back) => {
                    state.advance(-back / 1000.0 * state.size * state.stretch);
                    Ok(())
                }
                _ => Ok(()),
            }),
            _ => Ok(()),
        }
    }

    fn show_text(&mut self, text: &[u8], state: &mut State) -> Result<(), SampleError> {
        let Some(font) = state.font.clone() else { return Ok(()) };
        self.meter.step(STEPS_OF_PIECE + text.len() * STEPS_OF_CODE)?;
        if self.layout.is_full() {
            return Ok(());
        }
        let start = state.place();
        let mut letters = String::new();
        for code in font.codes(text) {
            let own = font.letters(code);
            self.meter.step(own.len())?;
            letters.push_str(&own);
            let word_space = if font.is_space(code) { state.word_space } else { 0.0 };
            let width = font.width(code) * state.size + state.letter_space + word_space;
            state.advance(width * state.stretch);
            if letters.len() > LONGEST_PIECE {
                break;
            }
        }
        if let Some(marked) = self.marks.iter_mut().find_map(|mark| mark.letters.as_mut()) {
            letters = std::mem::take(marked);
        }
        self.layout.add(Piece {
            letters,
            start,
            end: state.place(),
            size: state.font_size(),
            is_bold: font.is_bold,
            is_old: font.is_old,
            level: self.marks.iter().rev().find_map(|mark| mark.level),
        });
        Ok(())
    }
}

impl State {
    /// Operators that change nothing but the state.
    fn apply(&mut self, operator: &[u8], operands: &[Value]) {
        let number = |at: usize| operands.get(at).and_then(Value::number).unwrap_or(0.0);
        match operator {
            b"cm" => self.page = Matrix::of(operands).times(&self.page),
            b"BT" => (self.text, self.line) = (Matrix::ONE, Matrix::ONE),
            b"Tm" => {
                self.line = Matrix::of(operands);
                self.text = self.line;
            }
            b"Td" => self.next_line(number(0), number(1)),
            b"TD" => {
                self.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            b"T*" => self.next_line(0.0, -self.leading),
            b"TL" => self.leading = number(0),
            b"Tc" => self.letter_space = number(0),
            b"Tw" => self.word_space = number(0),
            b"Tz" => self.stretch = number(0) / 100.0,
            b"Ts" => self.rise = number(0),
            _ => {}
        }
    }

    fn next_line(&mut self, right: f64, up: f64) {
        self.line = Matrix::moved(right, up).times(&self.line);
        self.text = self.line;
    }

    fn advance(&mut self, right: f64) {
        self.text = Matrix::moved(right, 0.0).times(&self.text);
    }

    /// Where the next letter stands on the page.
    fn place(&self) -> (f64, f64) {
        let whole = self.text.times(&self.page);
        (whole.0[4], whole.0[5])
    }

    /// The size of letters on the page.
    fn font_size(&self) -> f64 {
        let [a, b, c, d, ..] = self.text.times(&self.page).0;
        self.size.abs() * (a * d - b * c).abs().sqrt()
    }
}

/// How places are moved, turned and stretched.
#[derive(Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn moved(right: f64, up: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, right, up])
    }

    /// Six numbers; without them nothing is moved.
    fn of(operands: &[Value]) -> Self {
        let numbers: Vec<f64> = operands.iter().filter_map(Value::number).collect();
        numbers.try_into().map_or(Self::ONE, Self)
    }

    /// This first, `other` then.
    fn times(&self, other: &Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }
}

/// The level of `H`, and of `H1` to `H6`.
fn level_of_tag(tag: &Value) -> Option<u8> {
    let Value::Name(name) = tag else { return None };
    match name.as_slice() {
        b"H" | b"Title" => Some(1),
        [b'H', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Skips the bytes of a picture that stands in the content.
fn skip_picture(reader: &mut Reader<'_>, content: &[u8]) {
    let from = reader.position();
    let rest = content.get(from..).unwrap_or_default();
    let end = rest.windows(4).position(|it| {
        it[1..3] == *b"EI" && super::values::is_space(it[0]) && super::values::is_space(it[3])
    });
    reader.skip_to(end.map_or(content.len(), |end| from + end + 3));
}
