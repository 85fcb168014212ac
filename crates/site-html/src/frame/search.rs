//! The page with the results of a search.
use super::context::FrameContext;
use super::document::Parts;
use super::{SearchHit, SearchHitSection, SearchResults};
use crate::texts::Word;
use domain::usecases::sites::reader::ListedPage;
use maud::{Markup, html};
use url::form_urlencoded::byte_serialize;

/// The longest text of a search, in characters.
const LONGEST: &str = "512";

/// A search request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest<'a> {
    /// The text.
    pub query: &'a str,
    /// Where: `variant`, `all`, or absent for the variant and the start variants of other sections.
    pub scope: Option<&'a str>,
}

/// The search form.
pub(super) fn form(context: &FrameContext<'_>, request: &SearchRequest<'_>) -> Markup {
    let scope = request.scope.filter(|scope| is_scope(scope));
    html! {
        form.o-find role="search" action=(context.own("search")) {
            label.o-hidden for="find" { (context.filled(Word::SearchIn, &context.frame.title)) }
            input id="find" type="search" name="q" value=(request.query) maxlength=(LONGEST) autocomplete="off";
            @if let Some(scope) = scope { input type="hidden" name="scope" value=(scope); }
            input type="hidden" name="variant" value=(context.frame.variant);
            button.o-button.o-primary type="submit" { (context.word(Word::Search)) }
        }
    }
}

fn is_scope(scope: &str) -> bool {
    matches!(scope, "variant" | "all")
}

/// The parts of the page.
pub(super) fn parts(context: &FrameContext<'_>, request: &SearchRequest<'_>, results: &SearchResults) -> Parts {
    let query = request.query.trim();
    let title = match query.is_empty() {
        true => context.word(Word::Search).to_owned(),
        false => format!("{} · {query}", context.word(Word::Search)),
    };
    let main = html! {
        main.o-main.o-search-page id="main" tabindex="-1" {
            header.o-head { h1 { (context.word(Word::Search)) } }
            (form(context, request))
            @if !query.is_empty() {
                (scopes(context, request))
                @if results.items.is_empty() {
                    p.o-count role="status" { (context.filled(Word::NoResults, query)) }
                    p { (context.word(Word::NoResultsHint)) }
                } @else {
                    p.o-count role="status" { (context.filled(Word::Results, &results.items.len().to_string())) }
                    ol.o-results { @for item in &results.items { li { (hit(item)) } } }
                }
            }
        }
    };
    Parts {
        title: Some(title),
        head: html! { meta name="robots" content="noindex"; },
        body: super::layout(context, &main, false),
        images: super::images::of(context, None),
        ..Parts::default()
    }
}

/// The parts of a page that lists all pages with their paths on the server. Its script hides those without the words.
pub(super) fn list(context: &FrameContext<'_>, pages: &[(&ListedPage, &str)]) -> Parts {
    let main = html! {
        main.o-main.o-search-page id="main" tabindex="-1" {
            header.o-head { h1 { (context.word(Word::Search)) } }
            (form(context, &SearchRequest::default()))
            p.o-count role="status" { (context.filled(Word::Results, &pages.len().to_string())) }
            ol.o-results { @for (page, href) in pages { li { (listed(page, href)) } } }
        }
    };
    Parts {
        title: Some(context.word(Word::Search).to_owned()),
        head: html! { meta name="robots" content="noindex"; },
        body: super::layout(context, &main, false),
        images: super::images::of(context, None),
        ..Parts::default()
    }
}

fn listed(page: &ListedPage, href: &str) -> Markup {
    let variant = (!page.default_variant).then_some(&page.variant);
    let above: Vec<&str> = page.section.iter().chain(variant).map(String::as_str).collect();
    let description = page.description.as_deref().filter(|text| !text.trim().is_empty());
    html! {
        a.o-result href=(href) {
            @if !above.is_empty() { small { (above.join(" › ")) } " " }
            strong { (page.title) }
        }
        @if let Some(description) = description { p { (description) } }
    }
}

fn scopes(context: &FrameContext<'_>, request: &SearchRequest<'_>) -> Markup {
    if context.frame.sections.is_empty() && context.frame.variants.is_empty() {
        return html! {};
    }
    let query: String = byte_serialize(request.query.as_bytes()).collect();
    let link = |scope: &str, word: Word| {
        let current = request.scope == Some(scope);
        let address = context.own("search");
        html! {
            a href={ (address) "?q=" (query) "&scope=" (scope) "&variant=" (context.frame.variant) }
                aria-current=[current.then_some("true")] { (context.word(word)) }
        }
    };
    html! {
        p.o-scopes {
            span { (context.word(Word::SearchScope)) } " "
            (link("variant", Word::ThisSection)) " " (link("all", Word::Everything))
        }
    }
}

fn hit(item: &SearchHit) -> Markup {
    html! {
        a.o-result href=(item.href) {
            @if !item.above.is_empty() { small { (item.above.join(" › ")) } " " }
            strong { (item.title) }
        }
        @if !item.sections.is_empty() { ul { @for section in &item.sections { li { (part(section)) } } } }
    }
}

fn part(section: &SearchHitSection) -> Markup {
    html! {
        a href=(section.href) {
            @if !section.title.is_empty() { strong { (section.title) } " " }
            span { (marked(&section.text, &section.matches)) }
        }
    }
}

/// A text with highlighted matches.
fn marked(text: &str, matches: &[(usize, usize)]) -> Markup {
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    let mut at = 0;
    for (from, to) in matches {
        let Some((before, found)) = text.get(at..*from).zip(text.get(*from..*to)) else { continue };
        pieces.extend([(before, false), (found, true)]);
        at = *to;
    }
    pieces.push((text.get(at..).unwrap_or_default(), false));
    html! { @for (piece, found) in pieces { @if found { mark { (piece) } } @else { (piece) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&[(0, 1)], "<mark>a</mark>ä&lt;b&gt;")]
    #[case(&[(1, 3), (3, 6)], "a<mark>ä</mark><mark>&lt;b&gt;</mark>")]
    #[case(&[(1, 2)], "aä&lt;b&gt;")]
    #[case(&[(3, 1)], "aä&lt;b&gt;")]
    #[case(&[(0, 99)], "aä&lt;b&gt;")]
    #[case(&[(3, 4), (0, 1)], "aä<mark>&lt;</mark>b&gt;")]
    fn matches_are_marked(#[case] matches: &[(usize, usize)], #[case] expected: &str) {
        assert_eq!(marked("aä<b>", matches).into_string(), expected);
    }
}
