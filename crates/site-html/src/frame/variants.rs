//! The variants of a section: those of one language are versions, those of several languages are translations.
use super::context::FrameContext;
use super::header::sign;
use super::languages::own_name;
use crate::texts::Word;
use domain::site::reader::VariantEntry;
use domain::text::Language;
use maud::{Markup, html};

/// The variant that is shown.
fn current<'a>(context: &FrameContext<'a>) -> Option<&'a VariantEntry> {
    context.frame.variants.iter().find(|variant| variant.current)
}

/// The name of a variant among those of other languages.
fn language_name(variant: &VariantEntry) -> &str {
    variant.language.map_or(&variant.title, |language| own_name(language))
}

/// A menu of the other languages, in the header.
pub(super) fn languages(context: &FrameContext<'_>) -> Markup {
    let Some(current) = current(context) else { return html! {} };
    let mut known: Vec<Option<Language>> = vec![current.language];
    let mut others: Vec<&VariantEntry> = Vec::new();
    for variant in &context.frame.variants {
        if !known.contains(&variant.language) {
            known.push(variant.language);
            others.push(nearest(context, current, variant.language).unwrap_or(variant));
        }
    }
    if others.is_empty() {
        return html! {};
    }
    html! {
        details.o-drop.o-language {
            summary {
                (sign("globe"))
                span.o-hidden { (context.word(Word::Language)) ": " }
                span { (language_name(current)) }
            }
            ul { @for variant in others { li { (entry(context, variant, language_name(variant))) } } }
        }
    }
}

/// The variant of a language that is most like the one that is shown: the same page in the same version.
fn nearest<'a>(
    context: &FrameContext<'a>,
    current: &VariantEntry,
    language: Option<Language>,
) -> Option<&'a VariantEntry> {
    let of_it = context.frame.variants.iter().filter(|variant| variant.language == language);
    of_it.max_by_key(|variant| {
        let place = std::cmp::Reverse(context.frame.variants.iter().position(|one| one.id == variant.id));
        (variant.same_page, variant.title == current.title, place)
    })
}

/// A menu of the versions, above the table of contents.
pub(super) fn versions(context: &FrameContext<'_>) -> Markup {
    let Some(current) = current(context) else { return html! {} };
    let versions: Vec<&VariantEntry> =
        context.frame.variants.iter().filter(|variant| variant.language == current.language).collect();
    if versions.len() < 2 {
        return html! {};
    }
    html! {
        details.o-drop.o-variant {
            summary { span.o-hidden { (context.word(Word::Versions)) ": " } span { (current.title) } }
            ul { @for variant in versions { li { (entry(context, variant, &variant.title)) } } }
        }
    }
}

fn entry(context: &FrameContext<'_>, variant: &VariantEntry, name: &str) -> Markup {
    let language = variant.language.map(Language::as_str);
    html! {
        a href=(variant.href) hreflang=[language] lang=[language]
            aria-current=[variant.current.then_some("true")] data-same=[variant.same_page.then_some("")] {
            (name)
            @if !variant.same_page && !variant.current { small lang=(context.texts.locale) { (context.word(Word::StartPage)) } }
        }
    }
}
