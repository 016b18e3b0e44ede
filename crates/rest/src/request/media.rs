//! Media types and `Accept` (rest.md section 15).

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
    /// Anything else, as written.
    Other(String),
}

impl MediaType {
    /// Reads a media type; parameters that mean nothing here are dropped (rest.md I13).
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let strip_nulls = parts.any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, value)| {
                name.trim().eq_ignore_ascii_case("nulls") && value.trim().trim_matches('"') == "stripped"
            })
        });
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
    pub fn as_str(&self) -> &str {
        match self {
            Self::Any => "*/*",
            Self::Json => "application/json",
            Self::Object { strip_nulls: true } => "application/vnd.pgrst.object+json;nulls=stripped",
            Self::Object { strip_nulls: false } => "application/vnd.pgrst.object+json",
            Self::StrippedArray => "application/vnd.pgrst.array+json;nulls=stripped",
            Self::Csv => "text/csv",
            Self::GeoJson => "application/geo+json",
            Self::OpenApi => "application/openapi+json",
            Self::Form => "application/x-www-form-urlencoded",
            Self::PlainText => "text/plain",
            Self::Xml => "text/xml",
            Self::Bytes => "application/octet-stream",
            Self::Other(text) => text,
        }
    }

    /// The value of `Content-Type`: with a charset where the type is text (rest.md N18).
    #[must_use]
    pub fn content_type(&self) -> String {
        match self {
            Self::Bytes | Self::Other(_) => self.as_str().to_owned(),
            _ => format!("{}; charset=utf-8", self.as_str()),
        }
    }
}

/// Media types the client takes: better quality first, then as written (rest.md N01, N02).
pub(super) fn accepted(headers: &HeaderMap) -> Vec<MediaType> {
    let values = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    let mut items: Vec<(u16, &str)> =
        values.flat_map(|value| value.split(',')).map(|item| (quality(item), item)).collect();
    items.retain(|(_, item)| !item.trim().is_empty());
    if items.is_empty() {
        return vec![MediaType::Any];
    }
    items.sort_by_key(|(quality, _)| std::cmp::Reverse(*quality));
    items.into_iter().map(|(_, item)| MediaType::parse(without_quality(item))).collect()
}

/// `q`, in thousandths.
fn quality(item: &str) -> u16 {
    let given = item.split(';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("q="));
    let quality = given.and_then(|text| text.trim().parse::<f32>().ok()).unwrap_or(1.0);
    (quality.clamp(0.0, 1.0) * 1000.0) as u16
}

fn without_quality(item: &str) -> &str {
    item.find(";q=").or_else(|| item.find("; q=")).map_or(item, |at| &item[..at]).trim()
}
