//! Colours, fonts and shapes of a customization, as custom properties of CSS.
//!
//! Each colour is `light-dark(…)` of its two modes, so the same style serves both. All text colours have a contrast of
//! at least 4.5 on the grounds that they are used on, whatever the colours of the customization are.
mod code_themes;
mod fonts;
mod oklch;
mod palette;
mod scale;
mod served;
#[cfg(test)]
mod tests;

pub(crate) use fonts::origins as font_origins;
#[cfg(test)]
pub(crate) use served::tests::table as served_fonts;
pub(crate) use served::{preloaded, served_faces};

use domain::site::customization::{Corners, Customization, Depth, HeaderPreset, ThemedColor};
use palette::{Named, Palette};
use scale::Mode;
use std::fmt::Write;

/// A colour in light and in dark mode, as CSS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) light: String,
    pub(crate) dark: String,
}

/// The colours that are known outside of the style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Of the browser around the page.
    pub(crate) browser: Pair,
    /// Of the ground of the generated icon.
    pub(crate) accent: String,
    /// On that.
    pub(crate) on_accent: String,
}

/// The colours that a page needs besides those of all pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Those of marks and tags.
    pub(crate) marks: bool,
    /// Those of code.
    pub(crate) code: bool,
}

impl Needs {
    /// The colours that a body needs, by its classes and elements.
    pub(crate) fn of(body: &str) -> Self {
        let has = |parts: &[&str]| parts.iter().any(|part| body.contains(part));
        Self { marks: has(&["o-fg-", "o-bg-", "o-api"]), code: has(&["<pre", "<code"]) }
    }
}

/// The style of a customization.
pub(crate) fn style(customization: &Customization, needs: Needs) -> String {
    let styling = &customization.styling;
    let [light, dark] = palettes(customization);
    let mut css = String::from(":root{");
    for part in [Palette::greys, Palette::accents, Palette::semantic] {
        pairs(&mut css, part(&light), part(&dark));
    }
    if needs.marks {
        pairs(&mut css, light.marks(), dark.marks());
    }
    let [light_header, dark_header] = headers(customization, [&light, &dark]);
    pairs(&mut css, light_header, dark_header);
    if needs.code {
        let theme = &styling.code_theme.default;
        pairs(&mut css, code_themes::of(&light, theme), code_themes::of(&dark, theme));
    }
    let families = fonts::families(styling);
    let families = families.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in families.chain(shapes(customization)) {
        let _ = write!(css, "--{name}:{value};");
    }
    css.push('}');
    if needs.code && styling.code_theme.openapi != styling.code_theme.default {
        let theme = &styling.code_theme.openapi;
        css.push_str(".o-api{");
        pairs(&mut css, code_themes::of(&light, theme), code_themes::of(&dark, theme));
        css.push('}');
    }
    css.push_str("@media(prefers-contrast:more){:root{");
    pairs(&mut css, light.contrasted(), dark.contrasted());
    css.push_str("}}");
    css.push_str(&fonts::faces(styling));
    css
}

/// The colours that are known outside of the style.
pub(crate) fn outside(customization: &Customization) -> Outside {
    let palettes = palettes(customization);
    let headers = headers(customization, [&palettes[0], &palettes[1]]);
    let ground = |at: usize| headers[at].first().map_or(palettes[at].scale.bg, |(_, ground)| *ground).hex();
    Outside {
        browser: Pair { light: ground(0), dark: ground(1) },
        accent: palettes[0].accent.hex(),
        on_accent: palettes[0].accent.opposite().hex(),
    }
}

/// The colours of a card: ground, title, description, accent, and what is on that.
pub(crate) fn card(customization: &Customization, dark: bool) -> [[u8; 3]; 5] {
    let Palette { scale, accent, .. } =
        Palette::new(&customization.styling, if dark { Mode::Dark } else { Mode::Light });
    [scale.bg, scale.strong, scale.muted, accent, accent.opposite()].map(|color| color.0)
}

fn palettes(customization: &Customization) -> [Palette<'_>; 2] {
    [Mode::Light, Mode::Dark].map(|mode| Palette::new(&customization.styling, mode))
}

fn headers(customization: &Customization, palettes: [&Palette<'_>; 2]) -> [Named; 2] {
    let header = &customization.header;
    palettes.map(|palette| {
        let of = |color: &Option<ThemedColor>| {
            color.as_ref().filter(|_| header.preset == HeaderPreset::Custom).map(|color| palette.mode.of(color))
        };
        palette.header(header.preset, [of(&header.background_color), of(&header.link_color)])
    })
}

/// Writes colours as custom properties. Both lists have the same names.
fn pairs(css: &mut String, light: Named, dark: Named) {
    for ((name, light), (_, dark)) in light.into_iter().zip(dark) {
        let _ = match light == dark {
            true => write!(css, "--{name}:{};", light.hex()),
            false => write!(css, "--{name}:light-dark({},{});", light.hex(), dark.hex()),
        };
    }
}

fn shapes(customization: &Customization) -> [(&'static str, &'static str); 4] {
    let (radius, card) = match customization.styling.corners {
        Corners::Straight => ("0", "0"),
        Corners::Rounded => ("6px", "10px"),
        Corners::Circular => ("999px", "18px"),
    };
    let (shadow, layer) = match customization.styling.depth {
        Depth::Subtle => ("0 1px 2px rgb(0 0 0/6%)", "0 8px 24px rgb(0 0 0/10%)"),
        Depth::Flat => ("none", "none"),
    };
    [("radius", radius), ("radius-card", card), ("shadow", shadow), ("shadow-layer", layer)]
}
