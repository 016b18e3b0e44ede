//! WebP, by libwebp.

use std::{ffi::c_int, ptr};

use image::DynamicImage;

use crate::render::RenderError;

/// Encodes with loss. Sides are at most 16,383 pixels long.
#[expect(unsafe_code, reason = "libwebp is C; both calls are checked here")]
pub(super) fn encode(image: &DynamicImage, quality: u8) -> Result<Vec<u8>, RenderError> {
    let (pixels, channels, encoder) = match image {
        DynamicImage::ImageRgba8(image) => (image.as_raw(), 4, libwebp_sys::WebPEncodeRGBA as Encoder),
        DynamicImage::ImageRgb8(image) => (image.as_raw(), 3, libwebp_sys::WebPEncodeRGB as Encoder),
        _ => return Err(RenderError::Unreadable),
    };
    let side = |side: u32| c_int::try_from(side).map_err(|_| RenderError::TooManyPixels);
    let (width, height) = (side(image.width())?, side(image.height())?);
    let stride = width.checked_mul(channels).ok_or(RenderError::TooManyPixels)?;
    let mut output = ptr::null_mut();
    // SAFETY: `pixels` holds `height` rows of `stride` bytes, since `image` holds its own rows
    // without gaps. `output` is written before the call returns a length.
    let length =
        unsafe { encoder(pixels.as_ptr(), width, height, stride, f32::from(quality), &raw mut output) };
    if length == 0 || output.is_null() {
        return Err(RenderError::TooManyPixels);
    }
    // SAFETY: libwebp answered with `length` bytes at `output`, which are freed once.
    unsafe {
        let bytes = std::slice::from_raw_parts(output, length).to_vec();
        libwebp_sys::WebPFree(output.cast());
        Ok(bytes)
    }
}

type Encoder = unsafe extern "C" fn(*const u8, c_int, c_int, c_int, f32, *mut *mut u8) -> usize;
