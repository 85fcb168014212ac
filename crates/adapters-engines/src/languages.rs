//! Language codes of the engines.
use domain::text::Language;

/// The names of a language. A code is absent if the engine does not support the language.
pub(crate) struct Codes {
    /// In English, for language models.
    pub(crate) english: &'static str,
    /// For LibreTranslate.
    pub(crate) libretranslate: Option<&'static str>,
    /// For DeepL: as the source language, and as the target language.
    pub(crate) deepl: Option<(&'static str, &'static str)>,
    /// For Apertium.
    pub(crate) apertium: Option<&'static str>,
}

/// The names of a language.
pub(crate) fn codes(language: Language) -> Codes {
    let row = |english, libretranslate, deepl, apertium| {
        let some = |code: &'static str| (!code.is_empty()).then_some(code);
        let (source, target) = deepl;
        let deepl = some(source).map(|source| (source, target));
        Codes { english, libretranslate: some(libretranslate), deepl, apertium: some(apertium) }
    };
    match language {
        Language::En => row("English", "en", ("EN", "EN-US"), "eng"),
        Language::Fr => row("French", "fr", ("FR", "FR"), "fra"),
        Language::De => row("German", "de", ("DE", "DE"), "deu"),
        Language::Es => row("Spanish", "es", ("ES", "ES"), "spa"),
        Language::It => row("Italian", "it", ("IT", "IT"), "ita"),
        Language::Pt => row("European Portuguese", "pt", ("PT", "PT-PT"), "por"),
        Language::PtBr => row("Brazilian Portuguese", "pb", ("PT", "PT-BR"), "por_BR"),
        Language::Ru => row("Russian", "ru", ("RU", "RU"), "rus"),
        Language::Ja => row("Japanese", "ja", ("JA", "JA"), ""),
        Language::Zh => row("Simplified Chinese", "zh", ("ZH", "ZH-HANS"), "zho"),
        Language::ZhTw => row("Traditional Chinese as written in Taiwan", "zt", ("ZH", "ZH-HANT"), ""),
        Language::Yue => row("Cantonese", "", ("", ""), ""),
        Language::Ko => row("Korean", "ko", ("KO", "KO"), ""),
        Language::Ar => row("Arabic", "ar", ("AR", "AR"), "ara"),
        Language::Hi => row("Hindi", "hi", ("", ""), "hin"),
        Language::Nl => row("Dutch", "nl", ("NL", "NL"), "nld"),
        Language::Pl => row("Polish", "pl", ("PL", "PL"), "pol"),
        Language::Tr => row("Turkish", "tr", ("TR", "TR"), "tur"),
        Language::Sv => row("Swedish", "sv", ("SV", "SV"), "swe"),
        Language::No => row("Norwegian Bokmål", "nb", ("NB", "NB"), "nob"),
        Language::Da => row("Danish", "da", ("DA", "DA"), "dan"),
        Language::Fi => row("Finnish", "fi", ("FI", "FI"), "fin"),
        Language::El => row("Greek", "el", ("EL", "EL"), "ell"),
        Language::Cs => row("Czech", "cs", ("CS", "CS"), "ces"),
        Language::Hu => row("Hungarian", "hu", ("HU", "HU"), "hun"),
        Language::Ro => row("Romanian", "ro", ("RO", "RO"), "ron"),
        Language::Th => row("Thai", "th", ("TH", "TH"), ""),
        Language::Vi => row("Vietnamese", "vi", ("VI", "VI"), "vie"),
        Language::Id => row("Indonesian", "id", ("ID", "ID"), "ind"),
        Language::Ms => row("Malay", "ms", ("", ""), "zlm"),
        Language::He => row("Hebrew", "he", ("HE", "HE"), "heb"),
        Language::Uk => row("Ukrainian", "uk", ("UK", "UK"), "ukr"),
        Language::Sk => row("Slovak", "sk", ("SK", "SK"), "slk"),
        Language::Bg => row("Bulgarian", "bg", ("BG", "BG"), "bul"),
        Language::Hr => row("Croatian", "hr", ("", ""), "hrv"),
        Language::Lt => row("Lithuanian", "lt", ("LT", "LT"), "lit"),
        Language::Lv => row("Latvian", "lv", ("LV", "LV"), "lvs"),
        Language::Et => row("Estonian", "et", ("ET", "ET"), "est"),
        Language::Sl => row("Slovenian", "sl", ("SL", "SL"), "slv"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn distinct<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
        let mut known = BTreeSet::new();
        names.all(|name| known.insert(name))
    }

    #[test]
    fn every_language_has_its_own_code() {
        assert_eq!(Language::ALL.len(), 39);
        let all = || Language::ALL.iter().map(|language| codes(*language));
        assert!(distinct(all().map(|codes| codes.english)));
        assert!(distinct(all().filter_map(|codes| codes.libretranslate)));
        assert!(distinct(all().filter_map(|codes| codes.deepl).map(|(_, target)| target)));
        assert!(distinct(all().filter_map(|codes| codes.apertium)));
    }
}
