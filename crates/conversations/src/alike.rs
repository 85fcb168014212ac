//! The similarity of two texts: an issue whose text changed little keeps its id.
use content::search::Words;
use std::collections::HashMap;

/// The similarity from which an issue of a changed conversation keeps its id.
pub const SAME_ISSUE: f32 = 0.8;

/// The similarity of two texts, 0 to 1: the greater of the Dice coefficients of their stems and of their character
/// bigrams. Takes linear time.
pub fn alike(old: &str, new: &str) -> f32 {
    if old == new {
        return 1.0;
    }
    dice(&words(old), &words(new)).max(dice(&pairs(old), &pairs(new)))
}

fn words(text: &str) -> HashMap<String, u32> {
    let mut found = HashMap::new();
    Words::of(None).each(text, |word| *found.entry(word.stem.to_owned()).or_default() += 1);
    found
}

fn pairs(text: &str) -> HashMap<String, u32> {
    let chars: Vec<char> = text
        .split_whitespace()
        .flat_map(|word| [' '].into_iter().chain(word.chars()))
        .flat_map(char::to_lowercase)
        .collect();
    let mut found = HashMap::new();
    for pair in chars.windows(2) {
        *found.entry(pair.iter().collect()).or_default() += 1;
    }
    found
}

/// The Dice coefficient of two multisets; 0 if both are empty.
fn dice(one: &HashMap<String, u32>, other: &HashMap<String, u32>) -> f32 {
    let common: u32 = one.iter().map(|(key, count)| (*count).min(other.get(key).copied().unwrap_or(0))).sum();
    let all: u32 = one.values().chain(other.values()).sum();
    if all == 0 { 0.0 } else { 2.0 * common as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("I cannot log in to my account", "I cannot log in to my account!", true)]
    #[case("I cannot log in to my account", "I cannot log in to my account today", true)]
    #[case("The export fails with error 500", "The export failed with error 500", true)]
    #[case("The export fails with error 500", "How do I change my password?", false)]
    #[case("Die Rechnung fehlt", "Die Rechnungen fehlen", true)]
    #[case("", "", true)]
    #[case("", "a", false)]
    #[case("ログインできません", "ログインできません。", true)]
    fn a_text_that_changed_little_is_alike(#[case] old: &str, #[case] new: &str, #[case] expected: bool) {
        let (there, back) = (alike(old, new), alike(new, old));
        assert!((there - back).abs() < 1e-6);
        assert_eq!(there >= SAME_ISSUE, expected, "{there}");
    }
}
