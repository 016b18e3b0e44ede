//! Colours in sRGB, so that a result needs no colour profile (CONTRACT.md I03).

use image::DynamicImage;
use moxcms::{CmsError, ColorProfile, DataColorSpace, Layout, TransformOptions};

/// Converts an image of 8 bits a channel to sRGB. A profile that is not readable, or is not one of
/// RGB, changes nothing.
pub(super) fn in_srgb(image: DynamicImage, profile: Option<&[u8]>) -> DynamicImage {
    let profile = profile.and_then(|profile| ColorProfile::new_from_slice(profile).ok());
    let Some(profile) = profile.filter(|profile| profile.color_space == DataColorSpace::Rgb) else {
        return image;
    };
    match image {
        DynamicImage::ImageRgb8(mut image) => {
            convert(&profile, Layout::Rgb, &mut image);
            image.into()
        }
        DynamicImage::ImageRgba8(mut image) => {
            convert(&profile, Layout::Rgba, &mut image);
            image.into()
        }
        other => other,
    }
}

/// Replaces pixels, unless the profile cannot be converted from.
fn convert(profile: &ColorProfile, layout: Layout, pixels: &mut [u8]) {
    if let Ok(converted) = converted(profile, layout, pixels) {
        pixels.copy_from_slice(&converted);
    }
}

fn converted(profile: &ColorProfile, layout: Layout, pixels: &[u8]) -> Result<Vec<u8>, CmsError> {
    let srgb = ColorProfile::new_srgb();
    let transform = profile.create_transform_8bit(layout, &srgb, layout, TransformOptions::default())?;
    let mut converted = vec![0; pixels.len()];
    transform.transform(pixels, &mut converted)?;
    Ok(converted)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    // rows: I03
    #[test]
    fn a_photograph_of_a_wide_display_keeps_its_colours() {
        let green = DynamicImage::from(RgbImage::from_pixel(4, 4, Rgb([100, 200, 100])));
        let profile = ColorProfile::new_display_p3().encode().unwrap();
        let Rgb([red, shown, _]) = *in_srgb(green.clone(), Some(&profile)).to_rgb8().get_pixel(0, 0);
        // The same green is further from grey in the smaller space.
        assert!(red < 95 && shown >= 200, "{red} {shown}");
        let srgb = ColorProfile::new_srgb().encode().unwrap();
        for profile in [None, Some(b"no profile".as_slice()), Some(srgb.as_slice())] {
            let Rgb([red, shown, _]) = *in_srgb(green.clone(), profile).to_rgb8().get_pixel(0, 0);
            assert!(red.abs_diff(100) < 2 && shown.abs_diff(200) < 2, "{red} {shown}");
        }
    }
}
