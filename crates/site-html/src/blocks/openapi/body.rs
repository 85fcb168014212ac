//! Parameters, bodies and responses of an operation.
use super::prose;
use super::rows::Rows;
use crate::blocks::Blocks;
use crate::texts::Word;
use domain::openapi::view::{MediaView, OperationView, ParameterView, ResponseView};
use maud::{Markup, html};

impl Rows<'_> {
    /// The parameters and the body of a request.
    pub(super) fn request(self, blocks: &mut Blocks<'_>, view: &OperationView) -> Markup {
        html! {
            @for group in &view.parameters {
                @let word = match group.place.as_str() {
                    "path" => Word::PathParameters,
                    "header" => Word::HeaderParameters,
                    "cookie" => Word::CookieParameters,
                    _ => Word::QueryParameters,
                };
                h3 { (blocks.word(word)) }
                @for parameter in &group.parameters { (self.parameter(blocks, parameter)) }
            }
            @if let Some(body) = &view.body {
                h3 {
                    (blocks.word(Word::Body))
                    @if body.required { " " span.o-required { (blocks.word(Word::Required)) } }
                }
                (prose(blocks, body.description.as_deref()))
                (self.content(blocks, &body.content))
            }
        }
    }

    fn parameter(self, blocks: &mut Blocks<'_>, parameter: &ParameterView) -> Markup {
        let ParameterView { style, explode, media_type, row } = parameter;
        let written = [
            style.clone().map(|style| format!("style: {style}")),
            explode.map(|explode| format!("explode: {explode}")),
            media_type.clone(),
        ];
        let written: Vec<String> = written.into_iter().flatten().collect();
        let written = html! {
            @if !written.is_empty() { p.o-flag { code translate="no" { (written.join(", ")) } } }
        };
        self.row_with(blocks, row, &written)
    }

    /// The responses. The first successful one is open.
    pub(super) fn responses(self, blocks: &mut Blocks<'_>, view: &OperationView) -> Markup {
        let open = view.responses.iter().position(|response| response.status.starts_with('2'));
        html! {
            @if !view.responses.is_empty() {
                h3 { (blocks.word(Word::Responses)) }
                @for (at, response) in view.responses.iter().enumerate() {
                    (self.response(blocks, response, view.options.expand_responses || open == Some(at)))
                }
            }
        }
    }

    fn response(self, blocks: &mut Blocks<'_>, response: &ResponseView, open: bool) -> Markup {
        let description = response.description.as_deref().map(str::trim).unwrap_or_default();
        let line = response.summary.as_deref().unwrap_or_else(|| description.lines().next().unwrap_or_default());
        // What the line says is not repeated.
        let further = Some(description).filter(|description| *description != line);
        html! {
            details.o-response open[open] {
                summary { code class={ "o-status " (kind(&response.status)) } { (response.status) } " " span { (line) } }
                (prose(blocks, further))
                @if !response.headers.is_empty() {
                    p.o-group { (blocks.word(Word::Headers)) }
                    @for header in &response.headers { (self.row(blocks, header)) }
                }
                (self.content(blocks, &response.content))
            }
        }
    }

    /// A body in its media types: tabs if there are several.
    fn content(self, blocks: &mut Blocks<'_>, content: &[MediaView]) -> Markup {
        match content {
            [] => html! {},
            [only] => html! { p.o-media { code translate="no" { (only.media_type) } } (self.media(blocks, only)) },
            several => html! {
                o-tabs.o-media-types {
                    @for media in several {
                        section data-tab=(media.media_type) {
                            p.o-tab-title { code translate="no" { (media.media_type) } }
                            (self.media(blocks, media))
                        }
                    }
                }
            },
        }
    }

    fn media(self, blocks: &mut Blocks<'_>, media: &MediaView) -> Markup {
        html! {
            @if let Some(schema) = &media.schema {
                p.o-head { span.o-type { (schema.type_text) @if let Some(format) = &schema.format { " (" (format) ")" } } }
                (self.whole(blocks, schema))
            }
            @if let Some(schema) = &media.item_schema {
                p.o-group { (blocks.word(Word::EachItem)) }
                p.o-head { span.o-type { (schema.type_text) } }
                (self.whole(blocks, schema))
            }
            @for encoding in &media.encodings {
                p.o-flag { code translate="no" { (encoding.name) } ": " code translate="no" { (encoding.content_type) } }
            }
        }
    }
}

/// The class of a status.
fn kind(status: &str) -> &'static str {
    match status.chars().next() {
        Some('2') => "o-success",
        Some('3') => "o-info",
        Some('4') => "o-warning",
        Some('5') => "o-danger",
        _ => "o-default",
    }
}
