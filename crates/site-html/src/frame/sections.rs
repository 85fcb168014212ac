//! The sections of a site, as tabs.
use super::around::Around;
use crate::texts::Word;
use domain::site::reader::SectionEntry;
use maud::{Markup, html};

/// The sections; nothing on a site without them.
pub(super) fn sections(around: &Around<'_>) -> Markup {
    let entries = &around.frame.sections;
    if entries.is_empty() {
        return html! {};
    }
    html! {
        nav.o-sections aria-label=(around.word(Word::Sections)) {
            ul { @for entry in entries { li { (tab(around, entry)) } } }
        }
    }
}

fn tab(around: &Around<'_>, entry: &SectionEntry) -> Markup {
    match entry {
        SectionEntry::Group { title, icon, entries } => html! {
            details.o-drop {
                summary data-current=[has_current(entries).then_some("")] {
                    (around.sign(None, icon.as_deref())) (title)
                }
                ul { @for entry in entries { (in_menu(around, entry)) } }
            }
        },
        SectionEntry::Section(section) => html! {
            a href=(section.href) aria-current=[section.current.then_some("true")] {
                (around.sign(None, section.icon.as_deref())) (section.title)
            }
        },
        SectionEntry::Link { title, icon, href, .. } => outside(
            around,
            href,
            &html! {
                (around.sign(None, icon.as_deref())) (title)
            },
        ),
    }
}

fn in_menu(around: &Around<'_>, entry: &SectionEntry) -> Markup {
    match entry {
        SectionEntry::Group { title, icon, entries } => html! {
            li.o-group {
                span { (around.sign(None, icon.as_deref())) (title) }
                ul { @for entry in entries { (in_menu(around, entry)) } }
            }
        },
        SectionEntry::Section(section) => html! {
            li {
                a href=(section.href) aria-current=[section.current.then_some("true")] {
                    (described(around, &section.title, section.icon.as_deref(), section.description.as_deref()))
                }
            }
        },
        SectionEntry::Link { title, description, icon, href } => html! {
            li { (outside(around, href, &described(around, title, icon.as_deref(), description.as_deref()))) }
        },
    }
}

fn described(around: &Around<'_>, title: &str, icon: Option<&str>, description: Option<&str>) -> Markup {
    html! {
        (around.sign(None, icon))
        span.o-entry { (title) @if let Some(description) = description { small { (description) } } }
    }
}

fn outside(around: &Around<'_>, href: &str, inner: &Markup) -> Markup {
    match around.safe(href) {
        Some(href) => around.link(&href, super::header::outside(&href), inner),
        None => html! { span { (inner) } },
    }
}

fn has_current(entries: &[SectionEntry]) -> bool {
    entries.iter().any(|entry| match entry {
        SectionEntry::Section(section) => section.current,
        SectionEntry::Group { entries, .. } => has_current(entries),
        SectionEntry::Link { .. } => false,
    })
}
