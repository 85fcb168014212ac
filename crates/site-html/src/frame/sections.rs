//! The sections of a site, as tabs.
use super::context::FrameContext;
use crate::texts::Word;
use domain::site::reader::SectionEntry;
use maud::{Markup, html};

/// The sections; nothing on a site without them.
pub(super) fn sections(context: &FrameContext<'_>) -> Markup {
    let entries = &context.frame.sections;
    if entries.is_empty() {
        return html! {};
    }
    html! {
        nav.o-sections aria-label=(context.word(Word::Sections)) {
            ul { @for entry in entries { li { (tab(context, entry)) } } }
        }
    }
}

fn tab(context: &FrameContext<'_>, entry: &SectionEntry) -> Markup {
    match entry {
        SectionEntry::Group { title, icon, entries } => html! {
            details.o-drop {
                summary data-current=[has_current(entries).then_some("")] {
                    (context.sign(None, icon.as_deref())) (title)
                }
                ul { @for entry in entries { (in_menu(context, entry)) } }
            }
        },
        SectionEntry::Section(section) => html! {
            a href=(section.href) aria-current=[section.current.then_some("true")] {
                (context.sign(None, section.icon.as_deref())) (section.title)
            }
        },
        SectionEntry::Link { title, icon, href, .. } => outside(
            context,
            href,
            &html! {
                (context.sign(None, icon.as_deref())) (title)
            },
        ),
    }
}

fn in_menu(context: &FrameContext<'_>, entry: &SectionEntry) -> Markup {
    match entry {
        SectionEntry::Group { title, icon, entries } => html! {
            li.o-group {
                span { (context.sign(None, icon.as_deref())) (title) }
                ul { @for entry in entries { (in_menu(context, entry)) } }
            }
        },
        SectionEntry::Section(section) => html! {
            li {
                a href=(section.href) aria-current=[section.current.then_some("true")] {
                    (described(context, &section.title, section.icon.as_deref(), section.description.as_deref()))
                }
            }
        },
        SectionEntry::Link { title, description, icon, href } => html! {
            li { (outside(context, href, &described(context, title, icon.as_deref(), description.as_deref()))) }
        },
    }
}

fn described(context: &FrameContext<'_>, title: &str, icon: Option<&str>, description: Option<&str>) -> Markup {
    html! {
        (context.sign(None, icon))
        span.o-entry { (title) @if let Some(description) = description { small { (description) } } }
    }
}

fn outside(context: &FrameContext<'_>, href: &str, inner: &Markup) -> Markup {
    match context.safe(href) {
        Some(href) => context.link(&href, super::header::outside(&href), inner),
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
