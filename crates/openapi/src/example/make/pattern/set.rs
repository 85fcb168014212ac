//! Sets of characters.

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set {
    /// The first and the last character of each range.
    pub(super) ranges: Vec<(char, char)>,
    /// Whether it has all others.
    pub(super) is_negated: bool,
}

/// The characters that texts are made of, if a set has them.
const PREFERRED: &str =
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. /:@#+=,;!?*&%$~^|<>()[]{}'\"\\`";

impl Set {
    pub(super) fn new(ranges: &[(char, char)]) -> Self {
        Self { ranges: ranges.to_vec(), is_negated: false }
    }

    pub(super) fn negated(mut self) -> Self {
        self.is_negated = !self.is_negated;
        self
    }

    /// All characters but line ends.
    pub(super) fn any() -> Self {
        Self::new(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]).negated()
    }

    /// The set of an escape such as `\d`.
    pub(super) fn of_class(class: char) -> Option<Self> {
        Some(match class {
            'd' => Self::new(&[('0', '9')]),
            'w' => Self::new(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
            's' => Self::new(&[(' ', ' '), ('\t', '\r'), ('\u{a0}', '\u{a0}'), ('\u{2028}', '\u{2029}')]),
            'D' | 'W' | 'S' => Self::of_class(class.to_ascii_lowercase())?.negated(),
            _ => return None,
        })
    }

    /// The characters of ASCII of a Unicode property (`\p{…}`).
    pub(super) fn of_property(name: &str) -> Option<Self> {
        let value = name.rsplit(['=', ':']).next().unwrap_or(name);
        Some(match value {
            "L" | "Letter" | "Alphabetic" | "Latin" | "Latn" => Self::new(&[('a', 'z'), ('A', 'Z')]),
            "Lu" | "Uppercase_Letter" | "Uppercase" => Self::new(&[('A', 'Z')]),
            "Ll" | "Lowercase_Letter" | "Lowercase" => Self::new(&[('a', 'z')]),
            "N" | "Number" | "Nd" | "Decimal_Number" => Self::new(&[('0', '9')]),
            "P" | "Punctuation" => Self::new(&[('!', '!'), ('.', '.'), (',', ',')]),
            "S" | "Symbol" => Self::new(&[('+', '+'), ('$', '$')]),
            "Z" | "Separator" | "Zs" | "Space_Separator" => Self::new(&[(' ', ' ')]),
            "ASCII" | "Any" => Self::new(&[(' ', '~')]),
            _ => return None,
        })
    }

    fn has(&self, char: char) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&char)) != self.is_negated
    }

    /// One of its characters; another `number` gives another one, if it has several.
    pub(super) fn pick(&self, number: usize) -> Option<char> {
        // Of letters, only letters: a text with more kinds of characters than necessary is hard to read.
        let first = PREFERRED.chars().find(|char| self.has(*char));
        let Some(first) = first else {
            let outside = ('\u{a1}'..='\u{2fff}').find(|char| self.has(*char));
            return if self.is_negated { outside } else { self.ranges.first().map(|(first, _)| *first) };
        };
        let is_alike = |char: &char| {
            (char.is_ascii_lowercase(), char.is_ascii_digit(), char.is_ascii_uppercase())
                == (first.is_ascii_lowercase(), first.is_ascii_digit(), first.is_ascii_uppercase())
        };
        let alike: Vec<char> = PREFERRED.chars().filter(|char| self.has(*char)).filter(is_alike).collect();
        if !first.is_ascii_alphanumeric() {
            return Some(first);
        }
        alike.get(number % alike.len().max(1)).copied()
    }
}
