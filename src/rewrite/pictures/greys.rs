//! The greys that a screen of electronic paper has, in place of all others.

use image::DynamicImage;

/// Values that the thresholds of a dithered picture tell apart.
const STEPS: u32 = 64;

/// The picture with each pixel in one of so many greys, evenly spaced from black to white: the nearest, or, where it is dithered, one
/// of the two around it, by an order of thresholds that repeats every eight pixels. The diffusion of errors (Floyd, Steinberg 1976) repeats
/// nothing that a PNG could be packed by.
pub(super) fn in_greys(picture: &DynamicImage, greys: u16, is_dithered: bool) -> DynamicImage {
    let most = u32::from(greys.max(2)) - 1;
    let shade = |x: u32, y: u32, value: u8| {
        // The nearest is that of the middle threshold.
        let threshold = if is_dithered { 2 * threshold(x, y) + 1 } else { STEPS };
        let number = (u32::from(value) * most * 2 * STEPS + threshold * 255) / (255 * 2 * STEPS);
        u8::try_from(number * 255 / most).unwrap_or(u8::MAX)
    };
    let mut picture = picture.clone();
    match &mut picture {
        DynamicImage::ImageLuma8(image) => {
            image.enumerate_pixels_mut().for_each(|(x, y, pixel)| pixel[0] = shade(x, y, pixel[0]));
        }
        DynamicImage::ImageLumaA8(image) => {
            image.enumerate_pixels_mut().for_each(|(x, y, pixel)| pixel[0] = shade(x, y, pixel[0]));
        }
        _ => {}
    }
    picture
}

/// A pixel's threshold, of 64: neighbours are as far from each other as they can be (Bayer, *An optimum method for two-level rendition of
/// continuous-tone pictures*, ICC 1973). Its bits are those of the place, the lowest of these first.
fn threshold(x: u32, y: u32) -> u32 {
    (0..3).fold(0, |threshold, bit| threshold << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1)
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma};

    use super::*;

    #[test]
    fn thresholds_are_those_of_bayers_matrix() {
        // The first two rows of the matrix in its usual form.
        let row = |y| std::array::from_fn(|x| threshold(u32::try_from(x).unwrap(), y));
        assert_eq!(row(0), [0, 32, 8, 40, 2, 34, 10, 42]);
        assert_eq!(row(1), [48, 16, 56, 24, 50, 18, 58, 26]);
    }

    #[test]
    fn greys_are_the_nearest_or_on_average_the_same() {
        let grey = DynamicImage::from(GrayImage::from_pixel(8, 8, Luma([100])));
        let shown = |is_dithered| in_greys(&grey, 16, is_dithered).into_luma8().into_raw();
        assert!(shown(false).iter().all(|value| *value == 102));
        let dithered = shown(true);
        assert!(dithered.iter().all(|value| [85, 102].contains(value)));
        let mean = dithered.iter().map(|value| f64::from(*value)).sum::<f64>() / 64.0;
        assert!((mean - 100.0).abs() < 0.2, "{mean}");
        for end in [0, 255] {
            let plain = DynamicImage::from(GrayImage::from_pixel(8, 8, Luma([end])));
            assert!(in_greys(&plain, 2, true).into_luma8().into_raw().iter().all(|value| *value == end));
        }
    }
}
