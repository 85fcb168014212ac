//! The bottom of a page.
use super::around::Around;
use super::header::{outside, themed};
use super::href::Href;
use super::social;
use crate::texts::Word;
use domain::site::customization::{Link, LinkGroup};
use maud::{Markup, html};

/// The footer; nothing if there is nothing in it.
pub(super) fn footer(around: &Around<'_>) -> Markup {
    let footer = &around.customization.footer;
    let groups: Vec<(&LinkGroup, Vec<(&Link, Href)>)> = footer
        .groups
        .iter()
        .map(|group| {
            let links = group.links.iter().filter_map(|link| Some((link, around.href(&link.to)?)));
            (group, links.collect())
        })
        .collect();
    let accounts = social::accounts(around, |display| display.footer);
    let copyright = footer.copyright.as_ref().filter(|text| !text.as_str().is_empty());
    let privacy = around.customization.privacy_policy.url.as_ref();
    let privacy = privacy.and_then(|url| around.safe(url.as_str()));
    let is_empty = groups.is_empty() && footer.logo.is_none() && copyright.is_none() && privacy.is_none();
    if is_empty && accounts.0.is_empty() {
        return html! {};
    }
    html! {
        footer.o-footer {
            @if footer.logo.is_some() || !groups.is_empty() {
                div.o-columns-footer {
                    @if let Some(logo) = &footer.logo { div.o-footer-logo { (themed(logo, &around.frame.title)) } }
                    @for (group, links) in &groups {
                        section {
                            h2 { (group.title) }
                            ul {
                                @for (link, href) in links {
                                    li { (around.link(href, outside(href), &html! { (link.title) })) }
                                }
                            }
                        }
                    }
                }
            }
            div.o-legal {
                @if let Some(copyright) = copyright { p { (copyright) } }
                @if let Some(href) = &privacy {
                    p { (around.link(href, None, &html! { (around.word(Word::PrivacyPolicy)) })) }
                }
                (accounts)
            }
        }
    }
}
