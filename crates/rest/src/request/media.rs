//! Media types and `Accept` (CONTRACT.md N01 to N18).

use std::borrow::Cow;

use http::{HeaderMap, header::ACCEPT};

/// A media type this service knows, or the text of another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// `*/*`
    Any,
    /// `application/json`
    Json,
    /// `application/vnd.pgrst.object+json`
    Object {
        /// `;nulls=stripped`
        strip_nulls: bool,
    },
    /// `application/vnd.pgrst.array+json;nulls=stripped`
    StrippedArray,
    /// `text/csv`
    Csv,
    /// `application/geo+json`
    GeoJson,
    /// `application/openapi+json`
    OpenApi,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `text/plain`
    PlainText,
    /// `text/xml`
    Xml,
    /// `application/octet-stream`
    Bytes,
    /// `application/vnd.pgrst.plan+text` and `+json`: how PostgreSQL would do it (CONTRACT.md N11).
    Plan {
        /// `+json`
        json: bool,
        /// `for="..."`: the media type whose statement is explained.
        of: Box<MediaType>,
        /// `options=...`
        options: PlanOptions,
    },
    /// Anything else, as written.
    Other(String),
}

/// Details that a plan shows besides its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PlanOptions {
    /// The statement runs, and its times are shown.
    pub analyze: bool,
    /// Columns and schemas.
    pub verbose: bool,
    /// Settings that differ from the defaults.
    pub settings: bool,
    /// Pages read and written.
    pub buffers: bool,
    /// Write-ahead log.
    pub wal: bool,
}

impl PlanOptions {
    fn parse(words: &str) -> Self {
        let has = |word: &str| words.split('|').any(|it| it.trim() == word);
        Self {
            analyze: has("analyze"),
            verbose: has("verbose"),
            settings: has("settings"),
            buffers: has("buffers"),
            wal: has("wal"),
        }
    }

    /// The options that are on, by name.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (self.analyze, "analyze"),
            (self.verbose, "verbose"),
            (self.settings, "settings"),
            (self.buffers, "buffers"),
            (self.wal, "wal"),
        ];
        all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
    }
}

impl MediaType {
    /// Reads a media type; parameters that mean nothing here are dropped (CONTRACT.md I13).
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut parts = split_unquoted(text, ';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let parameters: Vec<(&str, &str)> = parts.filter_map(parameter).collect();
        let find = |wanted: &str| {
            let found = parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| *value)
        };
        let strip_nulls = find("nulls") == Some("stripped");
        match essence.as_str() {
            "*/*" => Self::Any,
            "application/json" => Self::Json,
            "application/vnd.pgrst.object+json" | "application/vnd.pgrst.object" => {
                Self::Object { strip_nulls }
            }
            "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array" if strip_nulls => {
                Self::StrippedArray
            }
            "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array" => Self::Json,
            "application/vnd.pgrst.plan"
            | "application/vnd.pgrst.plan+text"
            | "application/vnd.pgrst.plan+json" => Self::Plan {
                json: essence.ends_with("+json"),
                of: Box::new(find("for").map_or(Self::Json, Self::parse)),
                options: PlanOptions::parse(find("options").unwrap_or_default()),
            },
            "text/csv" => Self::Csv,
            "application/geo+json" => Self::GeoJson,
            "application/openapi+json" => Self::OpenApi,
            "application/x-www-form-urlencoded" => Self::Form,
            "text/plain" => Self::PlainText,
            "text/xml" => Self::Xml,
            "application/octet-stream" => Self::Bytes,
            _ => Self::Other(text.trim().to_owned()),
        }
    }

    /// The media type as text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Any => "*/*".into(),
            Self::Json => "application/json".into(),
            Self::Object { strip_nulls: true } => "application/vnd.pgrst.object+json;nulls=stripped".into(),
            Self::Object { strip_nulls: false } => "application/vnd.pgrst.object+json".into(),
            Self::StrippedArray => "application/vnd.pgrst.array+json;nulls=stripped".into(),
            Self::Csv => "text/csv".into(),
            Self::GeoJson => "application/geo+json".into(),
            Self::OpenApi => "application/openapi+json".into(),
            Self::Form => "application/x-www-form-urlencoded".into(),
            Self::PlainText => "text/plain".into(),
            Self::Xml => "text/xml".into(),
            Self::Bytes => "application/octet-stream".into(),
            Self::Plan { json, of, options } => {
                let form = if *json { "json" } else { "text" };
                let mut text = format!("application/vnd.pgrst.plan+{form}; for=\"{}\"", of.text());
                let names = options.names();
                if !names.is_empty() {
                    text.push_str("; options=");
                    text.push_str(&names.join("|"));
                }
                text.into()
            }
            Self::Other(text) => text.into(),
        }
    }

    /// The value of `Content-Type`: with a charset where the type is text (CONTRACT.md N18).
    #[must_use]
    pub fn content_type(&self) -> String {
        match self {
            Self::Bytes | Self::Other(_) => self.text().into_owned(),
            _ => format!("{}; charset=utf-8", self.text()),
        }
    }
}

/// `name=value`, with or without quotes.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    Some((name.trim(), value.trim().trim_matches('"')))
}

/// Splits where `separator` stands outside of quotes.
fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |found: char| {
        quoted ^= found == '"';
        found == separator && !quoted
    })
}

/// Media types the client takes: better quality first, then as written (CONTRACT.md N01, N02).
pub(super) fn accepted(headers: &HeaderMap) -> Vec<MediaType> {
    let values = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    let mut items: Vec<(u16, &str)> =
        values.flat_map(|value| split_unquoted(value, ',')).map(|item| (quality(item), item)).collect();
    items.retain(|(_, item)| !item.trim().is_empty());
    if items.is_empty() {
        return vec![MediaType::Any];
    }
    items.sort_by_key(|(quality, _)| std::cmp::Reverse(*quality));
    items.into_iter().map(|(_, item)| MediaType::parse(without_quality(item))).collect()
}

/// `q`, in thousandths.
fn quality(item: &str) -> u16 {
    let given = split_unquoted(item, ';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("q="));
    let quality = given.and_then(|text| text.trim().parse::<f32>().ok()).unwrap_or(1.0);
    (quality.clamp(0.0, 1.0) * 1000.0) as u16
}

fn without_quality(item: &str) -> &str {
    item.find(";q=").or_else(|| item.find("; q=")).map_or(item, |at| &item[..at]).trim()
}
