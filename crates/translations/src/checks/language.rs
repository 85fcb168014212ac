//! Detects texts that are still in the source language.
use values::text::Language;
use whatlang::{Detector, Lang};

/// The minimum number of letters for a language detection.
const MIN_LETTERS: usize = 40;

/// Whether an answer is certainly still in the source language. Unknown and very similar languages are not compared.
pub(super) fn is_still(answer: &str, from: Language, to: Language) -> bool {
    let (Some(source), Some(target)) = (lang(from), lang(to)) else { return false };
    if source == target || answer.chars().filter(|char| char.is_alphabetic()).take(MIN_LETTERS).count() < MIN_LETTERS {
        return false;
    }
    let detected = Detector::with_allowlist(vec![source, target]).detect(answer);
    detected.is_some_and(|info| info.is_reliable() && info.lang() == source)
}

fn lang(language: Language) -> Option<Lang> {
    Some(match language {
        Language::En => Lang::Eng,
        Language::Fr => Lang::Fra,
        Language::De => Lang::Deu,
        Language::Es => Lang::Spa,
        Language::It => Lang::Ita,
        Language::Pt | Language::PtBr => Lang::Por,
        Language::Ru => Lang::Rus,
        Language::Ja => Lang::Jpn,
        Language::Zh | Language::ZhTw | Language::Yue => Lang::Cmn,
        Language::Ko => Lang::Kor,
        Language::Ar => Lang::Ara,
        Language::Hi => Lang::Hin,
        Language::Nl => Lang::Nld,
        Language::Pl => Lang::Pol,
        Language::Tr => Lang::Tur,
        Language::Sv => Lang::Swe,
        Language::No => Lang::Nob,
        Language::Da => Lang::Dan,
        Language::Fi => Lang::Fin,
        Language::El => Lang::Ell,
        Language::Cs => Lang::Ces,
        Language::Hu => Lang::Hun,
        Language::Ro => Lang::Ron,
        Language::Th => Lang::Tha,
        Language::Vi => Lang::Vie,
        Language::Id => Lang::Ind,
        Language::He => Lang::Heb,
        Language::Uk => Lang::Ukr,
        Language::Sk => Lang::Slk,
        Language::Bg => Lang::Bul,
        Language::Hr => Lang::Hrv,
        Language::Lt => Lang::Lit,
        Language::Lv => Lang::Lav,
        Language::Et => Lang::Est,
        Language::Sl => Lang::Slv,
        Language::Ms => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const ENGLISH: &str = "Open the settings of the space and look for the list of its members there.";

    #[rstest]
    #[case(ENGLISH, Language::En, Language::De, true)]
    #[case(ENGLISH, Language::En, Language::Ja, true)]
    #[case(
        "Öffnen Sie die Einstellungen des Bereichs und suchen Sie dort die Liste.",
        Language::En,
        Language::De,
        false
    )]
    #[case("Open the settings", Language::En, Language::De, false)]
    #[case(ENGLISH, Language::En, Language::Ms, false)]
    #[case(
        "Abra as configurações do espaço e procure a lista de membros ali mesmo.",
        Language::Pt,
        Language::PtBr,
        false
    )]
    fn an_untranslated_text_is_recognized(
        #[case] text: &str,
        #[case] from: Language,
        #[case] to: Language,
        #[case] still: bool,
    ) {
        assert_eq!(is_still(text, from, to), still);
    }
}
