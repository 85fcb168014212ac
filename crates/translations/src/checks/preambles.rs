//! Detects words about the translation, which language models often add.
use crate::tagged::Fault;
use values::text::Language;

/// The beginnings of answers that are typical of language models, in lower case.
const BEGINNINGS: [&str; 12] = [
    "here is",
    "here's",
    "here are",
    "sure,",
    "sure!",
    "sure.",
    "certainly",
    "of course",
    "i'm sorry",
    "i am sorry",
    "i cannot",
    "as an ai",
];
/// The word "translation", or its beginning, in the languages in which language models add such words.
const TRANSLATION: [&str; 13] = [
    "translat",
    "traducci",
    "traduction",
    "traduzione",
    "tradução",
    "übersetz",
    "vertaling",
    "översätt",
    "перевод",
    "переклад",
    "翻译",
    "翻訳",
    "번역",
];
/// The number of characters of an answer that are searched for such words.
const MAX_PREAMBLE: usize = 80;

/// Checks that the answer has no words about the translation and no code fence, unless the source has them.
pub(super) fn check(source: &str, answer: &str, to: Language) -> Result<(), Fault> {
    if answer.contains("```") && !source.contains("```") {
        return Err(Fault::Fence);
    }
    let (source, answer) = (beginning(source), beginning(answer));
    let begins = |text: &str| BEGINNINGS.iter().any(|known| text.starts_with(known));
    if to != Language::En && begins(&answer) && !begins(&source) {
        return Err(Fault::Preamble);
    }
    let names_itself = |text: &str| {
        let before = text.split_once([':', '：']).map(|(before, _)| before);
        before.is_some_and(|before| TRANSLATION.iter().any(|word| before.contains(word)))
    };
    let named = TRANSLATION.iter().any(|word| source.contains(word));
    if names_itself(&answer) && !named { Err(Fault::Preamble) } else { Ok(()) }
}

fn beginning(text: &str) -> String {
    text.chars().take(MAX_PREAMBLE).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Open it", "Sure! Ábralo", Language::Es, false)]
    #[case("Abrir", "Here is the translation: Open", Language::En, false)]
    #[case("Aquí está la lista", "Here is the list", Language::En, true)]
    #[case("Open it", "Aquí está la traducción: Ábralo", Language::Es, false)]
    #[case("Translation: how it works", "Traducción: cómo funciona", Language::Es, true)]
    #[case("Use a fence", "Usa ```", Language::Es, false)]
    fn words_about_the_translation_are_found(
        #[case] source: &str,
        #[case] answer: &str,
        #[case] to: Language,
        #[case] fine: bool,
    ) {
        assert_eq!(check(source, answer, to).is_ok(), fine);
    }
}
