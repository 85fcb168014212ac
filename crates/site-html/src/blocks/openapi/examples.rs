//! The code beside an operation: samples of requests, and examples of bodies.
use crate::blocks::Blocks;
use crate::blocks::code::sample;
use crate::texts::Word;
use domain::openapi::example::{BodyExamples, ContentExample, OperationExamples};
use domain::openapi::sample::CodeSample;
use domain::openapi::view::OperationView;
use maud::{Markup, html};

/// The maximum number of examples of a body that are shown.
const MAX_EXAMPLES: usize = 5;

/// All code of an operation; nothing if there is none.
pub(super) fn column(
    blocks: &Blocks<'_>,
    view: &OperationView,
    examples: &OperationExamples,
    samples: &[CodeSample],
) -> Markup {
    // A webhook has no samples: the request of the API is shown instead.
    let is_sent = samples.is_empty() || view.webhook.is_some();
    let request = if is_sent { bodies(&examples.body) } else { requests(samples) };
    let responses: Vec<(&str, Markup)> = examples
        .responses
        .iter()
        .map(|response| (response.status.as_str(), bodies(&response.content)))
        .filter(|(_, rendered)| !rendered.0.is_empty())
        .collect();
    html! {
        @if !request.0.is_empty() {
            p.o-group { (blocks.word(Word::Request)) }
            (request)
        }
        @if !responses.is_empty() {
            p.o-group { (blocks.word(Word::Response)) }
            o-tabs.o-samples.o-statuses {
                @for (status, rendered) in &responses {
                    section data-tab=(status) { p.o-tab-title { (status) } (rendered) }
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

/// The examples of bodies, each with its name and media type. Equal examples of a body are shown once, with all names.
fn bodies(all: &[BodyExamples]) -> Markup {
    html! {
        @for body in all {
            @for Shown { text, is_cut, names } in distinct(&body.examples) {
                @let title = html! { @if !names.is_empty() { (names.join(", ")) " · " } (body.media_type) };
                (sample(&format!("{text}{}", if is_cut { "\n…" } else { "" }), language(&body.media_type), Some(&title)))
            }
        }
    }
}

/// An example that is shown.
struct Shown<'e> {
    text: &'e str,
    is_cut: bool,
    names: Vec<&'e str>,
}

/// The first examples with a text, without repetitions.
fn distinct(examples: &[ContentExample]) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    for one in examples.iter().take(MAX_EXAMPLES) {
        let (Some(text), is_cut) = (one.text.as_deref(), one.is_cut) else { continue };
        let name = one.summary.as_deref().or(one.name.as_deref());
        match all.iter_mut().find(|known| known.text == text && known.is_cut == is_cut) {
            Some(known) => known.names.extend(name),
            None => all.push(Shown { text, is_cut, names: name.into_iter().collect() }),
        }
    }
    all
}

/// The language of a media type.
fn language(media_type: &str) -> &'static str {
    let known =
        [("json", "json"), ("xml", "xml"), ("yaml", "yaml"), ("html", "html"), ("graphql", "graphql"), ("csv", "csv")];
    known.iter().find(|(part, _)| media_type.contains(part)).map_or("text", |(_, language)| language)
}
