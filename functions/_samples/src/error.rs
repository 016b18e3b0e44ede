//! Why a sample cannot be used. The message is a sentence for a teacher; the code is for programs.

/// A sample that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// The file is not there, or not any more.
    #[error("Your sample is not there any more. Please upload it again.")]
    Missing,
    /// The file has more bytes than a sample may have.
    #[error("This file is too large. A sample has at most {} MB.", limit / 1_000_000)]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The bytes are neither PDF nor DOCX, whatever the name of the file says.
    #[error("This file is no PDF and no DOCX. Please save your sample as PDF or DOCX.")]
    NotADocument,
    /// A password protects the file.
    #[error("This file is locked with a password. Please upload a copy without a password.")]
    Locked,
    /// The file breaks off, or its parts do not fit together.
    #[error("This file is damaged or was not uploaded whole. Please upload it again.")]
    Damaged,
    /// The file holds pictures and no text.
    #[error("This looks like a scanned picture; we cannot read it. Please upload a file with typed text.")]
    NoText,
    /// The file has more pages than a sample may have.
    #[error("This file has more than {limit} pages. Please upload the pages that matter.")]
    TooManyPages {
        /// The limit in pages.
        limit: u32,
    },
    /// The parts of the file unpack to more bytes than a document of its size has.
    #[error("This file is too large when it is unpacked. Please upload a simpler file.")]
    TooLargeUnpacked,
    /// Reading the file takes more steps than a document of its size needs.
    #[error("This file is too complicated to read. Please upload a simpler file.")]
    TooComplex,
    /// The text is typed in a font from before Unicode.
    #[error("This file uses an old Hindi, Marathi or Kannada font and could not be read.")]
    OldFont,
    /// The file does not say which letters its signs stand for.
    #[error("The letters of this file could not be read. Please upload it as DOCX.")]
    BrokenLetters,
}

impl SampleError {
    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "sample_missing",
            Self::TooLarge { .. } => "sample_too_large",
            Self::NotADocument => "sample_not_a_document",
            Self::Locked => "sample_locked",
            Self::Damaged => "sample_damaged",
            Self::NoText => "sample_without_text",
            Self::TooManyPages { .. } => "sample_too_many_pages",
            Self::TooLargeUnpacked => "sample_too_large_unpacked",
            Self::TooComplex => "sample_too_complex",
            Self::OldFont => "sample_old_font",
            Self::BrokenLetters => "sample_broken_letters",
        }
    }
}
