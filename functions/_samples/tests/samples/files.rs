//! The files of `files/`, written by LibreOffice from text of our own, and files made here.

use banyan_samples::{Limits, SampleError, SampleText, text_of};

pub(crate) const PAPER_PDF: &[u8] = include_bytes!("files/paper.pdf");
pub(crate) const PAPER_DOCX: &[u8] = include_bytes!("files/paper.docx");
pub(crate) const HINDI_PDF: &[u8] = include_bytes!("files/lesson_hi.pdf");
pub(crate) const HINDI_DOCX: &[u8] = include_bytes!("files/lesson_hi.docx");
pub(crate) const COLUMNS_PDF: &[u8] = include_bytes!("files/columns.pdf");
pub(crate) const COLUMNS_DOCX: &[u8] = include_bytes!("files/columns.docx");
pub(crate) const LONG_PDF: &[u8] = include_bytes!("files/long.pdf");
pub(crate) const LONG_DOCX: &[u8] = include_bytes!("files/long.docx");
pub(crate) const LOCKED_PDF: &[u8] = include_bytes!("files/locked.pdf");

/// Reads a file within the limits of the product.
pub(crate) fn read(bytes: &[u8]) -> Result<SampleText, SampleError> {
    text_of(bytes, &Limits::default())
}

/// The text of a file that can be read, a line each.
pub(crate) fn lines(bytes: &[u8]) -> Vec<String> {
    read(bytes).expect("a sample").lines.into_iter().map(|line| line.text).collect()
}

/// Headings with their levels.
pub(crate) fn headings(bytes: &[u8]) -> Vec<(u8, String)> {
    let lines = read(bytes).expect("a sample").lines.into_iter();
    lines.filter_map(|line| Some((line.heading?, line.text))).collect()
}

/// A PDF of these objects, the first of which is the catalog.
pub(crate) fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    for (at, object) in objects.iter().enumerate() {
        file.extend(format!("{} 0 obj\n", at + 1).into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    file.extend(b"trailer\n<</Root 1 0 R>>\n%%EOF\n");
    file
}

/// A stream with the entries of its dictionary.
pub(crate) fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{entries}/Length {}>>\nstream\n", bytes.len()).into_bytes();
    object.extend(bytes);
    object.extend(b"\nendstream");
    object
}

/// A PDF of one page with this content. Object 5 is its font, a Latin one; more objects follow.
pub(crate) fn page(content: Vec<u8>, more: &[Vec<u8>]) -> Vec<u8> {
    let resources = "/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>";
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R{resources}/Contents 4 0 R>>").into_bytes(),
        content,
        b"<</Type/Font/Subtype/Type1/BaseFont/Times/Encoding/WinAnsiEncoding>>".to_vec(),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

/// A ZIP of these parts.
pub(crate) fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in parts {
        archive.start_file(*name, options).expect("a part begins");
        archive.write_all(bytes).expect("a part is written");
    }
    archive.finish().expect("a ZIP").into_inner()
}

/// A DOCX with this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\"?><w:document \
         xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    );
    zip(&[("word/document.xml", document.as_bytes())])
}

/// A paragraph of one run.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
