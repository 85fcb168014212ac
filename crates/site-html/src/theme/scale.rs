//! The tinted greys of a page: background, surfaces, lines and text.
use super::oklch::{Oklch, Rgb};
use domain::site::customization::{Background, Styling};

/// A mode of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Light,
    Dark,
}

/// The greys of a page in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) bg: Rgb,
    pub(crate) subtle: Rgb,
    pub(crate) component: Rgb,
    pub(crate) hover: Rgb,
    pub(crate) line: Rgb,
    pub(crate) border: Rgb,
    pub(crate) muted: Rgb,
    pub(crate) text: Rgb,
    pub(crate) strong: Rgb,
}

/// Hue and chroma of greys without a tint.
const HUE: f64 = 262.0;
const CHROMA: f64 = 0.008;
/// The most chroma of a grey.
const MOST_CHROMA: f64 = 0.02;
/// Below this chroma, a colour is nearly neutral.
pub(super) const NEUTRAL: f64 = 0.03;
/// From this lightness on, a nearly neutral tint is the ground of a light page.
const LIGHT_GROUND: f64 = 0.955;
/// Up to this lightness, a nearly neutral tint is the ground of a dark page.
const DARK_GROUND: f64 = 0.24;

const LIGHT: [f64; 9] = [0.995, 0.975, 0.955, 0.93, 0.915, 0.86, 0.50, 0.27, 0.20];
const DARK: [f64; 9] = [0.175, 0.205, 0.235, 0.27, 0.29, 0.38, 0.70, 0.90, 0.97];
/// How many of them are grounds and lines. The others are text, and do not move with the ground.
const GROUNDS: usize = 6;
/// How far the other grounds and the lines of a dark page follow a darker background. Steps near black look alike: all
/// the way, they would not be seen.
const FOLLOW_INTO_BLACK: f64 = 0.25;

impl Mode {
    /// A colour in this mode.
    pub(crate) fn of(self, color: &domain::site::customization::ThemedColor) -> Rgb {
        match self {
            Self::Light => Rgb(color.light.rgb()),
            Self::Dark => Rgb(color.dark.rgb()),
        }
    }

    /// A value in this mode.
    pub(crate) fn pick<T>(self, light: T, dark: T) -> T {
        match self {
            Self::Light => light,
            Self::Dark => dark,
        }
    }
}

impl Scale {
    pub(crate) fn of(styling: &Styling, mode: Mode) -> Self {
        let tint = styling.tint.as_ref().map(|tint| mode.of(&tint.color));
        let matching = styling.background == Background::Match;
        let source = tint.or_else(|| matching.then(|| mode.of(&styling.primary_color)));
        let (hue, chroma) = match source.map(Rgb::oklch) {
            Some(color) if color.c < 0.002 => (HUE, 0.0),
            Some(color) => (color.h, color.c.min(MOST_CHROMA)),
            None => (HUE, CHROMA),
        };
        let ground = tint.filter(|tint| {
            let Oklch { l, c, .. } = tint.oklch();
            c < NEUTRAL && mode.pick(l >= LIGHT_GROUND, l <= DARK_GROUND)
        });
        let steps = mode.pick(LIGHT, DARK);
        let mut moved = ground.map_or(0.0, |ground| ground.oklch().l - steps[0]);
        if mode == Mode::Dark && moved < 0.0 {
            moved *= FOLLOW_INTO_BLACK;
        }
        if matching && ground.is_none() {
            moved += mode.pick(-0.012, 0.015);
        }
        let at = |at: usize| {
            let l = steps[at] + if at < GROUNDS { moved } else { 0.0 };
            Oklch { l, c: chroma, h: hue }.rgb()
        };
        let bg = ground.unwrap_or_else(|| at(0));
        let (subtle, component, hover) = (at(1), at(2), at(3));
        Self {
            bg,
            subtle,
            component,
            hover,
            line: at(4),
            border: at(5),
            muted: at(6).readable(&[bg, subtle, component], 4.5),
            text: at(7).readable(&[bg, subtle, component, hover], 7.0),
            strong: at(8).readable(&[bg, subtle, component, hover], 7.0),
        }
    }
}
