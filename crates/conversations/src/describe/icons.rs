//! Chooses the icon of a cluster by keywords.
use crate::lexicon::{Phrases, tokens};
use content::search::Words;
use std::collections::HashMap;
use std::sync::LazyLock;
use values::text::Language;

/// The icon of a cluster that matches no keyword.
const OTHER: &str = "circle-question";
/// The weight of the label, as a number of titles.
const OF_LABEL: usize = 3;
/// The maximum number of titles that are read.
const MOST_TITLES: usize = 30;

/// The icons with their keywords in one language, by stem.
type Icons = Vec<(&'static str, Phrases)>;

/// The icons with their keywords.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../words/icons.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':'))
}

/// The names of all icons.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    lines().map(|(icon, _)| icon).chain([OTHER])
}

/// The icon with this name.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    names().find(|icon| *icon == name)
}

static ICONS: LazyLock<HashMap<Language, Icons>> = LazyLock::new(|| {
    let icons = |language: Language| {
        let mut words = Words::of(Some(language));
        lines().map(|(icon, list)| (icon, Phrases::of_stems(&mut words, list))).collect()
    };
    Language::ALL.iter().map(|language| (*language, icons(*language))).collect()
});

/// The icon whose keywords are in the most titles. The label counts as [`OF_LABEL`] titles.
pub(crate) fn icon(label: &str, titles: &[&str], language: Option<Language>) -> &'static str {
    let Some(icons) = ICONS.get(&language.unwrap_or(Language::En)) else { return OTHER };
    let mut words = Words::of(language);
    let mut counts = vec![0_usize; icons.len()];
    let weighted = titles.iter().take(MOST_TITLES).map(|title| (*title, 1)).chain([(label, OF_LABEL)]);
    for (text, weight) in weighted {
        let tokens = tokens(&mut words, text);
        for (count, (_, phrases)) in counts.iter_mut().zip(icons) {
            *count += if phrases.is_in(&tokens) { weight } else { 0 };
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    // A keyword that few of the titles contain does not describe the cluster.
    if most * 4 < titles.len().min(MOST_TITLES) || most == 0 {
        return OTHER;
    }
    counts.iter().position(|count| *count == most).map_or(OTHER, |at| icons[at].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("I cannot log in", Language::En, "key")]
    #[case("Exports are slow", Language::En, "file-export")]
    #[case("Everything is slow", Language::En, "gauge")]
    #[case("I was charged twice", Language::En, "credit-card")]
    #[case("Error 500", Language::En, "bug")]
    #[case("Tell me a joke", Language::En, "circle-question")]
    #[case("Rechnung fehlt", Language::De, "file-invoice")]
    #[case("Mot de passe oublié", Language::Fr, "key")]
    #[case("No puedo pagar", Language::Es, "credit-card")]
    #[case("Cancelar a assinatura", Language::PtBr, "circle-xmark")]
    #[case("Stampare la fattura", Language::It, "file-invoice")]
    #[case("Wachtwoord vergeten", Language::Nl, "key")]
    #[case("パスワード", Language::Ja, "circle-question")]
    fn the_words_of_a_cluster_have_an_icon(#[case] title: &str, #[case] language: Language, #[case] expected: &str) {
        assert_eq!(icon(title, &[title], Some(language)), expected);
    }
}
