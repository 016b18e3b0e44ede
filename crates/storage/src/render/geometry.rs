//! Sizes and crops as imgproxy computes them (CONTRACT.md I02, I03).

use super::options::{Anchor, Gravity, RenderOptions, Resizing};

/// Widest and highest result where no size was asked for, in pixels.
const LARGEST: Size = Size { width: 3000, height: 8192 };

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    pub(crate) fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The size of the image turned by a quarter.
    pub(crate) fn turned(self) -> Self {
        Self { width: self.height, height: self.width }
    }

    /// Each side is divided by its own shrink factor, and stays at least a pixel.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a shrunk u32")]
    fn shrunk(self, by: (f64, f64)) -> Self {
        let side = |side: u32, by: f64| ((f64::from(side) / by).round() as u32).max(1);
        Self { width: side(self.width, by.0), height: side(self.height, by.1) }
    }

    fn min(self, other: Self) -> Self {
        Self { width: self.width.min(other.width), height: self.height.min(other.height) }
    }
}

/// How an image is scaled, and what is kept of it then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) scaled: Size,
    pub(crate) cropped: Size,
}

/// Plans a render. No image is enlarged. A side that was not asked for keeps the aspect.
pub(crate) fn plan(source: Size, options: &RenderOptions) -> Geometry {
    let wanted = Size {
        width: options.width.unwrap_or(LARGEST.width),
        height: options.height.unwrap_or(LARGEST.height),
    };
    let is_whole = options.width.is_none() || options.height.is_none();
    let by = (
        f64::from(source.width) / f64::from(wanted.width),
        f64::from(source.height) / f64::from(wanted.height),
    );
    let same = |by: f64| (by.max(1.0), by.max(1.0));
    let scaled = match options.resizing {
        _ if is_whole => source.shrunk(same(by.0.max(by.1))),
        Resizing::Contain => source.shrunk(same(by.0.max(by.1))),
        Resizing::Cover => source.shrunk(same(by.0.min(by.1))),
        Resizing::Fill => source.shrunk(stretched(by)),
    };
    Geometry { scaled, cropped: if is_whole { scaled } else { scaled.min(wanted) } }
}

/// A side that would be enlarged stays as it is, and the other shrinks so much the more.
fn stretched((x, y): (f64, f64)) -> (f64, f64) {
    let (x, y) = if x < 1.0 { (1.0, y / x) } else { (x, y) };
    if y < 1.0 { (x / y, 1.0) } else { (x, y) }
}

/// The left upper corner of the part that a crop keeps.
pub(crate) fn corner(geometry: Geometry, gravity: &Gravity) -> (u32, u32) {
    use Anchor::{
        Centre, East, FocalPoint, North, NorthEast, NorthWest, Smart, South, SouthEast, SouthWest, West,
    };
    let Geometry { scaled, cropped } = geometry;
    let (x, y) = gravity.offsets();
    let horizontal = Axis { whole: scaled.width, part: cropped.width, offset: x };
    let vertical = Axis { whole: scaled.height, part: cropped.height, offset: y };
    let left = match gravity.anchor {
        West | NorthWest | SouthWest => horizontal.at_start(),
        East | NorthEast | SouthEast => horizontal.at_end(),
        FocalPoint => horizontal.around_point(),
        North | South | Centre | Smart => horizontal.centred(),
    };
    let top = match gravity.anchor {
        North | NorthEast | NorthWest => vertical.at_start(),
        South | SouthEast | SouthWest => vertical.at_end(),
        FocalPoint => vertical.around_point(),
        East | West | Centre | Smart => vertical.centred(),
    };
    (left, top)
}

/// One side of a crop.
struct Axis {
    whole: u32,
    part: u32,
    offset: f64,
}

impl Axis {
    fn at_start(&self) -> u32 {
        self.within(self.pixels())
    }

    fn at_end(&self) -> u32 {
        self.within(self.free() - self.pixels())
    }

    fn centred(&self) -> u32 {
        self.within(((self.free() + 1.0) / 2.0).round_ties_even() + self.pixels())
    }

    fn around_point(&self) -> u32 {
        let point = (f64::from(self.whole) * self.offset).round();
        self.within(point - f64::from(self.part / 2))
    }

    /// An offset of 1 and more counts pixels, a smaller one is a part of the whole.
    fn pixels(&self) -> f64 {
        let is_part = self.offset.abs() < 1.0;
        (if is_part { f64::from(self.whole) * self.offset } else { self.offset }).round_ties_even()
    }

    fn free(&self) -> f64 {
        f64::from(self.whole.saturating_sub(self.part))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a side")]
    fn within(&self, position: f64) -> u32 {
        position.clamp(0.0, self.free()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size((width, height): (u32, u32)) -> Size {
        Size { width, height }
    }

    fn gravity(anchor: &str, x: &str, y: &str) -> Gravity {
        let text = format!("gravity:{anchor}:{x}:{y}");
        RenderOptions::from_signed(&text).unwrap().gravity.unwrap()
    }

    // rows: I02 I03
    #[test]
    fn sizes_are_those_of_imgproxy() {
        use Resizing::{Contain, Cover, Fill};
        for (source, width, height, resizing, scaled, cropped) in [
            ((1000, 500), Some(200), Some(200), Cover, (400, 200), (200, 200)),
            ((1000, 500), Some(200), Some(200), Contain, (200, 100), (200, 100)),
            ((1000, 500), Some(200), Some(200), Fill, (200, 200), (200, 200)),
            // One side keeps the aspect in every mode.
            ((1000, 500), Some(200), None, Cover, (200, 100), (200, 100)),
            ((1000, 500), None, Some(100), Fill, (200, 100), (200, 100)),
            ((333, 500), Some(100), None, Contain, (100, 150), (100, 150)),
            // Nothing is enlarged.
            ((100, 300), Some(200), Some(200), Cover, (100, 300), (100, 200)),
            ((100, 100), Some(2000), None, Cover, (100, 100), (100, 100)),
            ((100, 100), Some(200), Some(50), Fill, (100, 25), (100, 25)),
            ((100, 100), Some(50), Some(200), Fill, (25, 100), (25, 100)),
            // The largest result.
            ((6000, 4000), None, None, Cover, (3000, 2000), (3000, 2000)),
            ((100, 16384), None, None, Cover, (50, 8192), (50, 8192)),
            ((100, 40000), Some(90), None, Cover, (20, 8192), (20, 8192)),
            // A side stays at least a pixel.
            ((5000, 1), Some(10), Some(10), Contain, (10, 1), (10, 1)),
        ] {
            let options = RenderOptions { width, height, resizing, ..RenderOptions::default() };
            let geometry = Geometry { scaled: size(scaled), cropped: size(cropped) };
            assert_eq!(
                plan(size(source), &options),
                geometry,
                "{source:?} {width:?} {height:?} {resizing:?}"
            );
        }
    }

    // rows: I02
    #[test]
    fn a_crop_lies_where_its_gravity_says() {
        let geometry = Geometry { scaled: size((400, 300)), cropped: size((200, 100)) };
        for (anchor, x, y, left, top) in [
            ("ce", "", "", 100, 100),
            ("no", "", "", 100, 0),
            ("so", "", "", 100, 200),
            ("ea", "", "", 200, 100),
            ("we", "", "", 0, 100),
            ("nowe", "10", "20", 10, 20),
            ("soea", "10", "20", 190, 180),
            ("noea", "0.25", "0", 100, 0),
            ("ce", "-500", "500", 0, 200),
            ("fp", "0.5", "0.5", 100, 100),
            ("fp", "0", "1", 0, 200),
            ("fp", "0.5", "0.25", 100, 25),
        ] {
            let found = corner(geometry, &gravity(anchor, x, y));
            assert_eq!(found, (left, top), "{anchor}:{x}:{y}");
        }
    }
}
