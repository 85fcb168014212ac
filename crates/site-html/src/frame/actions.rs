//! The actions of a page.
use super::context::FrameContext;
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
pub(super) fn actions(context: &FrameContext<'_>, page: &SitePage) -> Markup {
    let items = context.customization.page_actions.items.iter();
    let mut all = items.flat_map(|item| entries(context, page, *item));
    let Some(first) = all.next() else { return html! {} };
    let others: Vec<Markup> = all.collect();
    html! {
        div.o-actions role="group" aria-label=(context.word(Word::PageActions)) {
            (first)
            @if !others.is_empty() {
                details.o-drop {
                    summary { span.o-hidden { (context.word(Word::More)) } }
                    ul { @for entry in &others { li { (entry) } } }
                }
            }
        }
    }
}

fn entries(context: &FrameContext<'_>, page: &SitePage, item: PageAction) -> Vec<Markup> {
    match item {
        // There is no assistant.
        PageAction::Assistant => Vec::new(),
        PageAction::Markdown | PageAction::ExternalAi | PageAction::Mcp if page.markdown.is_empty() => Vec::new(),
        PageAction::Markdown => vec![
            html! {
                button."o-action o-copy" type="button" data-copy=(page.markdown) hidden {
                    (context.word(Word::CopyPage))
                }
            },
            html! { a.o-action href=(page.markdown) { (own("markdown")) (context.word(Word::ViewMarkdown)) } },
        ],
        // They cannot read pages that only this visitor may see.
        PageAction::ExternalAi if context.frame.preview => Vec::new(),
        // It needs a server.
        PageAction::Mcp if context.frame.exported => Vec::new(),
        PageAction::ExternalAi => {
            ASSISTANTS.iter().map(|(name, start)| assistant(context, page, name, start)).collect()
        }
        PageAction::Mcp => vec![html! {
            button."o-action o-copy" type="button" data-text={ (context.frame.canonical) "~/mcp" } hidden {
                span.o-entry {
                    (context.word(Word::ConnectMcp))
                    small translate="no" dir="ltr" { (context.frame.canonical) "~/mcp" }
                }
            }
        }],
        PageAction::Git => {
            let href = page.edit.as_deref().and_then(|address| context.safe(address));
            let inner = html! { (own("edit")) (context.word(Word::EditPage)) };
            href.iter().map(|href| context.link(href, Some("o-action"), &inner)).collect()
        }
        PageAction::Pdf if !page.markdown.is_empty() && !context.frame.exported => vec![html! {
            a.o-action href={ (context.own("print")) "?variant=" (context.frame.variant) "&page=" (page.id) } {
                (own("print")) (context.word(Word::Print))
            }
        }],
        // Pages outside of sites and files of an export have no page for printing.
        PageAction::Pdf => vec![html! {
            button."o-action o-print" type="button" hidden { (own("print")) (context.word(Word::Print)) }
        }],
    }
}

fn assistant(context: &FrameContext<'_>, page: &SitePage, name: &str, start: &str) -> Markup {
    let question = context.filled(Word::AskAbout, &page.canonical);
    let question: String = byte_serialize(question.as_bytes()).collect();
    html! {
        a.o-action href={ (start) (question) } rel="noopener nofollow" target="_blank" {
            (own("chat")) (context.filled(Word::OpenIn, name))
            span.o-hidden { " (" (context.word(Word::NewTab)) ")" }
        }
    }
}
