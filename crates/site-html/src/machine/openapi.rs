//! Blocks of OpenAPI specs as Markdown.
use domain::content::document::{Block, Kind, OpenapiOperation, OpenapiSchemas, OpenapiWebhook};
use domain::content::markdown;
use domain::openapi::example::OperationExamples;
use domain::openapi::sample::CodeSample;
use domain::openapi::view::{BodyView, MediaView, OperationView, ResponseView, RowRole, SchemaRow, SecurityView};
use domain::site::reader::{OpenapiBlock, OpenapiKey, References};
use std::fmt::Write;

/// A block of an OpenAPI spec, as ordinary blocks; `None` for other blocks.
pub(super) fn block(kind: &Kind, references: &References) -> Option<Vec<Block>> {
    let text = match kind {
        Kind::OpenapiOperation(data) => operation(data, references),
        Kind::OpenapiWebhook(data) => webhook(data, references),
        Kind::OpenapiSchemas(data) => schemas(data, references),
        // Without its document, it is written as it is.
        Kind::Swagger(data) => {
            let shown = OpenapiKey::of_document(data).and_then(|key| references.openapi.get(&key))?;
            whole(shown, false)
        }
        _ => return None,
    };
    let read = text.and_then(|text| markdown::parse_text(&text, &markdown::Unresolved).document.ok());
    Some(read.map(|document| document.blocks).unwrap_or_default())
}

fn operation(data: &OpenapiOperation, references: &References) -> Option<String> {
    whole(references.openapi.get(&OpenapiKey::of_operation(data))?, data.headless == Some(true))
}

fn webhook(data: &OpenapiWebhook, references: &References) -> Option<String> {
    whole(references.openapi.get(&OpenapiKey::of_webhook(data))?, data.headless == Some(true))
}

fn schemas(data: &OpenapiSchemas, references: &References) -> Option<String> {
    let OpenapiBlock::Schemas(rows) = references.openapi.get(&OpenapiKey::of_schemas(data))? else { return None };
    let mut text = Written::default();
    if let Some(title) = &data.title {
        text.heading(2, title);
    }
    rows.iter().for_each(|row| text.row(row, 0));
    Some(text.out)
}

fn whole(block: &OpenapiBlock, headless: bool) -> Option<String> {
    let OpenapiBlock::Operation { view, examples, samples } = block else { return None };
    let mut text = Written::default();
    if !headless {
        text.heading(2, view.summary.as_deref().unwrap_or(name(view)));
    }
    text.operation(view);
    text.example(examples, samples);
    Some(text.out)
}

/// The path of an operation, or the name of its webhook.
fn name(view: &OperationView) -> &str {
    view.path.as_deref().or(view.webhook.as_deref()).unwrap_or_default()
}

/// A text in a span of code.
fn code(text: &str) -> String {
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// A text on one line, as Markdown that shows it.
fn plain(text: &str) -> String {
    super::escaped_line(text, "\\`*_[]<>#{}|~$")
}

#[derive(Default)]
struct Written {
    out: String,
}

impl Written {
    fn paragraph(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            let _ = write!(self.out, "{text}\n\n");
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.paragraph(&format!("{} {}", "#".repeat(level), plain(text)));
    }

    fn fence(&mut self, language: &str, text: &str) {
        let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
        self.paragraph(&format!("{fence}{language}\n{}\n{fence}", text.trim_end()));
    }

    fn operation(&mut self, view: &OperationView) {
        let server =
            view.servers.first().filter(|_| view.path.is_some()).map(|server| server.url.trim_end_matches('/'));
        let address = format!("{} {}{}", view.method.to_ascii_uppercase(), server.unwrap_or_default(), name(view));
        let deprecated = if view.deprecated { " (deprecated)" } else { "" };
        self.paragraph(&format!("{}{deprecated}", code(&address)));
        self.paragraph(view.description.as_deref().unwrap_or_default());
        self.security(&view.security);
        for group in &view.parameters {
            let place = match group.place.as_str() {
                "path" => "Path parameters",
                "header" => "Header parameters",
                "cookie" => "Cookie parameters",
                _ => "Query parameters",
            };
            self.heading(3, place);
            group.parameters.iter().for_each(|parameter| self.row(&parameter.row, 0));
            self.out.push('\n');
        }
        if let Some(body) = &view.body {
            self.body(body);
        }
        if !view.responses.is_empty() {
            self.heading(3, "Responses");
            view.responses.iter().for_each(|response| self.response(response));
        }
        for callback in &view.callbacks {
            self.heading(3, &format!("Callback {}", callback.name));
            self.operation(&callback.operation);
        }
    }

    fn security(&mut self, security: &SecurityView) {
        if security.alternatives.is_empty() {
            return;
        }
        self.heading(3, "Authorization");
        for alternative in &security.alternatives {
            let schemes = alternative.schemes.iter().map(|scheme| {
                let kind = [scheme.kind.as_deref(), scheme.scheme.as_deref()].into_iter().flatten();
                let kind = plain(&kind.collect::<Vec<_>>().join(" "));
                format!("{} ({kind})", code(scheme.parameter.as_deref().unwrap_or("Authorization")))
            });
            let _ = writeln!(self.out, "- {}", schemes.collect::<Vec<_>>().join(" and "));
        }
        self.out.push('\n');
    }

    fn body(&mut self, body: &BodyView) {
        self.heading(3, if body.required { "Body (required)" } else { "Body" });
        self.paragraph(body.description.as_deref().unwrap_or_default());
        body.content.iter().for_each(|media| self.media(media));
    }

    fn response(&mut self, response: &ResponseView) {
        let summary = response.summary.as_deref().unwrap_or_default();
        self.heading(4, &format!("{} {summary}", response.status));
        self.paragraph(response.description.as_deref().unwrap_or_default());
        if !response.headers.is_empty() {
            response.headers.iter().for_each(|header| self.row(header, 0));
            self.out.push('\n');
        }
        response.content.iter().for_each(|media| self.media(media));
    }

    fn media(&mut self, media: &MediaView) {
        self.paragraph(&code(&media.media_type));
        for schema in media.schema.iter().chain(&media.item_schema) {
            self.row(schema, 0);
        }
        self.out.push('\n');
    }

    /// A row with those below it. Its recursion is as deep as the view, which has a budget.
    fn row(&mut self, row: &SchemaRow, depth: usize) {
        let indent = "  ".repeat(depth);
        let role = match row.role {
            RowRole::OneOf => Some("one of"),
            RowRole::AnyOf => Some("any of"),
            RowRole::AllOf => Some("all of"),
            RowRole::OtherFields => Some("other fields"),
            RowRole::OtherItems => Some("other items"),
            _ => None,
        };
        let name = row.name.as_deref().map(code).or(role.map(str::to_owned));
        let mut rules = vec![plain(&row.type_text)];
        rules.extend(row.format.as_deref().filter(|format| !row.type_text.contains(*format)).map(plain));
        let flags = [
            (row.required, "required"),
            (row.read_only, "read-only"),
            (row.write_only, "write-only"),
            (row.deprecated, "deprecated"),
        ];
        rules.extend(flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_owned()));
        rules.extend(row.constraints.iter().map(|rule| plain(rule)));
        rules.extend(row.default.as_deref().map(|default| format!("default {}", code(default))));
        let rules = rules.into_iter().filter(|rule| !rule.is_empty()).collect::<Vec<_>>().join(", ");
        let _ = match name {
            Some(name) => write!(self.out, "{indent}- {name} ({rules})"),
            None => write!(self.out, "{indent}- {rules}"),
        };
        let description = row.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        if let Some(description) = description {
            let lines = description.replace('\n', &format!("\n{indent}  "));
            let _ = write!(self.out, ": {lines}");
        }
        if !row.values.is_empty() {
            let values: Vec<String> = row.values.iter().map(|value| code(&value.value)).collect();
            let more = if row.more_values > 0 { format!(" and {} more", row.more_values) } else { String::new() };
            let start = match description {
                None => ": ".to_owned(),
                Some(text) if text.contains('\n') => format!("\n\n{indent}  "),
                Some(_) => " ".to_owned(),
            };
            let _ = write!(self.out, "{start}Values: {}{more}", values.join(", "));
        }
        self.out.push('\n');
        row.children.iter().for_each(|child| self.row(child, depth + 1));
    }

    /// A request and its responses.
    fn example(&mut self, examples: &OperationExamples, samples: &[CodeSample]) {
        if let Some(sample) = samples.first() {
            self.heading(3, "Example");
            self.fence(if sample.lang == "curl" { "sh" } else { &sample.lang }, &sample.source);
        }
        for response in &examples.responses {
            let body = response.content.iter().find_map(|body| body.examples.first()?.text.as_deref());
            if let Some(text) = body {
                self.paragraph(&format!("Response {}:", code(&response.status)));
                self.fence(if text.trim_start().starts_with(['{', '[']) { "json" } else { "" }, text);
            }
        }
    }
}
