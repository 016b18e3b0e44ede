//! How the image fills the size that was asked for.

/// How the image fills the size that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Resizing {
    /// All of the size is filled, and what sticks out is cut off.
    #[default]
    Cover,
    /// All of the image is seen, within the size.
    Contain,
    /// The image is stretched.
    Fill,
}

impl Resizing {
    pub(super) const NAMES: &[(&'static str, Self)] =
        &[("cover", Self::Cover), ("contain", Self::Contain), ("fill", Self::Fill)];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Contain => "contain",
            Self::Fill => "fill",
        }
    }

    pub(super) fn imgproxy_name(self) -> &'static str {
        match self {
            Self::Cover => "fill",
            Self::Contain => "fit",
            Self::Fill => "force",
        }
    }
}
