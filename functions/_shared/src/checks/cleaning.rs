//! Cleaning that needs no second try: markup becomes plain text (V17), sentences with links, addresses or
//! telephone numbers that nobody asked for are left out (V16).

use crate::sanitise;
use serde_json::Value;

/// Cleans every text of a model's reply in place.
pub fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean_text(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                // A sum is data for the evaluator; `**` or `^` in it is no markup.
                if name != "expression" {
                    clean(field);
                }
            }
        }
        _ => {}
    }
}

/// One text without markup and without invented addresses.
pub fn clean_text(text: &str) -> String {
    let plain = without_markup(&sanitise::line(text));
    if !has_address(&plain) {
        return plain;
    }
    let kept: Vec<&str> = sentences(&plain).into_iter().filter(|sentence| !has_address(sentence)).collect();
    kept.join("").trim().to_owned()
}

fn without_markup(text: &str) -> String {
    let mut out = text.to_owned();
    for (markup, plain) in [
        ("\\times", "×"),
        ("\\div", "÷"),
        ("\\cdot", "·"),
        ("\\pm", "±"),
        ("\\rightarrow", "→"),
        ("\\degree", "°"),
        ("\\Omega", "Ω"),
        ("**", ""),
        ("__ ", "_ "),
        ("```", ""),
        ("`", ""),
        ("$$", ""),
        ("\\(", ""),
        ("\\)", ""),
        ("\\[", ""),
        ("\\]", ""),
        ("<br>", " "),
        ("<br/>", " "),
        ("<b>", ""),
        ("</b>", ""),
        ("<i>", ""),
        ("</i>", ""),
        ("<p>", ""),
        ("</p>", ""),
    ] {
        out = out.replace(markup, plain);
    }
    let out = fractions(&out).replace("\\sqrt", "√");
    let out = if out.matches('$').count() >= 2 { out.replace('$', "") } else { out };
    out.trim_start_matches('#').trim().to_owned()
}

/// `\frac{a}{b}` becomes `(a)/(b)`.
fn fractions(text: &str) -> String {
    let mut out = text.to_owned();
    while let Some(start) = out.find("\\frac{") {
        let rest = &out[start + 6..];
        let parts = rest.split_once("}{").and_then(|(above, rest)| {
            let (below, after) = rest.split_once('}')?;
            Some(format!("{}({above})/({below}){after}", &out[..start]))
        });
        match parts {
            Some(replaced) => out = replaced,
            None => return out.replace("\\frac", ""),
        }
    }
    out
}

fn sentences(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends =
            matches!(c, '.' | '!' | '?' | '।') && text[end..].chars().next().is_none_or(char::is_whitespace);
        if ends {
            parts.push(&text[start..end]);
            start = end;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Links, e-mail addresses, telephone numbers.
pub fn has_address(text: &str) -> bool {
    let lower = text.to_lowercase();
    let link = ["http://", "https://", "www."].iter().any(|sign| lower.contains(sign));
    let mail = lower
        .split_whitespace()
        .any(|word| word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')));
    link || mail || has_telephone(&lower)
}

/// Ten digits in a row that begin like an Indian mobile number, spaces and hyphens aside.
fn has_telephone(text: &str) -> bool {
    let joined: Vec<char> = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    let mut run = String::new();
    for c in joined.into_iter().chain(std::iter::once(' ')) {
        if c.is_ascii_digit() {
            run.push(c);
            continue;
        }
        let number = run.strip_prefix("91").filter(|_| run.len() == 12).unwrap_or(&run);
        if number.len() == 10 && number.starts_with(['6', '7', '8', '9']) {
            return true;
        }
        run.clear();
    }
    false
}

/// Markup that cleaning could not turn into text.
pub fn has_markup(text: &str) -> bool {
    ["**", "##", "`", "\\frac", "\\begin", "\\text", "$\\", "</", "<div", "<span"]
        .iter()
        .any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v17_markup_becomes_plain_text() {
        let table = [
            ("**Ohm's law**: $V = IR$", "Ohm's law: V = IR"),
            ("## Recap", "Recap"),
            ("\\frac{1}{2} of `x`", "(1)/(2) of x"),
            ("3 \\times 4 <b>now</b>", "3 × 4 now"),
            ("It costs $5", "It costs $5"),
        ];
        for (text, clean) in table {
            assert_eq!(clean_text(text), clean);
            assert!(!has_markup(&clean_text(text)), "{text}");
        }
    }

    #[test]
    fn v16_sentences_with_addresses_are_left_out() {
        let text = "Read page one. See https://example.com/x for more. Then write. Call 98765 43210 now!";
        assert_eq!(clean_text(text), "Read page one. Then write.");
        assert_eq!(clean_text("Mail me at a@b.in."), "");
        assert_eq!(
            clean_text("The number is 3,60,00,000 J in 1.5 h."),
            "The number is 3,60,00,000 J in 1.5 h."
        );
    }

    #[test]
    fn a_sum_is_not_touched() {
        let mut value = serde_json::json!({ "expression": "2**3", "a": "**8**" });
        clean(&mut value);
        assert_eq!(value, serde_json::json!({ "expression": "2**3", "a": "8" }));
    }
}
