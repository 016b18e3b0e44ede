//! Types of values, by key. They are derived from the sections, so that each name is written once.

use std::collections::BTreeMap;

use toml::Value;

/// The type of a key's value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Text,
    Switch,
    /// A whole number from 0 to this one.
    Number(i64),
    Texts,
    /// A section of these keys.
    Section(&'static [Key]),
    /// A section whose keys are names that the project chooses.
    Named(&'static Self),
}

/// A key of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// How another version of the supabase CLI spells it.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) shape: Shape,
}

impl Key {
    /// Every spelling.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// A type of the files.
pub(crate) trait Shaped {
    const SHAPE: Shape;
}

impl Shape {
    /// The key of a section by one of its spellings.
    pub(crate) fn key(self, name: &str) -> Option<&'static Key> {
        let Self::Section(keys) = self else { return None };
        keys.iter().find(|key| key.spellings().any(|spelling| spelling == name))
    }

    /// The type of the value under a name of a section.
    pub(crate) fn under(self, name: &str) -> Option<Self> {
        match self {
            Self::Named(each) => Some(*each),
            section => section.key(name).map(|key| key.shape),
        }
    }

    /// Returns whether a value has this type. The items of a list are checked one by one elsewhere.
    pub(crate) fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(most), Value::Integer(number)) => (0..=most).contains(number),
            (Self::Text, Value::String(_))
            | (Self::Switch, Value::Boolean(_))
            | (Self::Texts, Value::Array(_))
            | (Self::Section(_) | Self::Named(_), Value::Table(_)) => true,
            _ => false,
        }
    }

    /// Reads what a variable holds, a switch in the words that Go reads and a list with commas.
    pub(crate) fn read(self, text: &str) -> Option<Value> {
        let value = match self {
            Self::Text => Value::String(text.to_owned()),
            Self::Switch => Value::Boolean(switch(text)?),
            Self::Number(_) => Value::Integer(text.trim().parse().ok()?),
            Self::Texts => text.split(',').map(|item| item.trim().to_owned()).collect::<Vec<_>>().into(),
            Self::Section(_) | Self::Named(_) => return None,
        };
        self.fits(&value).then_some(value)
    }

    /// Names the type in a message, after "must be".
    pub(crate) fn words(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::Number(i64::MAX) => "a whole number".to_owned(),
            Self::Number(most) => format!("a whole number from 0 to {most}"),
            Self::Texts => "a list of texts, such as [\"a\", \"b\"]".to_owned(),
            Self::Section(_) | Self::Named(_) => "a section".to_owned(),
        }
    }
}

/// How a value is written in a file, after what it has to be.
pub(crate) fn quotes(shape: Shape) -> &'static str {
    match shape {
        Shape::Text => " in quotes",
        Shape::Switch | Shape::Number(_) => ", without quotes",
        Shape::Texts | Shape::Section(_) | Shape::Named(_) => "",
    }
}

/// Yes or no in the words of Go's `strconv.ParseBool`, which the supabase CLI reads variables with.
pub(crate) fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

macro_rules! shaped {
    ($($type:ty => $shape:expr),* $(,)?) => { $(impl Shaped for $type { const SHAPE: Shape = $shape; })* };
}

shaped! {
    String => Shape::Text,
    bool => Shape::Switch,
    u8 => Shape::Number(u8::MAX as i64),
    u16 => Shape::Number(u16::MAX as i64),
    u32 => Shape::Number(u32::MAX as i64),
    u64 => Shape::Number(i64::MAX),
    Vec<String> => Shape::Texts,
}

impl<T: Shaped> Shaped for Option<T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Shaped> Shaped for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Named(&T::SHAPE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_read_in_the_words_of_go() {
        for (texts, value) in [
            (["1", "t", "T", "true", "TRUE", "True"], true),
            (["0", "f", "F", "false", "FALSE", "False"], false),
        ] {
            for text in texts {
                assert_eq!(Shape::Switch.read(text), Some(Value::Boolean(value)), "{text}");
            }
        }
        for text in ["no", "off", "fAlse", "2", ""] {
            assert_eq!(Shape::Switch.read(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_that_its_type_cannot_hold_does_not_fit() {
        let port = <u16 as Shaped>::SHAPE;
        assert!(port.fits(&Value::Integer(65_535)));
        assert!(!port.fits(&Value::Integer(65_536)) && !port.fits(&Value::Integer(-1)));
        assert_eq!(
            (port.read("80"), port.read("80k"), port.read("-1")),
            (Some(Value::Integer(80)), None, None)
        );
    }
}
