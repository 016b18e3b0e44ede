//! Sizes with units.

/// Reads a size such as `20mb` as bytes (CONTRACT.md C13): units are decimal, and the number is
/// rounded to three significant digits. None for any other form.
pub(crate) fn read_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let unit = match unit {
        "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return None,
    };
    let number: f64 =
        number.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
    if number == 0.0 {
        return Some(0);
    }
    let scale = 10f64.powf(2.0 - number.abs().log10().floor());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a checked, finite size")]
    Some(((number * scale).round() / scale * unit).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: C13
    #[test]
    fn units_are_decimal_and_three_digits_count() {
        for (text, bytes) in [
            ("20mb", Some(20_000_000)),
            ("20MB", Some(20_000_000)),
            ("1.2345kb", Some(1230)),
            ("5gb", Some(5_000_000_000)),
            ("7b", Some(7)),
            ("0b", Some(0)),
            ("20", None),
            ("mb", None),
            ("20tb", None),
            ("-1kb", None),
            ("20mib", None),
        ] {
            assert_eq!(read_size(text), bytes, "{text}");
        }
    }
}
