//! Where the image has most detail.

use image::GrayImage;

use crate::render::geometry::Size;

/// The left upper corner of the part with most detail. Each axis is judged by itself, since a crop
/// seldom cuts both.
pub(super) fn corner(image: &GrayImage, cropped: Size) -> (u32, u32) {
    let (columns, rows) = detail(image);
    (busiest(&columns, cropped.width), busiest(&rows, cropped.height))
}

/// How much brightness changes between neighbours, summed over each column and each row.
fn detail(image: &GrayImage) -> (Vec<u64>, Vec<u64>) {
    let mut columns = vec![0; image.width() as usize];
    let mut rows = vec![0; image.height() as usize];
    for y in 1..image.height() {
        for x in 1..image.width() {
            let here = image.get_pixel(x, y).0[0];
            let left = here.abs_diff(image.get_pixel(x - 1, y).0[0]);
            let above = here.abs_diff(image.get_pixel(x, y - 1).0[0]);
            let change = u64::from(left) + u64::from(above);
            columns[x as usize] += change;
            rows[y as usize] += change;
        }
    }
    (columns, rows)
}

/// The start of the window with the greatest sum; of several, the one nearest to the middle.
fn busiest(values: &[u64], width: u32) -> u32 {
    let width = (width as usize).min(values.len());
    let last = values.len() - width;
    let mut sum: u64 = values[..width].iter().sum();
    let mut best = (sum, 0_usize);
    for start in 1..=last {
        sum = sum + values[start + width - 1] - values[start - 1];
        let is_nearer = start.abs_diff(last / 2) < best.1.abs_diff(last / 2);
        if sum > best.0 || (sum == best.0 && is_nearer) {
            best = (sum, start);
        }
    }
    u32::try_from(best.1).expect("a position within an image")
}

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    // rows: I02
    #[test]
    fn a_smart_crop_follows_the_detail() {
        let square = Size { width: 100, height: 100 };
        let plain = GrayImage::new(300, 100);
        assert_eq!(corner(&plain, square), (100, 0));
        let is_busy = |x, y| x > 230 && (x + y) % 2 == 0;
        let busy = GrayImage::from_fn(300, 100, |x, y| Luma([if is_busy(x, y) { 255 } else { 0 }]));
        let (left, top) = corner(&busy, square);
        assert!((190..=200).contains(&left) && top == 0, "{left} {top}");
    }
}
