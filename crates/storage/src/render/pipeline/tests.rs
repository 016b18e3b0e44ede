use std::io::Cursor;

use image::{DynamicImage, GenericImageView, ImageFormat, RgbImage};

use super::*;

const MEMORY: u64 = 64 << 20;

fn source(format: ImageFormat) -> Bytes {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::new(60, 40)).write_to(&mut bytes, format).unwrap();
    bytes.into_inner().into()
}

fn options(text: &str) -> RenderOptions {
    RenderOptions::from_signed(text).unwrap()
}

// rows: I02 I03 I04
#[test]
fn a_render_has_the_size_and_the_type_that_were_asked_for() {
    for (format, text, media_type, size) in [
        (ImageFormat::Jpeg, "width:30", "image/jpeg", (30, 20)),
        (ImageFormat::Png, "height:20,width:20", "image/png", (20, 20)),
        (ImageFormat::Gif, "height:20,width:20,resize:contain", "image/png", (20, 13)),
        (ImageFormat::WebP, "", "image/webp", (60, 40)),
        (ImageFormat::Tiff, "width:2000", "image/jpeg", (60, 40)),
        (ImageFormat::Bmp, "height:10,width:50,resize:fill,format:webp", "image/webp", (50, 10)),
    ] {
        let options = options(text);
        let preference = Preference::of(&options, &http::HeaderMap::new());
        let result = render(&source(format), &options, preference, MEMORY).unwrap();
        assert_eq!(super::media_type(&result), media_type, "{format:?} {text}");
        assert_eq!(image::load_from_memory(&result).unwrap().dimensions(), size, "{format:?} {text}");
    }
}

// rows: I04
#[test]
fn an_avif_is_known_by_its_first_bytes() {
    let options = options("width:20,format:avif");
    let preference = Preference::of(&options, &http::HeaderMap::new());
    let result = render(&source(ImageFormat::Png), &options, preference, MEMORY).unwrap();
    assert_eq!(super::media_type(&result), "image/avif");
}

// rows: I06
#[test]
fn a_drawing_stays_as_it_is_whatever_is_asked_for() {
    for text in [
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "\u{feff}\n<?xml version='1.0'?>\n<!-- a logo -->\n<svg/>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' ''><svg/>",
    ] {
        let drawing = Bytes::from(text);
        let result =
            render(&drawing, &options("width:20,format:webp"), Preference::default(), MEMORY).unwrap();
        assert_eq!(result, drawing);
        assert_eq!(super::media_type(&result), "image/svg+xml");
    }
    for text in ["<html><svg/></html>", "<?xml version='1.0'?><feed/>", "svg"] {
        let result = render(&Bytes::from(text), &options(""), Preference::default(), MEMORY);
        assert!(matches!(result, Err(RenderError::Unreadable)), "{text}");
    }
}

// rows: I03
#[test]
fn nothing_of_the_metadata_is_left() {
    let jpeg = source(ImageFormat::Jpeg);
    let secret = b"Exif\0\0taken at 28.6139 N 77.2090 E";
    let length = u16::try_from(secret.len() + 2).unwrap().to_be_bytes();
    let tagged = [&jpeg[..2], &[0xff, 0xe1], &length, secret, &jpeg[2..]].concat();
    for text in ["", "width:10", "format:webp"] {
        let options = options(text);
        let preference = Preference::of(&options, &http::HeaderMap::new());
        let result = render(&Bytes::from(tagged.clone()), &options, preference, MEMORY).unwrap();
        let is_there = result.windows(8).any(|window| window == b"taken at");
        assert!(!is_there, "{text}");
    }
}
