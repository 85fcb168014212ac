//! Pages for printing: one page, or all pages of a variant.
use super::context::FrameContext;
use super::document::Parts;
use super::icons::own;
use crate::article::{Article, sheet_anchor};
use crate::texts::Word;
use domain::id::PageId;
use maud::{Markup, PreEscaped, html};

/// A page on paper.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its number, from 1, also if pages before it are missing.
    pub number: usize,
    /// Its title.
    pub title: String,
    /// A line about it.
    pub description: Option<String>,
    /// Its absolute canonical address.
    pub url: String,
    /// Its text, rendered by [`sheet`](crate::article::sheet) with its number.
    pub article: Article,
}

/// The document to print.
#[derive(Clone, Debug)]
pub struct Print<'a> {
    /// The only page; absent for all pages of the variant.
    pub page: Option<&'a PageId>,
    /// The title of the variant.
    pub title: &'a str,
    /// The pages, in order.
    pub sheets: &'a [Sheet],
    /// How many more pages there are, which are too long for one document.
    pub left_out: usize,
}

/// The parts of the document.
pub(super) fn parts(context: &FrameContext<'_>, print: &Print<'_>) -> Parts {
    let Print { page, title, sheets, left_out } = print;
    let is_one = page.is_some();
    let body = html! {
        main.o-printed id="main" {
            (head(context, print))
            @if !is_one {
                h1 { (title) }
                @if *left_out > 0 { (cut(context, *left_out)) }
                ol.o-print-list {
                    @for sheet in *sheets {
                        li { a href={ "#" (anchor(sheet)) } { (sheet.title) } }
                    }
                }
            }
            @for sheet in *sheets { (paper(context, sheet, is_one)) }
            @if *left_out > 0 { (cut(context, *left_out)) }
        }
    };
    let shown = match sheets {
        [only] if is_one => &only.title,
        _ => *title,
    };
    Parts {
        title: Some(shown.to_owned()),
        head: html! { meta name="robots" content="noindex"; },
        css: sheets.iter().map(|sheet| sheet.article.css.as_str()).collect(),
        printed: true,
        body,
        ..Parts::default()
    }
}

/// The anchor of a page in the document: the prefix of the anchors in it, without the hyphen.
fn anchor(sheet: &Sheet) -> String {
    sheet_anchor(sheet.number).trim_end_matches('-').to_owned()
}

/// The header: the site, and the actions. On paper, only the site is shown.
fn head(context: &FrameContext<'_>, print: &Print<'_>) -> Markup {
    html! {
        header.o-print-head {
            p { a href=(context.frame.base) { (context.frame.title) } }
            @if print.page.is_some() {
                p.o-print-all {
                    a href={ (context.own("print")) "?variant=" (context.frame.variant) } { (context.word(Word::PrintAll)) }
                }
            }
            button."o-button o-primary o-print" type="button" { (own("print")) (context.word(Word::Print)) }
        }
    }
}

fn paper(context: &FrameContext<'_>, sheet: &Sheet, is_one: bool) -> Markup {
    let description = sheet.description.as_deref().filter(|text| !text.trim().is_empty());
    html! {
        section.o-sheet id=(anchor(sheet)) {
            header.o-head {
                @if is_one { h1 { (sheet.title) } } @else { h2.o-sheet-title { (sheet.title) } }
                @if let Some(description) = description { p.o-lead { (description) } }
            }
            article.o-text { (PreEscaped(&sheet.article.html)) }
            p.o-sheet-source { (context.word(Word::Source)) ": " bdi { (sheet.url) } }
        }
    }
}

/// The note that pages were omitted.
fn cut(context: &FrameContext<'_>, left_out: usize) -> Markup {
    html! { p.o-missing role="note" { (context.filled(Word::PrintCut, &left_out.to_string())) } }
}
