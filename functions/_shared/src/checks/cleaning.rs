//! Cleaning that needs no second try: markup becomes plain text (V17), sentences with what nobody
//! asked for are left out (V16).

use super::invented::is_invented;
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

/// One text without markup and without what was invented.
pub fn clean_text(text: &str) -> String {
    let plain = without_markup(&sanitise::line(text));
    if !is_invented(&plain) {
        return plain;
    }
    let kept: Vec<&str> = sentences(&plain).into_iter().filter(|sentence| !is_invented(sentence)).collect();
    kept.join("").trim().to_owned()
}

/// Commands of LaTeX and marks of Markdown, and what they stand for.
const MARKUP: [(&str, &str); 41] = [
    ("\\times", "×"),
    ("\\div", "÷"),
    ("\\cdot", "·"),
    ("\\pm", "±"),
    ("\\rightarrow", "→"),
    ("\\degree", "°"),
    ("^{\\circ}", "°"),
    ("^\\circ", "°"),
    ("\\Omega", "Ω"),
    ("\\Delta", "Δ"),
    ("\\alpha", "α"),
    ("\\beta", "β"),
    ("\\gamma", "γ"),
    ("\\theta", "θ"),
    ("\\lambda", "λ"),
    ("\\mu", "μ"),
    ("\\pi", "π"),
    ("\\rho", "ρ"),
    ("\\sigma", "σ"),
    ("\\phi", "φ"),
    ("\\omega", "ω"),
    ("\\infty", "∞"),
    ("\\angle", "∠"),
    ("\\triangle", "△"),
    ("\\leq", "≤"),
    ("\\geq", "≥"),
    ("\\neq", "≠"),
    ("\\approx", "≈"),
    ("\\leftarrow", "←"),
    ("\\left", ""),
    ("\\right", ""),
    ("\\sqrt", "√"),
    ("**", ""),
    ("```", ""),
    ("`", ""),
    ("$$", ""),
    ("\\(", ""),
    ("\\)", ""),
    ("\\[", ""),
    ("\\]", ""),
    ("\\,", " "),
];

fn without_markup(text: &str) -> String {
    let plain = |text: String, (markup, plain): &(&str, &str)| text.replace(markup, plain);
    let out = scripts(&MARKUP.iter().fold(fractions(&without_tags(text)), plain));
    let out = without_underlines(&out);
    let out = if out.matches('$').count() >= 2 { out.replace('$', "") } else { out };
    out.trim_start_matches('#').trim().to_owned()
}

/// Tags of HTML that come in texts. A letter behind `<` alone may be that of an inequality.
const TAGS: [&str; 22] = [
    "a", "b", "br", "div", "em", "font", "h1", "h2", "h3", "i", "img", "li", "ol", "p", "script", "span",
    "strong", "style", "sub", "sup", "u", "ul",
];

/// A tag at the beginning of a text: its name, and how long it is.
fn tag(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find('>').filter(|end| *end <= 200)?;
    let inner = inner[..end].trim_start_matches('/');
    let (name, more) =
        inner.split_at(inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len()));
    let is_bare = more.trim_matches([' ', '/']).is_empty();
    let is_tag = TAGS.contains(&name.to_ascii_lowercase().as_str());
    (is_tag && (is_bare || name.len() > 1 || more.contains("href"))).then_some((name, end + 2))
}

/// A line that ends is a space, what is raised has its sign, and nothing is left of other tags.
fn without_tags(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((name, length)) = tag(rest) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        let is_end = rest.starts_with("</");
        out.push_str(match name.to_ascii_lowercase().as_str() {
            "br" => " ",
            "sup" if !is_end => "^",
            _ => "",
        });
        rest = &rest[length..];
    }
    out + rest
}

/// `x^{2}` and `x^2` become x², `H_{2}O` becomes H₂O.
fn scripts(text: &str) -> String {
    let small = |c: char, zero: [char; 10]| c.to_digit(10).map(|digit| zero[digit as usize]);
    let raised = |c| small(c, ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']);
    let lowered = |c| small(c, ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉']);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['^', '_']) {
        let sign = &rest[at..=at];
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let inner = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let written = match (sign, inner) {
            ("^", Some((inner, _))) => inner.chars().map(raised).collect::<Option<String>>(),
            (_, Some((inner, _))) => inner.chars().map(lowered).collect(),
            _ => None,
        };
        match written.zip(inner) {
            Some((written, (_, after))) if !written.is_empty() => {
                out.push_str(&written);
                rest = after;
            }
            _ => out.push_str(sign),
        }
    }
    out + rest
}

/// `__bold__` becomes bold; a longer row of underscores is a blank.
fn without_underlines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('_') {
        let row = rest[at..].chars().take_while(|c| *c == '_').count();
        out.push_str(&rest[..at]);
        out.push_str(if row == 2 { "" } else { &rest[at..at + row] });
        rest = &rest[at + row..];
    }
    out + rest
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

/// Markup that cleaning could not turn into text.
pub fn has_markup(text: &str) -> bool {
    let command = text.split('\\').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let emphasis = text.split_whitespace().any(is_emphasis);
    let tag =
        text.match_indices('<').any(|(at, _)| text[at..].starts_with("</") || tag(&text[at..]).is_some());
    command || emphasis || tag || ["**", "##", "`", "$\\", "^{", "_{"].iter().any(|sign| text.contains(sign))
}

/// `*word*` and `__word__`; a row of underscores is a blank, and one star between numbers a
/// product.
fn is_emphasis(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '*' | '_'));
    let within = |sign: &str| {
        let inner = word.strip_prefix(sign).and_then(|word| word.strip_suffix(sign));
        inner.is_some_and(|inner| inner.starts_with(char::is_alphabetic) && !inner.contains(sign))
    };
    within("*") || within("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V17
    #[test]
    fn markup_becomes_plain_text() {
        let table = [
            ("**Ohm's law**: $V = IR$", "Ohm's law: V = IR"),
            ("## Recap", "Recap"),
            ("\\frac{1}{2} of `x`", "(1)/(2) of x"),
            ("3 \\times 4 <b>now</b>", "3 × 4 now"),
            ("It costs $5", "It costs $5"),
            ("\\theta = 30^{\\circ} and \\pi r^{2}", "θ = 30° and π r²"),
            ("The ____ is __bold__ here", "The ____ is bold here"),
            ("H_{2}O and x<sup>2</sup><br>end", "H₂O and x^2 end"),
            ("<img src=x onerror=1><font color=red>Red</font>", "Red"),
            ("if a <b and c> d, x<y", "if a <b and c> d, x<y"),
        ];
        for (text, clean) in table {
            assert_eq!(clean_text(text), clean);
            assert!(!has_markup(&clean_text(text)), "{text}");
        }
    }

    // rows: V17
    #[test]
    fn markup_that_stays_is_found_and_blanks_and_sums_are_none() {
        for text in ["*stars* and more", "__bold__ word", "x^{2n} is", "\\begin{x}", "a </u> b", "$\\vec v$"]
        {
            assert!(has_markup(text), "{text}");
        }
        for text in ["Fill in ________ here.", "3 * 4 * 5 = 60", "_ is a sign", "x_1 < x_2", "a<b", "5^2"] {
            assert!(!has_markup(text), "{text}");
        }
    }

    // rows: V16
    #[test]
    fn sentences_with_addresses_are_left_out() {
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
