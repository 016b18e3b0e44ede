//! From the pixels of the source to the pixels of the result.

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, metadata::Orientation};

use super::{
    decode::is_turned,
    error::RenderError,
    geometry::{self, Geometry, Size},
    options::{Anchor, Gravity},
};

/// Where the image has most detail.
mod smart_crop;

/// Scales, turns and crops an image. Pixels of the result have 8 bits a channel, and an alpha
/// channel only if a pixel is not opaque. The image is turned last, when it is small.
pub(super) fn resize(
    image: DynamicImage,
    orientation: Orientation,
    geometry: Geometry,
    gravity: &Gravity,
) -> Result<DynamicImage, RenderError> {
    let target = if is_turned(orientation) { geometry.scaled.turned() } else { geometry.scaled };
    let mut image = in_eight_bits(scale(image, target)?);
    image.apply_orientation(orientation);
    Ok(crop(image, geometry, gravity))
}

/// Scales by Lanczos' filter, colours weighed by their alpha.
fn scale(image: DynamicImage, target: Size) -> Result<DynamicImage, RenderError> {
    if (image.width(), image.height()) == (target.width, target.height) {
        return Ok(image);
    }
    let mut scaled = DynamicImage::new(target.width, target.height, image.color());
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    let resized = Resizer::new().resize(&image, &mut scaled, &options);
    resized.map(|()| scaled).map_err(|_| RenderError::Unreadable)
}

fn in_eight_bits(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.into_rgb8().into();
    }
    let image = image.into_rgba8();
    let is_opaque = image.pixels().all(|pixel| pixel.0[3] == u8::MAX);
    let image = DynamicImage::from(image);
    if is_opaque { image.into_rgb8().into() } else { image }
}

fn crop(image: DynamicImage, geometry: Geometry, gravity: &Gravity) -> DynamicImage {
    let Geometry { scaled, cropped } = geometry;
    if cropped == scaled {
        return image;
    }
    let (left, top) = if gravity.anchor == Anchor::Smart {
        smart_crop::corner(&image.to_luma8(), cropped)
    } else {
        geometry::corner(geometry, gravity)
    };
    image.crop_imm(left, top, cropped.width, cropped.height)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    fn size(width: u32, height: u32) -> Size {
        Size { width, height }
    }

    /// Left half red, right half blue.
    fn halves(width: u32, height: u32) -> DynamicImage {
        let colour = |x| if x < width / 2 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) };
        RgbImage::from_fn(width, height, |x, _| colour(x)).into()
    }

    fn rendered(image: DynamicImage, orientation: Orientation, scaled: Size, cropped: Size) -> DynamicImage {
        resize(image, orientation, Geometry { scaled, cropped }, &Gravity::default()).unwrap()
    }

    // rows: I03
    #[test]
    fn an_image_is_scaled_before_it_is_turned() {
        let turned = rendered(halves(400, 200), Orientation::Rotate90, size(50, 100), size(50, 100));
        assert_eq!((turned.width(), turned.height()), (50, 100));
        // Turned clockwise, the left half is above.
        assert_eq!(turned.to_rgb8().get_pixel(25, 10), &Rgb([255, 0, 0]));
        assert_eq!(turned.to_rgb8().get_pixel(25, 90), &Rgb([0, 0, 255]));
    }

    // rows: I02
    #[test]
    fn a_crop_keeps_the_middle() {
        let cropped =
            rendered(halves(400, 200), Orientation::NoTransforms, size(200, 100), size(100, 100)).to_rgb8();
        assert_eq!(cropped.dimensions(), (100, 100));
        assert_eq!(cropped.get_pixel(5, 50), &Rgb([255, 0, 0]));
        assert_eq!(cropped.get_pixel(95, 50), &Rgb([0, 0, 255]));
    }

    // rows: I03
    #[test]
    fn hidden_colours_do_not_shine_through() {
        let colour = |x| if x % 2 == 0 { Rgba([0, 255, 0, 255]) } else { Rgba([255, 0, 0, 0]) };
        let stripes = RgbaImage::from_fn(200, 100, |x, _| colour(x));
        let small =
            rendered(stripes.into(), Orientation::NoTransforms, size(50, 25), size(50, 25)).to_rgba8();
        let Rgba([red, green, _, alpha]) = *small.get_pixel(25, 12);
        assert!(red < 8 && green > 247 && (100..156).contains(&alpha), "{red} {green} {alpha}");
    }

    // rows: I03
    #[test]
    fn an_alpha_channel_that_hides_nothing_goes() {
        let opaque = RgbaImage::from_pixel(20, 20, Rgba([1, 2, 3, 255]));
        let small = rendered(opaque.into(), Orientation::NoTransforms, size(10, 10), size(10, 10));
        assert!(!small.color().has_alpha());
    }

    // rows: I06
    #[test]
    fn every_kind_of_pixel_can_be_scaled() {
        use image::ColorType::{L8, L16, La8, La16, Rgb8, Rgb16, Rgb32F, Rgba8, Rgba16, Rgba32F};
        for kind in [L8, La8, Rgb8, Rgba8, L16, La16, Rgb16, Rgba16, Rgb32F, Rgba32F] {
            let image = DynamicImage::new(30, 20, kind);
            let small = rendered(image, Orientation::NoTransforms, size(15, 10), size(15, 10));
            assert_eq!((small.width(), small.height()), (15, 10), "{kind:?}");
        }
    }
}
