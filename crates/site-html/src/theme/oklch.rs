//! Colours in OKLCH, where equal steps of lightness look equal, and contrast by the rules of WCAG.

/// A colour of sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) [u8; 3]);

/// A colour by lightness (0 to 1), chroma (0 to about 0.37) and hue (degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Oklch {
    pub(crate) l: f64,
    pub(crate) c: f64,
    pub(crate) h: f64,
}

pub(crate) const WHITE: Rgb = Rgb([255; 3]);
pub(crate) const BLACK: Rgb = Rgb([0; 3]);

/// How many times an interval is halved: less than the step of a channel is left.
const HALVINGS: usize = 14;
/// How far a channel can be outside of 0 to 1 by errors of rounding.
const TOLERANCE: f64 = 0.0005;

impl Rgb {
    /// `#rrggbb`, or `#rgb` if that is the same.
    pub(crate) fn hex(self) -> String {
        let [r, g, b] = self.0;
        match self.0.iter().all(|channel| channel % 17 == 0) {
            true => format!("#{:x}{:x}{:x}", r / 17, g / 17, b / 17),
            false => format!("#{r:02x}{g:02x}{b:02x}"),
        }
    }

    /// The relative luminance of WCAG.
    pub(crate) fn luminance(self) -> f64 {
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// The contrast of WCAG, from 1 to 21.
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// `share` of another colour on this one, as if it were that opaque.
    pub(crate) fn under(self, other: Self, share: f64) -> Self {
        let mixed = |at: usize| (f64::from(self.0[at]) * (1.0 - share) + f64::from(other.0[at]) * share).round() as u8;
        Self([mixed(0), mixed(1), mixed(2)])
    }

    /// White or black, whichever can be read on this colour; white if both can.
    pub(crate) fn opposite(self) -> Self {
        if self.contrast(WHITE) >= 4.5 { WHITE } else { BLACK }
    }

    pub(crate) fn oklch(self) -> Oklch {
        let [r, g, b] = self.0.map(linear);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        let lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s;
        let a = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s;
        let b = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s;
        Oklch { l: lightness, c: a.hypot(b), h: b.atan2(a).to_degrees().rem_euclid(360.0) }
    }

    /// The colour, or the nearest lightness of it that has a contrast of at least `ratio` on all the grounds. Hue and
    /// chroma are kept as far as sRGB has them.
    pub(crate) fn readable(self, grounds: &[Self], ratio: f64) -> Self {
        let reads = |color: Self| grounds.iter().all(|ground| color.contrast(*ground) >= ratio);
        if reads(self) {
            return self;
        }
        let from = self.oklch();
        let nearest = |end: f64, last: Self| {
            if !reads(last) {
                return None;
            }
            let (mut fails, mut fits, mut best) = (from.l, end, last);
            for _ in 0..HALVINGS {
                let l = f64::midpoint(fails, fits);
                let color = Oklch { l, ..from }.rgb();
                if reads(color) {
                    (fits, best) = (l, color);
                } else {
                    fails = l;
                }
            }
            Some((f64::abs(fits - from.l), best))
        };
        let both = [nearest(0.0, BLACK), nearest(1.0, WHITE)];
        let better = both.into_iter().flatten().min_by(|one, two| one.0.total_cmp(&two.0));
        let most = || if grounds.iter().all(|ground| ground.luminance() > 0.18) { BLACK } else { WHITE };
        better.map_or_else(most, |(_, color)| color)
    }
}

impl Oklch {
    /// The colour in sRGB; of one that sRGB does not have, the most colourful one with its lightness and hue.
    pub(crate) fn rgb(self) -> Rgb {
        let this = Self { l: self.l.clamp(0.0, 1.0), ..self };
        if let Some(rgb) = this.exact() {
            return rgb;
        }
        let grey = Self { c: 0.0, ..this };
        let (mut fits, mut fails) = (0.0, this.c);
        let mut best = grey.exact();
        for _ in 0..HALVINGS {
            let c = f64::midpoint(fits, fails);
            match (Self { c, ..this }).exact() {
                Some(rgb) => (fits, best) = (c, Some(rgb)),
                None => fails = c,
            }
        }
        best.unwrap_or(if this.l > 0.5 { WHITE } else { BLACK })
    }

    /// The colour, if sRGB has it.
    fn exact(self) -> Option<Rgb> {
        let (sin, cos) = self.h.to_radians().sin_cos();
        let (a, b) = (self.c * cos, self.c * sin);
        let l = (self.l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (self.l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (self.l - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        let channels = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ];
        let inside = channels.iter().all(|channel| (-TOLERANCE..=1.0 + TOLERANCE).contains(channel));
        inside.then(|| Rgb(channels.map(|channel| (gamma(channel.clamp(0.0, 1.0)) * 255.0).round() as u8)))
    }
}

fn linear(channel: u8) -> f64 {
    let channel = f64::from(channel) / 255.0;
    if channel <= 0.040_45 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

fn gamma(channel: f64) -> f64 {
    if channel <= 0.003_130_8 { channel * 12.92 } else { 1.055 * channel.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const TWELVE: [u32; 12] = [
        0x00_00_00, 0xff_ff_ff, 0xff_00_00, 0x00_ff_00, 0x00_00_ff, 0xff_ff_00, 0x00_ff_ff, 0xff_00_ff, 0x80_80_80,
        0xff_d4_00, 0x0f_11_14, 0xfd_fd_ff,
    ];
    const LIGHT: Rgb = Rgb([0xfd, 0xfd, 0xff]);
    const DARK: Rgb = Rgb([0x0f, 0x11, 0x14]);

    fn of(hex: u32) -> Rgb {
        let [_, r, g, b] = hex.to_be_bytes();
        Rgb([r, g, b])
    }

    #[rstest]
    #[case(0xff_ff_ff, 1.0, 0.0)]
    #[case(0x00_00_00, 0.0, 0.0)]
    #[case(0xff_00_00, 0.628, 0.2577)]
    #[case(0x00_00_ff, 0.452, 0.3132)]
    fn oklch_has_its_published_values(#[case] hex: u32, #[case] l: f64, #[case] c: f64) {
        let found = of(hex).oklch();
        assert!((found.l - l).abs() < 0.001 && (found.c - c).abs() < 0.001, "{found:?}");
    }

    #[test]
    fn the_design_has_these_colours() {
        for (color, ground, expected) in
            [(0xff_d4_00, LIGHT, 0x8b_73_01), (0x34_6d_db, DARK, 0x3e_78_e7), (0xff_d4_00, DARK, 0xff_d4_00)]
        {
            let found = of(color).readable(&[ground], 4.5);
            assert!(found.0.iter().zip(of(expected).0).all(|(one, other)| one.abs_diff(other) <= 1), "{found:?}");
        }
    }

    #[test]
    fn twelve_extreme_colours_can_be_read() {
        for color in TWELVE.map(of) {
            for ground in [LIGHT, DARK] {
                assert!(color.readable(&[ground], 4.5).contrast(ground) >= 4.5, "{color:?} on {ground:?}");
            }
            assert!(color.contrast(color.opposite()) >= 4.5, "{color:?}");
        }
    }

    proptest! {
        #[test]
        fn a_colour_survives_a_conversion_and_its_inverse(channels in any::<[u8; 3]>()) {
            prop_assert_eq!(Rgb(channels).oklch().rgb(), Rgb(channels));
        }

        #[test]
        fn every_colour_can_be_read_on_every_ground(color in any::<[u8; 3]>(), ground in any::<[u8; 3]>()) {
            let (color, ground) = (Rgb(color), Rgb(ground));
            prop_assert!(color.readable(&[ground], 4.5).contrast(ground) >= 4.5);
            prop_assert!(ground.contrast(ground.opposite()) >= 4.5);
        }

        #[test]
        fn what_srgb_does_not_have_keeps_its_lightness(l in 0.2..0.95f64, c in 0.0..0.4f64, h in 0.0..360.0f64) {
            let rgb = Oklch { l, c, h }.rgb().oklch();
            prop_assert!((rgb.l - l).abs() < 0.02, "{rgb:?}");
        }
    }
}
