//! The colours of a page: accent, meanings, marks, header and code.
use super::oklch::{Oklch, Rgb};
use super::scale::{Mode, NEUTRAL, Scale};
use domain::site::customization::{HeaderPreset, SidebarBackground, SidebarList, Styling, Theme};

/// Colours by the names of their custom properties, without `--`.
pub(crate) type Named = Vec<(&'static str, Rgb)>;

/// The contrast of text.
const READABLE: f64 = 4.5;
/// The contrast of text for visitors who prefer more contrast.
const MORE: f64 = 7.0;

/// The colours of a customization in one mode.
#[derive(Debug)]
pub(crate) struct Palette<'a> {
    pub(crate) styling: &'a Styling,
    pub(crate) mode: Mode,
    pub(crate) scale: Scale,
    pub(crate) accent: Rgb,
}

/// A semantic colour: its background, text and lines.
struct Meaning {
    ground: Rgb,
    text: Rgb,
    line: Rgb,
}

/// The hues of the marks that have no meaning.
const MARKS: [(&str, &str, f64); 9] = [
    ("c-green", "cb-green", 150.0),
    ("c-blue", "cb-blue", 255.0),
    ("c-red", "cb-red", 25.0),
    ("c-orange", "cb-orange", 55.0),
    ("c-yellow", "cb-yellow", 95.0),
    ("c-purple", "cb-purple", 310.0),
    ("c-pink", "cb-pink", 355.0),
    ("c-violet", "cb-violet", 288.0),
    ("c-cyan", "cb-cyan", 210.0),
];

/// A ground while it is pointed at, on which its text can be read: nearer to the text, unless that is too near.
fn pointed(ground: Rgb, text: Rgb) -> Rgb {
    let mut near = [text, text.opposite()].map(|to| ground.under(to, 0.12)).into_iter();
    near.find(|hover| text.contrast(*hover) >= READABLE).unwrap_or(ground)
}

impl<'a> Palette<'a> {
    pub(crate) fn new(styling: &'a Styling, mode: Mode) -> Self {
        let scale = Scale::of(styling, mode);
        Self { styling, mode, scale, accent: mode.of(&styling.primary_color) }
    }

    /// The greys by name.
    pub(crate) fn greys(&self) -> Named {
        let Scale { bg, subtle, component, hover, line, border, muted, text, strong } = self.scale;
        vec![
            ("bg", bg),
            ("subtle", subtle),
            ("component", component),
            ("hover", hover),
            ("line", line),
            ("border", border),
            ("muted", muted),
            ("text", text),
            ("strong", strong),
        ]
    }

    /// The ground of what is selected.
    fn accent_soft(&self) -> Rgb {
        self.scale.bg.under(self.accent, self.mode.pick(0.10, 0.14))
    }

    /// The accent as the colour of text, with a contrast of at least `ratio` wherever the page has text in it.
    fn accent_text(&self, ratio: f64) -> Rgb {
        let Scale { bg, subtle, muted, strong, .. } = self.scale;
        let mut grounds = vec![bg];
        if self.styling.theme == Theme::Muted || self.styling.sidebar.background == SidebarBackground::Filled {
            grounds.push(subtle);
        }
        if self.styling.sidebar.list == SidebarList::Pill {
            grounds.push(self.accent_soft());
        }
        // A neutral accent is not known by its hue. With less contrast than the texts around it, such as black on a
        // dark page, it would look less important than they are.
        let is_lost = self.accent.oklch().c < NEUTRAL && self.accent.contrast(bg) < muted.contrast(bg);
        let color = if is_lost { strong } else { self.accent };
        color.readable(&grounds, ratio)
    }

    /// The accent by name.
    pub(crate) fn accents(&self) -> Named {
        vec![
            ("accent", self.accent),
            ("on-accent", self.accent.opposite()),
            ("accent-hover", pointed(self.accent, self.accent.opposite())),
            ("accent-text", self.accent_text(READABLE)),
            ("accent-soft", self.accent_soft()),
        ]
    }

    /// The changes for visitors who prefer more contrast.
    pub(crate) fn contrasted(&self) -> Named {
        let Scale { bg, text, muted, .. } = self.scale;
        vec![("accent-text", self.accent_text(MORE)), ("muted", text.under(bg, 0.1)), ("line", muted), ("border", text)]
    }

    fn meaning(&self, color: Rgb) -> Meaning {
        let Oklch { c, h, .. } = color.oklch();
        let of = |l: f64, most: f64| Oklch { l, c: c.min(most), h }.rgb();
        let ground = self.mode.pick(of(0.965, 0.02), of(0.24, 0.03));
        Meaning {
            ground,
            text: self.mode.pick(of(0.43, 0.11), of(0.84, 0.09)).readable(&[ground], MORE),
            line: self.mode.pick(of(0.85, 0.07), of(0.40, 0.07)),
        }
    }

    fn meanings(&self) -> [Meaning; 4] {
        let Styling { info_color, success_color, warning_color, danger_color, .. } = self.styling;
        [info_color, success_color, warning_color, danger_color].map(|color| self.meaning(self.mode.of(color)))
    }

    /// The meanings by name.
    pub(crate) fn semantic(&self) -> Named {
        const NAMES: [[&str; 3]; 4] = [
            ["info-ground", "info-text", "info-line"],
            ["success-ground", "success-text", "success-line"],
            ["warning-ground", "warning-text", "warning-line"],
            ["danger-ground", "danger-text", "danger-line"],
        ];
        let all = NAMES.into_iter().zip(self.meanings());
        all.flat_map(|([ground, text, line], meaning)| {
            [(ground, meaning.ground), (text, meaning.text), (line, meaning.line)]
        })
        .collect()
    }

    /// Text and ground of a mark.
    fn mark(&self, h: f64, c: f64) -> (Rgb, Rgb) {
        let of = |l: f64, most: f64| Oklch { l, c: c.min(most), h }.rgb();
        self.mode.pick((of(0.45, 0.13), of(0.935, 0.045)), (of(0.82, 0.11), of(0.30, 0.055)))
    }

    /// The colours of marks and tags by name. Each text can be read on each ground.
    pub(crate) fn marks(&self) -> Named {
        let Styling { primary_color, info_color, success_color, warning_color, danger_color, tint, .. } = self.styling;
        let meant = [
            ("c-primary", "cb-primary", Some(primary_color)),
            ("c-info", "cb-info", Some(info_color)),
            ("c-success", "cb-success", Some(success_color)),
            ("c-warning", "cb-warning", Some(warning_color)),
            ("c-danger", "cb-danger", Some(danger_color)),
            ("c-tint", "cb-tint", tint.as_ref().map(|tint| &tint.color)),
        ];
        let grey = self.scale.text.oklch();
        let meant = meant.into_iter().map(|(text, ground, color)| {
            let Oklch { c, h, .. } = color.map_or(grey, |color| self.mode.of(color).oklch());
            (text, ground, h, c)
        });
        let fixed = MARKS.into_iter().map(|(text, ground, hue)| (text, ground, hue, 1.0));
        fixed
            .chain(meant)
            .flat_map(|(text, ground, h, c)| {
                let (color, behind) = self.mark(h, c);
                [(text, color), (ground, behind)]
            })
            .collect()
    }

    /// The ground of the header and the colour of its text, if it has its own.
    fn header_pair(&self, preset: HeaderPreset, own: [Option<Rgb>; 2]) -> Option<(Rgb, Rgb)> {
        let solid = |ground: Rgb| Some((ground, ground.opposite()));
        match preset {
            HeaderPreset::Bold => solid(self.accent),
            HeaderPreset::Default if self.styling.theme == Theme::Bold => {
                solid(self.styling.tint.as_ref().map_or(self.accent, |tint| self.mode.of(&tint.color)))
            }
            HeaderPreset::Contrast => {
                let other = Scale::of(self.styling, self.mode.pick(Mode::Dark, Mode::Light));
                Some((other.bg, other.text))
            }
            HeaderPreset::Custom => {
                let [ground, text] = own;
                let ground = ground.unwrap_or(self.scale.bg);
                Some((ground, text.unwrap_or_else(|| ground.opposite()).readable(&[ground], READABLE)))
            }
            HeaderPreset::Default | HeaderPreset::None => None,
        }
    }

    /// The colours of the header by name; none if it looks like the page. `own` are those of the preset `custom`:
    /// ground and links.
    pub(crate) fn header(&self, preset: HeaderPreset, own: [Option<Rgb>; 2]) -> Named {
        let Some((ground, text)) = self.header_pair(preset, own) else { return Vec::new() };
        // Also the ground of the search box.
        let hover = pointed(ground, text);
        vec![
            ("header", ground),
            ("header-text", text),
            ("header-muted", ground.under(text, 0.8).readable(&[ground, hover], READABLE)),
            ("header-line", ground.under(text, 0.2)),
            ("header-hover", hover),
        ]
    }

    /// The colours of code by name, made from the others.
    pub(crate) fn code(&self) -> Named {
        let Scale { subtle, component, muted, text, strong, .. } = self.scale;
        let [info, success, warning, danger] = self.meanings();
        let grounds = [component, success.ground, danger.ground, self.accent_soft()];
        let read = |color: Rgb| color.readable(&grounds, READABLE);
        let Styling { info_color, success_color, warning_color, danger_color, .. } = self.styling;
        let turned = |color: Rgb, by: f64| {
            let Oklch { c, h, .. } = color.oklch();
            let (l, most) = self.mode.pick((0.50, 0.15), (0.79, 0.12));
            read(Oklch { l, c: c.min(most), h: (h + by).rem_euclid(360.0) }.rgb())
        };
        let of = |color| turned(self.mode.of(color), 0.0);
        let (keyword, string, number) = (of(danger_color), of(success_color), of(warning_color));
        vec![
            ("code-bg", subtle),
            ("code-text", text),
            ("t-comment", read(muted)),
            ("t-escape", of(info_color)),
            ("t-regexp", of(info_color)),
            ("t-string", string),
            ("t-number", number),
            ("t-operator", read(text.under(muted, 0.5))),
            ("t-keyword", keyword),
            ("t-function", turned(self.accent, 0.0)),
            ("t-type", turned(self.accent, 40.0)),
            ("t-tag", keyword),
            ("t-attribute", number),
            ("t-parameter", text),
            ("t-property", turned(self.accent, -25.0)),
            ("t-heading", strong),
            ("t-inserted", read(success.text)),
            ("t-deleted", read(danger.text)),
            ("t-changed", read(warning.text)),
            ("t-link", read(info.text)),
        ]
    }
}
