//! The type of the result (CONTRACT.md I03, I04).

use http::{HeaderMap, header::ACCEPT};

use super::options::{Format, RenderOptions};

/// The type of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    Jpeg,
    Png,
    Webp,
    Avif,
}

impl Output {
    /// Quality where none was asked for. PNG keeps every pixel and has none.
    pub(crate) fn usual_quality(self) -> u8 {
        match self {
            Self::Jpeg | Self::Webp => 80,
            Self::Avif => 62,
            Self::Png => 100,
        }
    }
}

/// The type that is known before the source is: asked for, or accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Preference(Option<Output>);

impl Preference {
    /// An option decides before the header `Accept`. WebP goes before AVIF, which takes the
    /// processor fifty times longer.
    pub(crate) fn of(options: &RenderOptions, headers: &HeaderMap) -> Self {
        Self(match options.format {
            Some(Format::Origin) => None,
            Some(Format::Avif) => Some(Output::Avif),
            Some(Format::Webp) => Some(Output::Webp),
            None if accepts(headers, "image/webp") => Some(Output::Webp),
            None if accepts(headers, "image/avif") => Some(Output::Avif),
            None => None,
        })
    }

    /// The type of the result of a source.
    pub(crate) fn output(self, source: image::ImageFormat, has_alpha: bool) -> Output {
        self.0.unwrap_or(match source {
            image::ImageFormat::Jpeg => Output::Jpeg,
            image::ImageFormat::Png | image::ImageFormat::Gif => Output::Png,
            image::ImageFormat::WebP => Output::Webp,
            _ if has_alpha => Output::Png,
            _ => Output::Jpeg,
        })
    }

    /// A word for keys and tags.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            None => "origin",
            Some(Output::Jpeg) => "jpeg",
            Some(Output::Png) => "png",
            Some(Output::Webp) => "webp",
            Some(Output::Avif) => "avif",
        }
    }
}

/// Whether a type is accepted by its name. `*/*` says nothing of types that not every client knows.
fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case(media_type)) && !parts.any(is_zero_weight)
    })
}

fn is_zero_weight(parameter: &str) -> bool {
    let weight = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="));
    weight.is_some_and(|weight| weight.parse() == Ok(0.0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    // rows: I04
    #[test]
    fn a_format_goes_before_what_the_client_accepts() {
        let browser = "image/avif,image/webp,image/apng,*/*;q=0.8";
        for (format, accept, name) in [
            (None, browser, "webp"),
            (None, "IMAGE/AVIF", "avif"),
            (None, "image/avif;q=0, image/*", "origin"),
            (None, "*/*", "origin"),
            (Some(Format::Origin), browser, "origin"),
            (Some(Format::Avif), browser, "avif"),
            (Some(Format::Webp), "", "webp"),
        ] {
            let options = RenderOptions { format, ..RenderOptions::default() };
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(Preference::of(&options, &headers).name(), name, "{format:?} {accept}");
        }
    }

    // rows: I04
    #[test]
    fn a_rare_format_becomes_one_that_every_browser_shows() {
        use image::ImageFormat::{Bmp, Gif, Jpeg, Png, Tiff, WebP};
        for (source, has_alpha, output) in [
            (Jpeg, false, Output::Jpeg),
            (Png, false, Output::Png),
            (WebP, true, Output::Webp),
            (Gif, false, Output::Png),
            (Bmp, false, Output::Jpeg),
            (Tiff, true, Output::Png),
        ] {
            assert_eq!(Preference::default().output(source, has_alpha), output, "{source:?}");
        }
    }
}
