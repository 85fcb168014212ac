//! Languages by their own names.
use domain::text::Language;

/// The name of a language in that language.
pub(super) fn own_name(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::Fr => "Français",
        Language::De => "Deutsch",
        Language::Es => "Español",
        Language::It => "Italiano",
        Language::Pt => "Português",
        Language::PtBr => "Português (Brasil)",
        Language::Ru => "Русский",
        Language::Ja => "日本語",
        Language::Zh => "简体中文",
        Language::ZhTw => "繁體中文",
        Language::Yue => "粵語",
        Language::Ko => "한국어",
        Language::Ar => "العربية",
        Language::Hi => "हिन्दी",
        Language::Nl => "Nederlands",
        Language::Pl => "Polski",
        Language::Tr => "Türkçe",
        Language::Sv => "Svenska",
        Language::No => "Norsk",
        Language::Da => "Dansk",
        Language::Fi => "Suomi",
        Language::El => "Ελληνικά",
        Language::Cs => "Čeština",
        Language::Hu => "Magyar",
        Language::Ro => "Română",
        Language::Th => "ไทย",
        Language::Vi => "Tiếng Việt",
        Language::Id => "Bahasa Indonesia",
        Language::Ms => "Bahasa Melayu",
        Language::He => "עברית",
        Language::Uk => "Українська",
        Language::Sk => "Slovenčina",
        Language::Bg => "Български",
        Language::Hr => "Hrvatski",
        Language::Lt => "Lietuvių",
        Language::Lv => "Latviešu",
        Language::Et => "Eesti",
        Language::Sl => "Slovenščina",
    }
}

/// The direction of a language, by its code.
pub(super) fn direction(code: &str) -> &'static str {
    match code {
        "ar" | "he" => "rtl",
        _ => "ltr",
    }
}
