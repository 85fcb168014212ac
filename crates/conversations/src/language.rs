//! Detects the language of a conversation.
use crate::lexicon::Lexicon;
use values::text::Language;
use whatlang::{Lang, Script};

/// The maximum number of characters read: more do not make the detection more reliable.
const MAX_CHARACTERS: usize = 4_000;

/// Detects the language of a text. Returns `hint`, the language of the organization, unless the text is certainly in
/// another one. Where the letters are not reliable, the function words of seven languages decide. `None` without a hint
/// if these do not decide either.
pub fn detect(text: &str, hint: Option<Language>) -> Option<Language> {
    let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let letters = text.chars().filter(|char| char.is_alphabetic()).count();
    let Some(seen) = whatlang::detect(text) else { return hint };
    // The letters of another script than Latin are enough.
    let other_script = seen.script() != Script::Latin && hint.is_none_or(is_latin);
    let sure = other_script || seen.is_reliable() && letters >= 24;
    let found = if sure { language_of(seen.lang()) } else { by_function_words(text, hint) };
    match (found, hint) {
        (Some(found), Some(hint)) if !same(found, hint) => Some(found),
        (_, Some(hint)) => Some(hint),
        (found, None) => found,
    }
}

/// The language whose clusters contain the issues of `language`: variants of a language share clusters, and an unknown
/// language counts as English.
pub fn family(language: Option<Language>) -> Language {
    match language {
        None => Language::En,
        Some(Language::PtBr) => Language::Pt,
        Some(language) => language,
    }
}

/// Whether `whatlang` does not distinguish two languages.
fn same(one: Language, other: Language) -> bool {
    let chinese = |language| matches!(language, Language::Zh | Language::ZhTw | Language::Yue);
    let malay = |language| matches!(language, Language::Id | Language::Ms);
    family(Some(one)) == family(Some(other)) || chinese(one) && chinese(other) || malay(one) && malay(other)
}

/// The language with the most function words in the text: two more than any other, and three more than the hint.
fn by_function_words(text: &str, hint: Option<Language>) -> Option<Language> {
    let count = |language: Language| (Lexicon::of(Some(language)).known_words(text), language);
    let mut counts: Vec<(usize, Language)> = Lexicon::LANGUAGES.iter().map(|language| count(*language)).collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let [(most, language), (next, _), ..] = counts[..] else { return None };
    let of_hint = hint.filter(|hint| !Lexicon::of(Some(*hint)).is_empty()).map(|hint| count(hint).0);
    let enough = hint.is_none() || most >= of_hint.unwrap_or(0) + 3;
    (most >= next + 2 && enough).then_some(language)
}

/// Whether a language is written in Latin letters.
fn is_latin(language: Language) -> bool {
    use Language::{Ar, Bg, El, He, Hi, Ja, Ko, Ru, Th, Uk, Yue, Zh, ZhTw};
    !matches!(language, Ar | Bg | El | He | Hi | Ja | Ko | Ru | Th | Uk | Yue | Zh | ZhTw)
}

fn language_of(lang: Lang) -> Option<Language> {
    Some(match lang {
        Lang::Eng => Language::En,
        Lang::Fra => Language::Fr,
        Lang::Deu => Language::De,
        Lang::Spa => Language::Es,
        Lang::Ita => Language::It,
        Lang::Por => Language::Pt,
        Lang::Rus => Language::Ru,
        Lang::Jpn => Language::Ja,
        Lang::Cmn => Language::Zh,
        Lang::Kor => Language::Ko,
        Lang::Ara => Language::Ar,
        Lang::Hin => Language::Hi,
        Lang::Nld => Language::Nl,
        Lang::Pol => Language::Pl,
        Lang::Tur => Language::Tr,
        Lang::Swe => Language::Sv,
        Lang::Nob => Language::No,
        Lang::Dan => Language::Da,
        Lang::Fin => Language::Fi,
        Lang::Ell => Language::El,
        Lang::Ces => Language::Cs,
        Lang::Hun => Language::Hu,
        Lang::Ron => Language::Ro,
        Lang::Tha => Language::Th,
        Lang::Vie => Language::Vi,
        Lang::Ind => Language::Id,
        Lang::Heb => Language::He,
        Lang::Ukr => Language::Uk,
        Lang::Slk => Language::Sk,
        Lang::Bul => Language::Bg,
        Lang::Hrv => Language::Hr,
        Lang::Lit => Language::Lt,
        Lang::Lav => Language::Lv,
        Lang::Est => Language::Et,
        Lang::Slv => Language::Sl,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{De, En, Es, Fr, It, Ja, Nl, Pt, PtBr, Ru};
    use rstest::rstest;

    #[rstest]
    #[case("I cannot log in to my account since yesterday", None, Some(En))]
    #[case("Ich kann mich seit gestern nicht mehr anmelden, was soll ich tun?", None, Some(De))]
    #[case("Je ne peux plus me connecter à mon compte depuis hier", Some(En), Some(Fr))]
    #[case("No puedo entrar en mi cuenta desde ayer y necesito ayuda", Some(En), Some(Es))]
    #[case("Não consigo entrar na minha conta desde ontem", Some(PtBr), Some(PtBr))]
    #[case("Non riesco ad accedere al mio account da ieri, potete aiutarmi?", None, Some(It))]
    #[case("Ik kan sinds gisteren niet meer inloggen op mijn account", None, Some(Nl))]
    #[case("Não consigo entrar na minha conta desde ontem", None, Some(Pt))]
    #[case("昨日からログインできません", Some(En), Some(Ja))]
    #[case("не могу войти в аккаунт со вчерашнего дня", None, Some(Ru))]
    #[case("export fails", Some(De), Some(De))]
    #[case("12345", None, None)]
    #[case("привіт", Some(Ru), Some(Ru))]
    #[case("Rechnung", Some(En), Some(En))]
    #[case("", Some(Fr), Some(Fr))]
    fn a_text_has_the_language_of_its_organization_unless_it_surely_has_another(
        #[case] text: &str,
        #[case] hint: Option<Language>,
        #[case] expected: Option<Language>,
    ) {
        assert_eq!(detect(text, hint), expected);
    }

    #[test]
    fn the_variants_of_a_language_share_clusters() {
        assert_eq!((family(Some(PtBr)), family(None), family(Some(De))), (Pt, En, De));
    }
}
