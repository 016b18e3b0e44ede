//! Keeps of the look-alikes of UTS 39 those that matter here: a component carries the table, and
//! the whole of it is 110 KB larger.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::{fs, iter};

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::skeleton;

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script in this way where to write")]
fn main() -> io::Result<()> {
    writeln!(io::stdout(), "cargo::rerun-if-changed=build.rs")?;
    let out = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("look_alikes.rs"), tables().map_err(io::Error::other)?)
}

/// Letters that look like Latin ones, in their order, and the ranges of what nobody sees.
fn tables() -> Result<String, std::fmt::Error> {
    let (mut letters, mut unseen): (String, Vec<(char, char)>) = Default::default();
    let mut count = 0;
    for c in ('\u{80}'..=char::MAX).filter(|c| stays_as_it_is(*c)) {
        let seen = plain_form(c);
        if seen.is_empty() {
            match unseen.last_mut() {
                Some((_, last)) if follows(*last, c) => *last = c,
                _ => unseen.push((c, c)),
            }
        } else if seen.is_ascii() {
            count += 1;
            write!(letters, "({c:?}, {seen:?}), ")?;
        }
    }
    let (of_letters, of_unseen) = ("&[(char, &str)]", "&[(char, char)]");
    Ok(format!(
        "/// {count} letters.\nstatic LOOK_ALIKES: {of_letters} = &[{letters}];\n\
         static UNSEEN: {of_unseen} = &{unseen:?};\n"
    ))
}

/// Compatible forms and accents are taken apart before anybody looks here.
fn stays_as_it_is(c: char) -> bool {
    iter::once(c).nfkd().eq([c])
}

fn follows(last: char, c: char) -> bool {
    u32::from(last) + 1 == u32::from(c)
}

fn plain_form(c: char) -> String {
    let seen = looks_like(c);
    let capital = c.to_uppercase().next().map(looks_like).unwrap_or_default();
    match seen.as_str() {
        "" => seen,
        _ if !c.is_alphabetic() => c.to_string(),
        // An "I" and an "l" look alike, and the capital of them is the "I".
        "l" if c.is_uppercase() => "I".to_owned(),
        _ if seen.is_ascii() => seen,
        // A small letter may look like its capital, as that of "Т" does.
        _ if capital.is_ascii() => capital,
        _ => c.to_string(),
    }
}

/// What a sign looks like; nothing, where nobody sees it.
fn looks_like(c: char) -> String {
    skeleton(c.encode_utf8(&mut [0; 4])).collect()
}
