//! The image as bytes. No metadata of the source is written (CONTRACT.md I03, I06).

use image::{
    DynamicImage, ExtendedColorType, ImageEncoder, ImageResult,
    codecs::{jpeg::JpegEncoder, png::PngEncoder},
};

use super::{error::RenderError, output::Output};

/// WebP, by libwebp.
mod webp;

/// AVIF, by rav1e.
mod avif;

/// Encodes an image of 8 bits a channel. `quality` is from 20 to 100. An image that is too large
/// for AVIF becomes WebP.
pub(super) fn encode(
    image: &DynamicImage,
    output: Output,
    quality: Option<u8>,
) -> Result<Vec<u8>, RenderError> {
    let output = if output == Output::Avif && !avif::is_affordable(image) { Output::Webp } else { output };
    let quality = quality.unwrap_or(output.usual_quality());
    match output {
        Output::Jpeg => jpeg(image, quality),
        Output::Png => png(image),
        Output::Webp => webp::encode(image, quality),
        Output::Avif => avif::encode(image, quality),
    }
}

/// JPEG knows no alpha: what is transparent becomes black, as imgproxy has it.
fn jpeg(image: &DynamicImage, quality: u8) -> Result<Vec<u8>, RenderError> {
    let opaque = image.to_rgb8();
    written(|bytes| {
        let encoder = JpegEncoder::new_with_quality(bytes, quality);
        encoder.write_image(&opaque, opaque.width(), opaque.height(), ExtendedColorType::Rgb8)
    })
}

fn png(image: &DynamicImage) -> Result<Vec<u8>, RenderError> {
    written(|bytes| image.write_with_encoder(PngEncoder::new(bytes)))
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> ImageResult<()>) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    write(&mut bytes).map(|()| bytes).map_err(|_| RenderError::Unreadable)
}

#[cfg(test)]
mod tests {
    use image::{GenericImageView, Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    /// A gradient with an edge, like a photograph of a sort.
    fn picture(width: u32, height: u32) -> DynamicImage {
        #[expect(clippy::cast_possible_truncation, reason = "colours wrap")]
        let colour = |x: u32, y: u32| Rgb([(x * 3) as u8, (y * 2) as u8, if x > y { 200 } else { 20 }]);
        RgbImage::from_fn(width, height, colour).into()
    }

    fn furthest(one: &DynamicImage, other: &DynamicImage) -> u8 {
        let pairs = one.to_rgb8().into_raw().into_iter().zip(other.to_rgb8().into_raw());
        pairs.map(|(one, other)| one.abs_diff(other)).max().unwrap_or_default()
    }

    // rows: I02 I03
    #[test]
    fn what_is_encoded_is_the_same_picture() {
        let flat = DynamicImage::from(RgbImage::from_pixel(64, 48, Rgb([40, 120, 200])));
        for output in [Output::Jpeg, Output::Png, Output::Webp] {
            let bytes = encode(&flat, output, Some(90)).unwrap();
            let decoded = image::load_from_memory(&bytes).unwrap();
            assert_eq!(decoded.dimensions(), (64, 48), "{output:?}");
            assert!(furthest(&flat, &decoded) < 12, "{output:?}");
        }
    }

    // rows: I02
    #[test]
    fn a_lower_quality_takes_fewer_bytes() {
        let image = picture(300, 200);
        for output in [Output::Jpeg, Output::Webp, Output::Avif] {
            let low = encode(&image, output, Some(20)).unwrap().len();
            let usual = encode(&image, output, None).unwrap().len();
            let high = encode(&image, output, Some(100)).unwrap().len();
            assert!(low < usual && usual < high, "{output:?}: {low} {usual} {high}");
        }
    }

    // rows: I03
    #[test]
    fn webp_and_png_keep_what_is_transparent() {
        let image = DynamicImage::from(RgbaImage::from_pixel(20, 20, Rgba([200, 10, 10, 100])));
        for output in [Output::Png, Output::Webp] {
            let decoded = image::load_from_memory(&encode(&image, output, None).unwrap()).unwrap();
            assert!(decoded.get_pixel(3, 3).0[3].abs_diff(100) < 3, "{output:?}");
        }
    }

    // rows: I02
    #[test]
    fn a_large_image_becomes_webp_in_place_of_avif() {
        let small = encode(&picture(80, 60), Output::Avif, None).unwrap();
        assert_eq!(&small[4..12], b"ftypavif");
        let large = encode(&picture(1700, 1300), Output::Avif, None).unwrap();
        assert_eq!(&large[8..12], b"WEBP");
    }
}
