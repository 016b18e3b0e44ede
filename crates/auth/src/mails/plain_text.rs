/// The words of a page of HTML, a line for each block, and the addresses of its links behind their
/// words. Enough for mails: markup, styles and head are left out.
pub(crate) fn of_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut link = None;
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
        if name == "a" {
            if let Some(link) = link.take() {
                push_address(&mut text, link);
            }
            link = address(&rest[1..end]).map(|address| (text.len(), address));
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

/// Where a link leads; none for the end of one, and for places of the page.
fn address(tag: &str) -> Option<String> {
    let value = &tag[tag.to_ascii_lowercase().find("href=")? + "href=".len()..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let address = decoded(value[1..].split(quote).next()?);
    address.contains(':').then_some(address)
}

/// Adds the address of a link whose words begin at `from`, unless they say it, in the signs that no
/// address holds (RFC 3986, appendix C): what stands behind it is not followed with it.
fn push_address(text: &mut String, (from, address): (usize, String)) {
    if text.get(from..).is_none_or(|words| !words.contains(&address)) {
        text.push_str(&format!(" <{address}>"));
    }
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "i" | "em" | "strong" | "span" | "small" | "code" | "u" | "font" | "img" | "!--"
    )
}

fn after<'a>(text: &'a str, delimiter: &str) -> &'a str {
    text.find(delimiter).map_or("", |at| &text[at + delimiter.len()..])
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
    for c in decoded(piece).chars() {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}

/// A piece with its entities resolved.
fn decoded(piece: &str) -> String {
    piece
        .replace("&nbsp;", " ")
        .replace("&zwnj;", "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
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

    // rows: M21
    #[test]
    fn links_can_be_followed_by_who_reads_text() {
        let html = "<p>Or <a style=\"x\" href=\"https://a.example/verify?token=t&amp;type=magiclink\">follow this</a>.</p>\
            <a href='https://b.example'>https://b.example</a> <a href=\"#top\">up</a> <a>no</a>";
        let text =
            "Or follow this <https://a.example/verify?token=t&type=magiclink>.\nhttps://b.example up no";
        assert_eq!(of_html(html), text);
    }
}
