//! Colours in dark mode.
use crate::theme::dark;

/// The named colours that authors use most.
const NAMED: [(&str, &str); 20] = [
    ("black", "#000000"),
    ("white", "#ffffff"),
    ("red", "#ff0000"),
    ("green", "#008000"),
    ("blue", "#0000ff"),
    ("yellow", "#ffff00"),
    ("orange", "#ffa500"),
    ("pink", "#ffc0cb"),
    ("purple", "#800080"),
    ("cyan", "#00ffff"),
    ("brown", "#a52a2a"),
    ("gray", "#808080"),
    ("grey", "#808080"),
    ("lightgray", "#d3d3d3"),
    ("lightgrey", "#d3d3d3"),
    ("lightblue", "#add8e6"),
    ("lightgreen", "#90ee90"),
    ("lightyellow", "#ffffe0"),
    ("navy", "#000080"),
    ("darkgreen", "#006400"),
];

/// A colour in dark mode. Colours of the theme have a counterpart; the lightness of others is inverted, so that text on
/// them stays legible. A value that is not a colour stays unchanged.
pub(crate) fn tinted(color: &str) -> String {
    let name = color.trim().to_ascii_lowercase();
    let known = NAMED.iter().find(|(named, _)| *named == name).map_or(name.as_str(), |(_, hex)| hex);
    if let Some(dark) = dark(known) {
        return dark.to_owned();
    }
    inverted(known).unwrap_or_else(|| color.to_owned())
}

/// A colour with inverted lightness.
fn inverted(color: &str) -> Option<String> {
    if let Some(digits) = color.strip_prefix('#') {
        let digits: Vec<u8> =
            digits.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
        let (rgb, rest) = match digits.as_slice() {
            [r, g, b] => ([r * 17, g * 17, b * 17], &[][..]),
            [r, s, g, h, b, c, rest @ ..] if rest.len() != 1 && rest.len() <= 2 => {
                ([r * 16 + s, g * 16 + h, b * 16 + c], rest)
            }
            _ => return None,
        };
        let rest: String = rest.iter().map(|digit| format!("{digit:x}")).collect();
        let [r, g, b] = opposite(rgb);
        return Some(format!("#{r:02x}{g:02x}{b:02x}{rest}"));
    }
    let (kind, values) = color.strip_suffix(')')?.split_once('(')?;
    let mut values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    match (kind, values.as_slice()) {
        ("rgb" | "rgba", [r, g, b, ..]) => {
            let channel = |value: &String| value.parse::<f32>().ok().map(|value| value.clamp(0.0, 255.0).round() as u8);
            let inverted = opposite([channel(r)?, channel(g)?, channel(b)?]);
            for (value, inverted) in values.iter_mut().zip(inverted) {
                *value = inverted.to_string();
            }
        }
        ("hsl" | "hsla", [_, _, lightness, ..]) => {
            let lightness: f32 = lightness.strip_suffix('%')?.parse().ok()?;
            values[2] = format!("{}%", (100.0 - lightness).clamp(0.0, 100.0));
        }
        _ => return None,
    }
    Some(format!("{kind}({})", values.join(",")))
}

/// A colour of the same hue with inverted lightness.
fn opposite(rgb: [u8; 3]) -> [u8; 3] {
    let [most, least] =
        [rgb.into_iter().max(), rgb.into_iter().min()].map(|value| i32::from(value.unwrap_or_default()));
    // The result is in range: the lightest channel gets as far from white as the darkest one was from black.
    rgb.map(|value| (i32::from(value) + 255 - most - least).clamp(0, 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("#1C2230", "#e4e8f0")]
    #[case("white", "#000000")]
    #[case("#fbb", "#440000")]
    #[case("#ffbbbb80", "#44000080")]
    #[case("rgba(255, 255, 255, 0.5)", "rgba(0,0,0,0.5)")]
    #[case("hsl(240, 100%, 76.5%)", "hsl(240,100%,23.5%)")]
    #[case("none", "none")]
    #[case("url(#gradient)", "url(#gradient)")]
    #[case("#12345", "#12345")]
    #[case("rgb(,)", "rgb(,)")]
    fn a_colour_has_one_in_dark(#[case] light: &str, #[case] dark: &str) {
        assert_eq!(tinted(light), dark);
    }
}
