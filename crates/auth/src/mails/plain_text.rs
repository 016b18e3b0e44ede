/// The words of a page of HTML, a line for each block. Enough for mails: markup, styles and head are left out.
pub(crate) fn of_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        push(&mut text, &rest[..start]);
        rest = &rest[start..];
        let Some(end) = rest.find('>') else { break };
        let tag = rest[1..end].to_ascii_lowercase();
        let name = tag.split([' ', '\n', '\t', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        if !tag.starts_with('/') && matches!(name, "head" | "style" | "script" | "title") {
            rest = after_closing(rest, name);
            continue;
        }
        if !is_inline(name) && !text.ends_with('\n') {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        rest = if tag.starts_with("!--") { after(rest, "-->") } else { &rest[end + 1..] };
    }
    if !rest.starts_with('<') {
        push(&mut text, rest);
    }
    text.trim().to_owned()
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "i" | "em" | "strong" | "span" | "small" | "code" | "u" | "font" | "img" | "!--"
    )
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}

fn after_closing<'a>(text: &'a str, name: &str) -> &'a str {
    let lower = text.to_ascii_lowercase();
    match lower.find(&format!("</{name}")) {
        Some(at) => after(&text[at..], ">"),
        None => "",
    }
}

/// Adds words with single spaces between them, entities resolved.
fn push(text: &mut String, piece: &str) {
    let decoded = piece
        .replace("&nbsp;", " ")
        .replace("&zwnj;", "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    for c in decoded.chars() {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_page_come_line_by_line() {
        let html = "<html><head><title>x</title><style>p{}</style></head><body>\n<h2>Your code</h2>\n\
            <p>Enter <b>123456</b> &amp; go.</p><!-- <p>no</p> --><div>नमस्ते</div></body></html>";
        assert_eq!(of_html(html), "Your code\nEnter 123456 & go.\nनमस्ते");
        assert_eq!(of_html("plain < broken"), "plain");
    }
}
