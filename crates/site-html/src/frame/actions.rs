//! What a visitor can do with a page.
use super::around::Around;
use super::icons::own;
use crate::texts::Word;
use domain::site::customization::PageAction;
use domain::site::reader::SitePage;
use maud::{Markup, html};
use url::form_urlencoded::byte_serialize;

/// Assistants elsewhere: name, and address of a new conversation up to its first words.
const ASSISTANTS: [(&str, &str); 3] = [
    ("ChatGPT", "https://chatgpt.com/?hints=search&q="),
    ("Claude", "https://claude.ai/new?q="),
    ("Perplexity", "https://www.perplexity.ai/search?q="),
];

/// The actions that the customization lists, in its order.
pub(super) fn actions(around: &Around<'_>, page: &SitePage) -> Markup {
    let items = around.customization.page_actions.items.iter();
    let mut all = items.flat_map(|item| entries(around, page, *item));
    let Some(first) = all.next() else { return html! {} };
    let others: Vec<Markup> = all.collect();
    html! {
        div.o-actions role="group" aria-label=(around.word(Word::PageActions)) {
            (first)
            @if !others.is_empty() {
                details.o-drop {
                    summary { span.o-hidden { (around.word(Word::More)) } }
                    ul { @for entry in &others { li { (entry) } } }
                }
            }
        }
    }
}

fn entries(around: &Around<'_>, page: &SitePage, item: PageAction) -> Vec<Markup> {
    match item {
        // There is no assistant.
        PageAction::Assistant => Vec::new(),
        PageAction::Markdown | PageAction::ExternalAi | PageAction::Mcp if page.markdown.is_empty() => Vec::new(),
        PageAction::Markdown => vec![
            html! {
                button."o-action o-copy" type="button" data-copy=(page.markdown) hidden {
                    (around.word(Word::CopyPage))
                }
            },
            html! { a.o-action href=(page.markdown) { (own("markdown")) (around.word(Word::ViewMarkdown)) } },
        ],
        // They cannot read what only this visitor can.
        PageAction::ExternalAi if around.frame.preview => Vec::new(),
        // It needs a server.
        PageAction::Mcp if around.frame.exported => Vec::new(),
        PageAction::ExternalAi => ASSISTANTS.iter().map(|(name, start)| assistant(around, page, name, start)).collect(),
        PageAction::Mcp => vec![html! {
            button."o-action o-copy" type="button" data-text={ (around.frame.canonical) "~/mcp" } hidden {
                span.o-entry {
                    (around.word(Word::ConnectMcp))
                    small translate="no" dir="ltr" { (around.frame.canonical) "~/mcp" }
                }
            }
        }],
        PageAction::Git => {
            let href = page.edit.as_deref().and_then(|address| around.safe(address));
            let inner = html! { (own("edit")) (around.word(Word::EditPage)) };
            href.iter().map(|href| around.link(href, Some("o-action"), &inner)).collect()
        }
        PageAction::Pdf if !page.markdown.is_empty() && !around.frame.exported => vec![html! {
            a.o-action href={ (around.own("print")) "?variant=" (around.frame.variant) "&page=" (page.id) } {
                (own("print")) (around.word(Word::Print))
            }
        }],
        // What is no page of a site, or a file of an export, has no page for printing.
        PageAction::Pdf => vec![html! {
            button."o-action o-print" type="button" hidden { (own("print")) (around.word(Word::Print)) }
        }],
    }
}

fn assistant(around: &Around<'_>, page: &SitePage, name: &str, start: &str) -> Markup {
    let question = around.filled(Word::AskAbout, &page.canonical);
    let question: String = byte_serialize(question.as_bytes()).collect();
    html! {
        a.o-action href={ (start) (question) } rel="noopener nofollow" target="_blank" {
            (own("chat")) (around.filled(Word::OpenIn, name))
            span.o-hidden { " (" (around.word(Word::NewTab)) ")" }
        }
    }
}
