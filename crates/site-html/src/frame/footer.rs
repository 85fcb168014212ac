//! The bottom of a page.
use super::context::FrameContext;
use super::header::{outside, themed};
use super::href::Href;
use super::social;
use crate::texts::Word;
use domain::site::customization::{Link, LinkGroup};
use maud::{Markup, html};

/// The footer; nothing if there is nothing in it.
pub(super) fn footer(context: &FrameContext<'_>) -> Markup {
    let footer = &context.customization.footer;
    let groups: Vec<(&LinkGroup, Vec<(&Link, Href)>)> = footer
        .groups
        .iter()
        .map(|group| {
            let links = group.links.iter().filter_map(|link| Some((link, context.href(&link.to)?)));
            (group, links.collect())
        })
        .collect();
    let accounts = social::accounts(context, |display| display.footer);
    let copyright = footer.copyright.as_ref().filter(|text| !text.as_str().is_empty());
    let privacy = context.customization.privacy_policy.url.as_ref();
    let privacy = privacy.and_then(|url| context.safe(url.as_str()));
    let is_empty = groups.is_empty() && footer.logo.is_none() && copyright.is_none() && privacy.is_none();
    if is_empty && accounts.0.is_empty() {
        return html! {};
    }
    html! {
        footer.o-footer {
            @if footer.logo.is_some() || !groups.is_empty() {
                div.o-columns-footer {
                    @if let Some(logo) = &footer.logo { div.o-footer-logo { (themed(logo, &context.frame.title)) } }
                    @for (group, links) in &groups {
                        section {
                            h2 { (group.title) }
                            ul {
                                @for (link, href) in links {
                                    li { (context.link(href, outside(href), &html! { (link.title) })) }
                                }
                            }
                        }
                    }
                }
            }
            div.o-legal {
                @if let Some(copyright) = copyright { p { bdi { (copyright) } } }
                @if let Some(href) = &privacy {
                    p { (context.link(href, None, &html! { (context.word(Word::PrivacyPolicy)) })) }
                }
                (accounts)
            }
        }
    }
}
