//! Colours.
use crate::text::Rule;
use serde::{Deserialize, Serialize};

/// A colour as three or six hexadecimal digits: `#36d` or `#3366dd`. It is kept as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Color(String);

impl Color {
    /// The colour as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Red, green and blue, from 0 to 255.
    pub fn rgb(&self) -> [u8; 3] {
        let digits: Vec<u8> = self.0.chars().filter_map(|char| char.to_digit(16)).map(|digit| digit as u8).collect();
        match digits[..] {
            [red, green, blue] => [red, green, blue].map(|digit| digit * 0x11),
            [r1, r0, g1, g0, b1, b0] => [r1 << 4 | r0, g1 << 4 | g0, b1 << 4 | b0],
            _ => unreachable!("a colour has three or six digits"),
        }
    }
}

impl TryFrom<String> for Color {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        let digits = raw.strip_prefix('#').unwrap_or_default();
        match matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Self(raw)),
            false => Err(Rule("must be a colour such as #346ddb".to_owned())),
        }
    }
}

/// A colour in each mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThemedColor {
    /// In light mode.
    pub light: Color,
    /// In dark mode.
    pub dark: Color,
}

impl ThemedColor {
    /// A default. Both colours are known to be valid.
    pub(super) fn known(light: &str, dark: &str) -> Self {
        Self { light: Color(light.to_owned()), dark: Color(dark.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("#346ddb", Some([0x34, 0x6d, 0xdb]))]
    #[case("#FFD400", Some([0xff, 0xd4, 0x00]))]
    #[case("#36d", Some([0x33, 0x66, 0xdd]))]
    #[case("346ddb", None)]
    #[case("#346ddb0", None)]
    #[case("#36", None)]
    #[case("#36d8", None)]
    #[case("#gggggg", None)]
    #[case("#é2", None)]
    #[case("red", None)]
    #[case("##36d", None)]
    #[case("#fff;background:url(x)", None)]
    #[case("", None)]
    fn a_color_is_three_or_six_hexadecimal_digits(#[case] raw: &str, #[case] rgb: Option<[u8; 3]>) {
        let color = Color::try_from(raw.to_owned()).ok();
        assert_eq!(color.as_ref().map(Color::rgb), rgb);
        assert!(color.is_none_or(|color| color.as_str() == raw));
    }
}
