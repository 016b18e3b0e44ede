use image::{DynamicImage, ImageEncoder, Rgb, RgbImage, codecs::png::PngEncoder};

use super::*;

const MEMORY: u64 = 64 << 20;

fn encoded(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "colours wrap")]
    let colour = |x: u32, y: u32| Rgb([(x * 7) as u8, (y * 5) as u8, (x * y) as u8]);
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::from_fn(width, height, colour)).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn outcome(bytes: &[u8], memory: u64) -> Result<Size, RenderError> {
    decode(bytes, memory).map(|source| source.shown_size())
}

fn is_too_large(outcome: &Result<Size, RenderError>) -> bool {
    matches!(outcome, Err(RenderError::TooManyPixels))
}

const FORMATS: [ImageFormat; 6] = [
    ImageFormat::Png,
    ImageFormat::Jpeg,
    ImageFormat::Gif,
    ImageFormat::WebP,
    ImageFormat::Bmp,
    ImageFormat::Tiff,
];

// rows: I04
#[test]
fn the_format_is_told_by_the_bytes() {
    for format in FORMATS {
        let source = decode(&encoded(format, 40, 30), MEMORY).unwrap();
        assert_eq!(source.format, format);
        assert_eq!(source.shown_size(), Size { width: 40, height: 30 }, "{format:?}");
    }
}

/// A JPEG whose EXIF data tell how it is turned.
fn turned_jpeg(orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    let jpeg = encoded(ImageFormat::Jpeg, 40, 30);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat()
}

// rows: I03
#[test]
fn the_orientation_of_a_photograph_is_read() {
    for (orientation, size) in [(1, (40, 30)), (3, (40, 30)), (6, (30, 40)), (8, (30, 40)), (99, (40, 30))] {
        let (width, height) = size;
        assert_eq!(
            outcome(&turned_jpeg(orientation), MEMORY).unwrap(),
            Size { width, height },
            "{orientation}"
        );
    }
}

/// The first bytes of a file that says it is enormous.
fn enormous(format: ImageFormat) -> Vec<u8> {
    match format {
        ImageFormat::Png => {
            let header =
                [b"IHDR".as_slice(), &60_000_u32.to_be_bytes(), &60_000_u32.to_be_bytes(), &[8, 6, 0, 0, 0]];
            let header = header.concat();
            let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, &header);
            let sum = u32::try_from(sum).unwrap().to_be_bytes();
            let data = b"\0\0\0\x08IDAT\x78\x9c\x03\0\0\0\0\x01\x6d\xad\x52\x07";
            [b"\x89PNG\r\n\x1a\n\0\0\0\x0d".as_slice(), &header, &sum, data].concat()
        }
        ImageFormat::Jpeg => patched(format, b"\xff\xc0", 5, &[0xff, 0xff, 0xff, 0xff]),
        ImageFormat::Gif => patched(format, b"GIF8", 6, &[0xff, 0xff, 0xff, 0xff]),
        ImageFormat::Bmp => patched(format, b"BM", 18, &[0, 0, 1, 0, 0, 0, 1, 0]),
        // Lossless WebP: a signature, then 14 bits for each side.
        ImageFormat::WebP => patched(format, b"VP8L", 9, &[0xff, 0xff, 0xff, 0x0f]),
        _ => patched(ImageFormat::Tiff, &[0, 1, 4, 0], 4, &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0]),
    }
}

/// An image with other bytes at `offset` from a marker.
fn patched(format: ImageFormat, marker: &[u8], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut image = encoded(format, 40, 30);
    let at = image.windows(marker.len()).position(|window| window == marker).expect("the marker") + offset;
    image[at..at + bytes.len()].copy_from_slice(bytes);
    image
}

// rows: I06
#[test]
fn a_file_that_says_it_is_enormous_is_not_decoded() {
    for format in FORMATS {
        let outcome = outcome(&enormous(format), u64::MAX);
        // Some decoders call it damaged before its size is asked for.
        let says_damaged = [ImageFormat::Bmp, ImageFormat::WebP, ImageFormat::Tiff];
        let is_damaged = says_damaged.contains(&format) && outcome.is_err();
        assert!(is_too_large(&outcome) || is_damaged, "{format:?} {outcome:?}");
    }
}

// rows: I06
#[test]
fn an_image_needs_its_share_of_the_memory() {
    for format in FORMATS {
        let image = encoded(format, 400, 300);
        assert!(outcome(&image, MEMORY).is_ok(), "{format:?}");
        assert!(is_too_large(&outcome(&image, 400 * 300)), "{format:?}");
    }
}

// rows: I06
#[test]
fn a_colour_profile_that_unpacks_to_much_is_bounded() {
    let mut bomb = Vec::new();
    let mut encoder = PngEncoder::new(&mut bomb);
    encoder.set_icc_profile(vec![0; 100 << 20]).unwrap();
    encoder.write_image(&[0; 300], 10, 10, image::ExtendedColorType::Rgb8).unwrap();
    assert!(bomb.len() < 1 << 20);
    let profile = decode(&bomb, MEMORY).ok().and_then(|source| source.colour_profile);
    assert!(profile.is_none_or(|profile| profile.len() as u64 <= MEMORY));
}

// rows: I06
#[test]
fn a_file_that_ends_early_is_refused_or_shown_in_part() {
    for format in FORMATS {
        let image = encoded(format, 24, 18);
        for length in 0..image.len() {
            let outcome = std::panic::catch_unwind(|| outcome(&image[..length], MEMORY));
            let size = outcome.unwrap_or(Err(RenderError::Unreadable)).ok();
            assert!(size.is_none_or(|size| size.pixels() <= 24 * 18), "{format:?} {length}");
        }
    }
}

// rows: I06
#[test]
fn a_damaged_file_never_takes_more_than_its_share() {
    use rand::{Rng, SeedableRng, rngs::StdRng};
    let mut rng = StdRng::seed_from_u64(9);
    for format in FORMATS {
        let image = encoded(format, 24, 18);
        for _ in 0..400 {
            let mut damaged = image.clone();
            for _ in 0..rng.random_range(1..6) {
                let at = rng.random_range(0..damaged.len());
                damaged[at] = rng.random();
            }
            let decoded = std::panic::catch_unwind(|| decode(&damaged, MEMORY));
            if let Ok(Ok(source)) = decoded {
                assert!(source.image.as_bytes().len() as u64 * MEMORY_PER_BYTE <= MEMORY, "{format:?}");
            }
        }
    }
}

// rows: I06
#[test]
fn what_is_no_image_is_refused() {
    let texts: [&[u8]; 4] = [b"", b"hello", b"<html><script>1</script></html>", b"%PDF-1.7"];
    for text in texts {
        assert!(matches!(decode(text, MEMORY), Err(RenderError::Unreadable)));
    }
}
