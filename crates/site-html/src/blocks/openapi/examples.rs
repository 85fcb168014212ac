//! The code beside an operation: samples of requests, and examples of bodies.
use crate::blocks::Blocks;
use crate::blocks::code::sample;
use crate::texts::Word;
use domain::openapi::example::{BodyExamples, ContentExample, OperationExamples};
use domain::openapi::sample::CodeSample;
use domain::openapi::view::OperationView;
use maud::{Markup, html};

/// How many examples of a body are shown.
const MOST: usize = 5;

/// All code of an operation; nothing if there is none.
pub(super) fn column(
    blocks: &Blocks<'_>,
    view: &OperationView,
    examples: &OperationExamples,
    samples: &[CodeSample],
) -> Markup {
    // A webhook has no samples: what the API sends is shown instead.
    let is_sent = samples.is_empty() || view.webhook.is_some();
    let request = if is_sent { bodies(&examples.body) } else { requests(samples) };
    let responses: Vec<(&str, Markup)> = examples
        .responses
        .iter()
        .map(|response| (response.status.as_str(), bodies(&response.content)))
        .filter(|(_, drawn)| !drawn.0.is_empty())
        .collect();
    html! {
        @if !request.0.is_empty() {
            p.o-group { (blocks.word(Word::Request)) }
            (request)
        }
        @if !responses.is_empty() {
            p.o-group { (blocks.word(Word::Response)) }
            o-tabs.o-samples.o-statuses {
                @for (status, drawn) in &responses {
                    section data-tab=(status) { p.o-tab-title { (status) } (drawn) }
                }
            }
        }
    }
}

fn requests(samples: &[CodeSample]) -> Markup {
    html! {
        o-tabs.o-samples {
            @for one in samples {
                section data-tab=(one.label) {
                    p.o-tab-title { (one.label) }
                    (sample(&one.source, &one.lang.to_ascii_lowercase(), None))
                }
            }
        }
    }
}

/// The examples of bodies, each with what it is.
fn bodies(all: &[BodyExamples]) -> Markup {
    let shown = all.iter().flat_map(|body| body.examples.iter().take(MOST).map(move |one| (body, one)));
    let shown: Vec<(&BodyExamples, &ContentExample)> = shown.filter(|(_, one)| one.text.is_some()).collect();
    html! {
        @for (body, one) in shown {
            @let name = one.summary.as_deref().or(one.name.as_deref());
            @let title = html! { @if let Some(name) = name { (name) " · " } (body.media_type) };
            @if let Some(text) = one.text.as_deref() {
                (sample(&format!("{text}{}", if one.is_cut { "\n…" } else { "" }), language(&body.media_type), Some(&title)))
            }
        }
    }
}

/// The language of a media type.
fn language(media_type: &str) -> &'static str {
    let known =
        [("json", "json"), ("xml", "xml"), ("yaml", "yaml"), ("html", "html"), ("graphql", "graphql"), ("csv", "csv")];
    known.iter().find(|(part, _)| media_type.contains(part)).map_or("text", |(_, language)| language)
}
