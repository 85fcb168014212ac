//! Operations, webhooks and schemas of OpenAPI specs.
mod body;
mod examples;
mod rows;
mod security;

use super::{Blocks, slug, try_it};
use crate::article::OutlineEntry;
use crate::texts::Word;
use domain::content::document::{OpenapiOperation, OpenapiSchemas, OpenapiWebhook, Swagger};
use domain::content::markdown;
use domain::openapi::direction::Direction;
use domain::openapi::view::{CallbackView, OperationView, SchemaRow, ServerView};
use domain::site::reader::{OpenapiBlock, OpenapiKey};
use maud::{Markup, html};
use rows::Rows;

/// The levels by which the headings of a description are lowered, so that they are below those of the operation.
const LOWERED: u8 = 2;

/// The maximum number of servers that are shown.
const MAX_SERVERS: usize = 20;

/// An operation or a webhook, as a block names it.
struct OperationRef<'d> {
    key: OpenapiKey,
    method: &'d str,
    name: &'d str,
    headless: bool,
    id: Option<&'d str>,
}

pub(super) fn operation(blocks: &mut Blocks<'_>, data: &OpenapiOperation) -> Markup {
    let key = OpenapiKey::of_operation(data);
    let headless = data.headless == Some(true);
    let wanted = OperationRef { key, method: &data.method, name: &data.path, headless, id: data.id.as_deref() };
    wanted.render(blocks)
}

pub(super) fn webhook(blocks: &mut Blocks<'_>, data: &OpenapiWebhook) -> Markup {
    let key = OpenapiKey::of_webhook(data);
    let headless = data.headless == Some(true);
    let wanted = OperationRef { key, method: &data.method, name: &data.name, headless, id: data.id.as_deref() };
    wanted.render(blocks)
}

/// An operation of a document that has no name: that of an address or of a file of the space, if it could be read, else
/// only where to find it.
pub(super) fn by_address(blocks: &mut Blocks<'_>, data: &Swagger) -> Markup {
    let known = &blocks.context.references.openapi;
    if let Some(key) = OpenapiKey::of_document(data).filter(|key| known.contains_key(key)) {
        let wanted =
            OperationRef { key, method: &data.method, name: &data.path, headless: false, id: data.id.as_deref() };
        return wanted.render(blocks);
    }
    let href = blocks.leads(&data.source.0);
    html! {
        section.o-api {
            (endpoint(&data.method, None, &data.path, &html! {}))
            @match href {
                Some(href) => p.o-missing { (blocks.link(&href, None, None, &html! { (blocks.word(Word::MoreInformation)) })) },
                None => p.o-missing { (blocks.word(Word::NotAvailable)) },
            }
        }
    }
}

pub(super) fn schemas(blocks: &mut Blocks<'_>, data: &OpenapiSchemas) -> Markup {
    let key = OpenapiKey::of_schemas(data);
    let references = blocks.context.references;
    let found = references.openapi.get(&key).filter(|_| blocks.lowered == 0);
    let title = data.title.as_deref().filter(|title| !title.trim().is_empty());
    let wanted = data.id.clone().unwrap_or_else(|| slug(title.unwrap_or("schemas")));
    let id = blocks.anchors.free(&wanted);
    let heading = title.map(|title| heading(blocks, title, &id, false));
    let Some(OpenapiBlock::Schemas(all)) = found else {
        return html! {
            section.o-api id=(id) {
                @if let Some(heading) = heading { (heading) }
                p { code { (data.schemas.join(", ")) } }
                p.o-missing { (blocks.word(Word::NotAvailable)) }
            }
        };
    };
    let is_open = all.len() == 1 || data.grouped == Some(false);
    let pages = pages_of(blocks, &key);
    let rows = Rows { schemas: pages.as_deref(), ..Rows::default() };
    html! {
        section.o-api id=(id) {
            @if let Some(heading) = heading { (heading) }
            @for row in all {
                @let anchor = blocks.anchors.free(&format!("schema-{}", row.name.as_deref().unwrap_or_default()));
                details.o-schema id=(anchor) open[is_open] {
                    summary {
                        code.o-name translate="no" { (row.name.as_deref().unwrap_or(&row.type_text)) }
                        @if row.name.as_deref().is_some_and(|name| name != row.type_text) {
                            " " span.o-type { (row.type_text) }
                        }
                    }
                    div { (rows.whole(blocks, row)) }
                }
            }
        }
    }
}

/// One schema of a block, as the text of a page.
pub(crate) fn schema(blocks: &mut Blocks<'_>, row: &SchemaRow, block: &str, direction: Option<Direction>) -> Markup {
    let pages = blocks.context.schemas.map(|schemas| format!("{schemas}/{block}"));
    let rows = Rows { expanded: false, schemas: pages.as_deref(), direction };
    html! {
        section.o-api {
            // The page has the name of the schema.
            @if row.schema.as_deref() != Some(row.type_text.as_str()) {
                p.o-head { span.o-type { (row.type_text) } }
            }
            (rows.whole(blocks, row))
        }
    }
}

/// The path on the server of the pages of the schemas that a block shows. Schemas of a file have no pages.
fn pages_of(blocks: &Blocks<'_>, key: &OpenapiKey) -> Option<String> {
    if key.is_file() {
        return None;
    }
    blocks.context.schemas.map(|schemas| format!("{schemas}/{}", key.name()))
}

/// The heading of a block, which is in the outline.
fn heading(blocks: &mut Blocks<'_>, text: &str, id: &str, deprecated: bool) -> Markup {
    blocks.outline.push(OutlineEntry { level: 2, text: text.to_owned(), anchor: id.to_owned() });
    html! {
        h2 {
            @if deprecated { s { (text) } } @else { (text) }
            // The section has the anchor.
            a.o-anchor href={ "#" (id) } aria-label=(blocks.context.texts.with(Word::LinkTo, text)) { "#" }
        }
    }
}

/// The method and the path of an operation.
fn endpoint(method: &str, server: Option<&str>, path: &str, further: &Markup) -> Markup {
    let class: String = method.chars().filter(char::is_ascii_alphabetic).collect();
    html! {
        p.o-endpoint {
            span class={ "o-method o-" (class.to_ascii_lowercase()) } { (method.to_ascii_uppercase()) } " "
            @if let Some(server) = server { span.o-server translate="no" { (server) } }
            code translate="no" { (breakable(path)) }
            (further)
        }
    }
}

/// A path that lines can break in after its slashes.
fn breakable(path: &str) -> Markup {
    html! { @for (at, part) in path.split('/').enumerate() { @if at > 0 { "/" wbr; } (part) } }
}

impl OperationRef<'_> {
    fn render(&self, blocks: &mut Blocks<'_>) -> Markup {
        let references = blocks.context.references;
        // A description shows no operations, since it could contain itself.
        let found = references.openapi.get(&self.key).filter(|_| blocks.lowered == 0);
        let Some(OpenapiBlock::Operation { view, examples, samples }) = found else {
            return html! {
                section.o-api {
                    (endpoint(self.method, None, self.name, &html! {}))
                    p.o-missing { (blocks.word(Word::NotAvailable)) }
                }
            };
        };
        if view.internal {
            return html! {};
        }
        let name = view.path.as_deref().or(view.webhook.as_deref()).unwrap_or(self.name);
        let summary = view.summary.as_deref().filter(|summary| !summary.trim().is_empty()).unwrap_or(name);
        let wanted = self.id.map_or_else(|| slug(view.id.as_deref().unwrap_or(summary)), str::to_owned);
        let id = blocks.anchors.free(&wanted);
        let heading = (!self.headless).then(|| heading(blocks, summary, &id, view.deprecated));
        let server = view.servers.first().filter(|_| view.path.is_some());
        let server = server.map(|server| server.url.trim_end_matches('/'));
        let pages = pages_of(blocks, &self.key);
        let rows = Rows { expanded: view.options.expand_schemas, schemas: pages.as_deref(), direction: None };
        // The sender of the request.
        let (request, response) = match view.webhook {
            None => (Direction::Request, Direction::Response),
            Some(_) => (Direction::Response, Direction::Request),
        };
        let code = examples::column(blocks, view, examples, samples);
        html! {
            section.o-api id=(id) data-method=(view.method) data-path=[view.path.as_deref()] {
                @if let Some(heading) = heading { (heading) }
                (endpoint(&view.method, server, name, &html! { (flags(blocks, view)) (try_it::button(blocks, view, examples)) }))
                (prose(blocks, view.description.as_deref()))
                (documentation(blocks, view.docs_url.as_deref()))
                (servers(blocks, &view.servers))
                div.o-api-columns {
                    div {
                        (security::security(blocks, &view.security))
                        (rows.to(request).request(blocks, view))
                        (rows.to(response).responses(blocks, view))
                        (callbacks(blocks, &view.callbacks, rows))
                        @if view.left_out > 0 {
                            p.o-missing { (blocks.context.texts.with(Word::LeftOut, &view.left_out.to_string())) }
                        }
                    }
                    @if !code.0.is_empty() { div { (code) } }
                }
            }
        }
    }
}

/// Whether an operation is deprecated, and how stable it is.
fn flags(blocks: &Blocks<'_>, view: &OperationView) -> Markup {
    html! {
        @if view.webhook.is_some() { " " span.o-tag { (blocks.word(Word::Webhook)) } }
        (stability_note(blocks, view.deprecated, view.stability.as_deref(), view.sunset.as_deref()))
    }
}

/// The stability of an operation.
fn stability_note(blocks: &Blocks<'_>, deprecated: bool, stability: Option<&str>, sunset: Option<&str>) -> Markup {
    html! {
        @if deprecated { " " em.o-deprecated { (blocks.word(Word::Deprecated)) } }
        @if let Some(stability) = stability { " " span.o-tag { (stability) } }
        @if let Some(sunset) = sunset { " " span.o-flag { (blocks.context.texts.with(Word::RemovedOn, sunset)) } }
    }
}

fn documentation(blocks: &Blocks<'_>, url: Option<&str>) -> Markup {
    let href = url.and_then(super::link::safe).filter(|href| href.external);
    html! {
        @if let Some(href) = href {
            p { (blocks.link(&href, None, None, &html! { (blocks.word(Word::MoreInformation)) })) }
        }
    }
}

/// The servers, if there is a choice.
fn servers(blocks: &mut Blocks<'_>, servers: &[ServerView]) -> Markup {
    let has_choice =
        servers.len() > 1 || servers.iter().any(|one| !one.variables.is_empty() || one.description.is_some());
    if !has_choice {
        return html! {};
    }
    html! {
        details.o-servers {
            summary { (blocks.word(Word::Servers)) }
            dl.o-rows {
                @for server in servers.iter().take(MAX_SERVERS) {
                    dt { code translate="no" { (server.url) } @if let Some(name) = &server.name { " " span.o-type { (name) } } }
                    dd {
                        (prose(blocks, server.description.as_deref()))
                        @for variable in &server.variables {
                            p.o-flag {
                                code translate="no" { "{" (variable.name) "}" } " "
                                (blocks.word(Word::Default)) ": " code { (variable.default) }
                                @if !variable.values.is_empty() {
                                    " " (blocks.word(Word::Values)) ": "
                                    @for (at, value) in variable.values.iter().enumerate() { @if at > 0 { ", " } code { (value) } }
                                }
                            }
                            (prose(blocks, variable.description.as_deref()))
                        }
                    }
                }
            }
        }
    }
}

/// The callbacks: requests that the API sends. A callback has no callbacks.
fn callbacks(blocks: &mut Blocks<'_>, callbacks: &[CallbackView], rows: Rows<'_>) -> Markup {
    html! {
        @for CallbackView { name, operation } in callbacks {
            details.o-response {
                summary {
                    span.o-tag { (blocks.word(Word::Callback)) } " " code translate="no" { (name) } " "
                    span { (operation.summary.as_deref().unwrap_or_default()) }
                }
                (endpoint(&operation.method, None, operation.path.as_deref().unwrap_or_default(), &flags(blocks, operation)))
                (prose(blocks, operation.description.as_deref()))
                (security::security(blocks, &operation.security))
                (rows.to(Direction::Response).request(blocks, operation))
                (rows.to(Direction::Request).responses(blocks, operation))
            }
        }
    }
}

/// A description in Markdown. Its headings are lower, and it has no anchors.
fn prose(blocks: &mut Blocks<'_>, text: Option<&str>) -> Markup {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return html! {} };
    let is_plain =
        !text.contains(['\n', '*', '_', '`', '[', '<', '#', '&', '\\', '|', '~', '{', ':', '!', '^', '$', '-', '+']);
    if is_plain && !text.starts_with(|char: char| char.is_ascii_digit() || char == '>') {
        return html! { div.o-prose { p { (text) } } };
    }
    match markdown::parse_text(text, &markdown::Unresolved).into_document() {
        Ok(document) => {
            let before = std::mem::replace(&mut blocks.lowered, LOWERED);
            let rendered = blocks.all(&document.blocks);
            blocks.lowered = before;
            html! { @if !rendered.0.is_empty() { div.o-prose { (rendered) } } }
        }
        Err(_) => html! { div.o-prose { p { (text) } } },
    }
}
