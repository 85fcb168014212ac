//! Themes for code. The default ones are made from the colours of the site; others are tables of colours.
use super::oklch::Rgb;
use super::palette::{Named, Palette};
use domain::site::customization::ThemedCodeTheme;

/// The colours of a theme as `0xrrggbb`, in the order of [`NAMES`].
type Table = [u32; 14];

/// The custom properties that a table has.
const NAMES: [&[&str]; 14] = [
    &["code-bg"],
    &["code-text", "t-parameter"],
    &["t-comment"],
    &["t-keyword"],
    &["t-string"],
    &["t-number"],
    &["t-function"],
    &["t-type"],
    &["t-tag"],
    &["t-attribute"],
    &["t-property"],
    &["t-operator"],
    &["t-escape", "t-regexp"],
    &["t-heading"],
];

/// The names of themes, and their colours. Colours that are hard to read on the ground of their theme are moved until
/// they can be read.
const THEMES: [(&str, Table); 20] = [
    (
        "github-light",
        [
            0xffffff, 0x24292f, 0x6e7781, 0xcf222e, 0x0a3069, 0x0550ae, 0x8250df, 0x953800, 0x116329, 0x0550ae,
            0x0550ae, 0xcf222e, 0x0a3069, 0x0550ae,
        ],
    ),
    (
        "github-dark",
        [
            0x0d1117, 0xc9d1d9, 0x8b949e, 0xff7b72, 0xa5d6ff, 0x79c0ff, 0xd2a8ff, 0xffa657, 0x7ee787, 0x79c0ff,
            0x79c0ff, 0xff7b72, 0xa5d6ff, 0x79c0ff,
        ],
    ),
    (
        "github-dark-dimmed",
        [
            0x22272e, 0xadbac7, 0x768390, 0xf47067, 0x96d0ff, 0x6cb6ff, 0xdcbdfb, 0xf69d50, 0x8ddb8c, 0x6cb6ff,
            0x6cb6ff, 0xf47067, 0x96d0ff, 0x6cb6ff,
        ],
    ),
    (
        "dracula",
        [
            0x282a36, 0xf8f8f2, 0x6272a4, 0xff79c6, 0xf1fa8c, 0xbd93f9, 0x50fa7b, 0x8be9fd, 0xff79c6, 0x50fa7b,
            0x8be9fd, 0xff79c6, 0xff79c6, 0xbd93f9,
        ],
    ),
    (
        "nord",
        [
            0x2e3440, 0xd8dee9, 0x616e88, 0x81a1c1, 0xa3be8c, 0xb48ead, 0x88c0d0, 0x8fbcbb, 0x81a1c1, 0x8fbcbb,
            0x88c0d0, 0x81a1c1, 0xebcb8b, 0x88c0d0,
        ],
    ),
    (
        "monokai",
        [
            0x272822, 0xf8f8f2, 0x88846f, 0xf92672, 0xe6db74, 0xae81ff, 0xa6e22e, 0x66d9ef, 0xf92672, 0xa6e22e,
            0x66d9ef, 0xf92672, 0xae81ff, 0xa6e22e,
        ],
    ),
    (
        "one-dark-pro",
        [
            0x282c34, 0xabb2bf, 0x7f848e, 0xc678dd, 0x98c379, 0xd19a66, 0x61afef, 0xe5c07b, 0xe06c75, 0xd19a66,
            0xe06c75, 0x56b6c2, 0x56b6c2, 0xe06c75,
        ],
    ),
    (
        "one-light",
        [
            0xfafafa, 0x383a42, 0xa0a1a7, 0xa626a4, 0x50a14f, 0x986801, 0x4078f2, 0xc18401, 0xe45649, 0x986801,
            0xe45649, 0x0184bc, 0x0184bc, 0xe45649,
        ],
    ),
    (
        "solarized-light",
        [
            0xfdf6e3, 0x657b83, 0x93a1a1, 0x859900, 0x2aa198, 0xd33682, 0x268bd2, 0xcb4b16, 0x268bd2, 0x93a1a1,
            0x268bd2, 0x859900, 0xdc322f, 0x268bd2,
        ],
    ),
    (
        "solarized-dark",
        [
            0x002b36, 0x839496, 0x586e75, 0x859900, 0x2aa198, 0xd33682, 0x268bd2, 0xcb4b16, 0x268bd2, 0x93a1a1,
            0x268bd2, 0x859900, 0xdc322f, 0x268bd2,
        ],
    ),
    (
        "light-plus",
        [
            0xffffff, 0x000000, 0x008000, 0xaf00db, 0xa31515, 0x098658, 0x795e26, 0x267f99, 0x800000, 0xe50000,
            0x001080, 0x000000, 0xee0000, 0x800000,
        ],
    ),
    (
        "dark-plus",
        [
            0x1e1e1e, 0xd4d4d4, 0x6a9955, 0xc586c0, 0xce9178, 0xb5cea8, 0xdcdcaa, 0x4ec9b0, 0x569cd6, 0x9cdcfe,
            0x9cdcfe, 0xd4d4d4, 0xd7ba7d, 0x569cd6,
        ],
    ),
    (
        "min-light",
        [
            0xffffff, 0x24292e, 0xa0a1a7, 0xd32f2f, 0x22863a, 0x1976d2, 0x6f42c1, 0x6f42c1, 0x22863a, 0x6f42c1,
            0x24292e, 0xd32f2f, 0x2b5581, 0x1976d2,
        ],
    ),
    (
        "min-dark",
        [
            0x1f1f1f, 0xb392f0, 0x6b737c, 0xf97583, 0x9db1c5, 0xf8f8f8, 0xb392f0, 0xb392f0, 0xffab70, 0xb392f0,
            0x79b8ff, 0xf97583, 0xffab70, 0x79b8ff,
        ],
    ),
    (
        "material-theme-lighter",
        [
            0xfafafa, 0x546e7a, 0x90a4ae, 0x9c3eda, 0x91b859, 0xf76d47, 0x6182b8, 0xe2931d, 0xe53935, 0x9c3eda,
            0xe53935, 0x39adb5, 0x39adb5, 0x91b859,
        ],
    ),
    (
        "material-theme-darker",
        [
            0x212121, 0xeeffff, 0x545454, 0xc792ea, 0xc3e88d, 0xf78c6c, 0x82aaff, 0xffcb6b, 0xf07178, 0xc792ea,
            0xf07178, 0x89ddff, 0x89ddff, 0xc3e88d,
        ],
    ),
    (
        "rose-pine-dawn",
        [
            0xfaf4ed, 0x575279, 0x9893a5, 0x286983, 0xea9d34, 0xd7827e, 0xd7827e, 0x56949f, 0x56949f, 0x907aa9,
            0x56949f, 0x286983, 0x286983, 0xd7827e,
        ],
    ),
    (
        "rose-pine",
        [
            0x191724, 0xe0def4, 0x6e6a86, 0x31748f, 0xf6c177, 0xebbcba, 0xebbcba, 0x9ccfd8, 0x9ccfd8, 0xc4a7e7,
            0x9ccfd8, 0x31748f, 0x31748f, 0xebbcba,
        ],
    ),
    (
        "catppuccin-latte",
        [
            0xeff1f5, 0x4c4f69, 0x7c7f93, 0x8839ef, 0x40a02b, 0xfe640b, 0x1e66f5, 0xdf8e1d, 0x1e66f5, 0xdf8e1d,
            0x1e66f5, 0x179299, 0xea76cb, 0xd20f39,
        ],
    ),
    (
        "catppuccin-mocha",
        [
            0x1e1e2e, 0xcdd6f4, 0x9399b2, 0xcba6f7, 0xa6e3a1, 0xfab387, 0x89b4fa, 0xf9e2af, 0x89b4fa, 0xf9e2af,
            0x89b4fa, 0x94e2d5, 0xf5c2e7, 0xf38ba8,
        ],
    ),
];

/// The contrast of text.
const READABLE: f64 = 4.5;

/// The colours of code in the mode of a palette. A theme that is not known is the default one.
pub(super) fn of(palette: &Palette<'_>, themes: &ThemedCodeTheme) -> Named {
    let name = palette.mode.pick(&themes.light, &themes.dark).as_str();
    let mut named = palette.code();
    let Some((_, table)) = THEMES.iter().find(|(known, _)| *known == name) else { return named };
    let ground = color(table[0]);
    for (_, token) in named.iter_mut().filter(|(token, _)| token.starts_with("t-")) {
        *token = token.readable(&[ground], READABLE);
    }
    for (properties, value) in NAMES.iter().zip(table) {
        for property in *properties {
            let readable = match *property {
                "code-bg" => ground,
                _ => color(*value).readable(&[ground], READABLE),
            };
            named.iter_mut().filter(|(name, _)| name == property).for_each(|(_, token)| *token = readable);
        }
    }
    named
}

fn color(value: u32) -> Rgb {
    let [_, red, green, blue] = value.to_be_bytes();
    Rgb([red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::super::scale::Mode;
    use super::*;
    use domain::site::customization::Styling;
    use serde_json::json;

    #[test]
    fn every_theme_can_be_read() {
        let styling = Styling::default();
        for (name, _) in THEMES {
            let themes = serde_json::from_value(json!({"light": name, "dark": name})).unwrap();
            for mode in [Mode::Light, Mode::Dark] {
                let named = of(&Palette::new(&styling, mode), &themes);
                let ground = named[0].1;
                for (token, color) in &named[1..] {
                    assert!(color.contrast(ground) >= READABLE, "{token} of {name}");
                }
            }
        }
    }
}
