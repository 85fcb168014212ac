//! Writes blocks that need tags.
use super::Writer;
use super::blocks::card;
use super::inlines::Place;
use super::tags::{Attributes, escape};
use crate::document::{Block, Inline, Integration, Kind};
use crate::markdown::html;
use crate::markdown::tagged::{instant_text, length_text};
use crate::reference::ContentRef;
use serde::Serialize;

impl Writer<'_> {
    /// Writes a block that CommonMark has no syntax for.
    pub(super) fn container(&mut self, block: &Block) {
        let given = Attributes::default();
        match &block.kind {
            Kind::Hint(hint) => {
                let given = given.word("style", Some(&hint.style)).text("icon", hint.icon.as_deref());
                self.tagged("hint", &given, &block.children);
            }
            Kind::Prompt(prompt) => {
                let providers = prompt.open_in_ai_providers.as_ref().map(|list| list.join(","));
                let given = given
                    .text("description", Some(&prompt.description))
                    .text("icon", prompt.icon.as_deref())
                    .text("openIn", providers.as_deref())
                    .text("defaultExpanded", prompt.default_expanded.as_deref());
                self.tagged("prompt", &given, &block.children);
            }
            Kind::Tabs(tabs) => self.items("tabs", &given.flag("fullWidth", tabs.full_width), &block.children),
            Kind::TabsItem(tab) => {
                let given = given
                    .text("title", tab.title.as_deref())
                    .text("icon", tab.icon.as_deref())
                    .text("slug", tab.slug.as_deref())
                    .text("id", tab.id.as_deref());
                self.tagged("tab", &given, &block.children);
            }
            Kind::Stepper => self.items("stepper", &given, &block.children),
            Kind::StepperStep(step) => self.tagged("step", &given.text("icon", step.icon.as_deref()), &block.children),
            Kind::Columns(columns) => {
                self.items("columns", &given.flag("fullWidth", columns.full_width), &block.children);
            }
            Kind::Column(column) => {
                let given = given
                    .text("width", column.width.as_ref().map(length_text).as_deref())
                    .word("valign", column.vertical_alignment.as_ref());
                self.tagged("column", &given, &block.children);
            }
            Kind::Updates(updates) => {
                self.items("updates", &given.word("format", Some(&updates.format)), &block.children);
            }
            Kind::Update(update) => {
                let tags: Vec<&str> = (update.tags.iter())
                    .filter_map(|tag| match tag {
                        ContentRef::Tag { tag, .. } => Some(tag.as_str()),
                        _ => None,
                    })
                    .collect();
                let given = given
                    .text("date", Some(&instant_text(&update.date)))
                    .text("tags", (!tags.is_empty()).then(|| tags.join(",")).as_deref());
                self.tagged("update", &given, &block.children);
            }
            Kind::If(condition) => {
                let expression = crate::markdown::one_line(&condition.expression);
                let expression =
                    if condition.expression.contains('\n') { expression } else { condition.expression.clone() };
                self.between(&format!("{{% if {expression} %}}"), "{% endif %}", &block.children);
            }
            Kind::Expandable(expandable) => {
                let open = match expandable.default_expanded {
                    None => String::new(),
                    Some(true) => " open".to_owned(),
                    Some(false) => " open=\"false\"".to_owned(),
                };
                let id = expandable.id.as_deref().map(|id| format!(" id=\"{}\"", html::escape_attribute(id)));
                self.lines(&format!("<details{open}{}>", id.unwrap_or_default()));
                self.lines("");
                let title = self.inline_html_all(&block.content);
                self.lines(&format!("<summary>{title}</summary>"));
                self.flow(&block.children, false);
                self.lines("");
                self.lines("</details>");
            }
            _ => self.leaf(block, given),
        }
    }

    /// Writes a block without blocks inside.
    fn leaf(&mut self, block: &Block, given: Attributes) {
        match &block.kind {
            Kind::Embed(embed) => {
                let given = given.text("url", Some(&embed.url)).flag("fullWidth", embed.full_width);
                self.captioned("embed", &given, &block.content);
            }
            Kind::File(file) => {
                let href = self.href(&file.source.0);
                self.captioned("file", &given.text("src", Some(&href)), &block.content);
            }
            Kind::Drawing(drawing) => {
                let source = drawing.source.as_ref().map(|source| self.href(source));
                let source = source.map(|source| format!(" src=\"{}\"", html::escape_attribute(&source)));
                self.lines(&format!("<img{} alt=\"\" class=\"gitbook-drawing\">", source.unwrap_or_default()));
            }
            Kind::ContentRef(card) => {
                let href = self.link_href(&card.target.0, card.query.as_ref());
                self.linked("content-ref", &given.text("url", Some(&href)), Some(&href), card.label.as_deref());
            }
            Kind::ReusableContent(content) => {
                let href = self.href(&content.target.0);
                self.lines(&format!("{{% include \"{}\" %}}", escape(&href)));
            }
            Kind::Swagger(operation) => {
                let href = self.href(&operation.source.0);
                let given = given
                    .text("src", Some(&href))
                    .text("path", Some(&operation.path))
                    .text("method", Some(&operation.method))
                    .flag("expanded", operation.expanded)
                    .flag("fullWidth", operation.full_width)
                    .text("id", operation.id.as_deref());
                self.linked("openapi", &given, Some(&href), None);
            }
            Kind::OpenapiOperation(operation) => {
                let given = given
                    .text("spec", Some(&operation.spec))
                    .text("version", operation.version.as_deref())
                    .text("path", Some(&operation.path))
                    .text("method", Some(&operation.method))
                    .flag("headless", operation.headless)
                    .text("id", operation.id.as_deref());
                self.linked("openapi-operation", &given, None, None);
            }
            Kind::OpenapiSchemas(schemas) => {
                let given = given
                    .text("spec", Some(&schemas.spec))
                    .text("version", schemas.version.as_deref())
                    .text("schemas", Some(&schemas.schemas.join(",")))
                    .flag("grouped", schemas.grouped)
                    .text("title", schemas.title.as_deref())
                    .text("id", schemas.id.as_deref());
                self.linked("openapi-schemas", &given, None, None);
            }
            Kind::OpenapiWebhook(webhook) => {
                let given = given
                    .text("spec", Some(&webhook.spec))
                    .text("version", webhook.version.as_deref())
                    .text("name", Some(&webhook.name))
                    .text("method", Some(&webhook.method))
                    .flag("headless", webhook.headless)
                    .text("id", webhook.id.as_deref());
                self.linked("openapi-webhook", &given, None, None);
            }
            Kind::Integration(integration) => self.integration(integration),
            // A part of a block, outside of that block.
            _ => {
                let text = self.inlines(&block.content, Place::Paragraph, &[]);
                if !text.is_empty() {
                    self.lines(&text);
                }
                self.flow(&block.children, text.is_empty());
            }
        }
    }

    fn integration(&mut self, integration: &Integration) {
        let given = Attributes::default()
            .text("integration", Some(&integration.integration))
            .text("block", Some(&integration.block))
            .text("props", (!integration.props.is_empty()).then(|| json(&integration.props)).as_deref())
            .text("action", integration.action.as_ref().map(json).as_deref())
            .text("url", integration.url.as_deref())
            .flag("fullWidth", integration.full_width);
        self.lines(&given.tag("integration"));
    }

    fn tagged(&mut self, name: &str, given: &Attributes, children: &[Block]) {
        self.between(&given.tag(name), &format!("{{% end{name} %}}"), children);
    }

    /// Writes blocks between two lines of tags.
    fn between(&mut self, open: &str, close: &str, children: &[Block]) {
        self.lines(open);
        self.flow(children, true);
        if children.last().is_some_and(needs_blank_line) {
            self.lines("");
        }
        self.lines(close);
    }

    /// Writes items between two lines of tags, with blank lines between them.
    fn items(&mut self, name: &str, given: &Attributes, items: &[Block]) {
        self.lines(&given.tag(name));
        self.flow(items, true);
        self.lines(&format!("{{% end{name} %}}"));
    }

    /// Writes a tag that needs its end tag only for its caption.
    fn captioned(&mut self, name: &str, given: &Attributes, caption: &[Inline]) {
        self.lines(&given.tag(name));
        if !caption.is_empty() {
            let text = self.inlines(caption, Place::Paragraph, &[]);
            self.lines(&text);
        }
        if !caption.is_empty() || self.stray_ends.contains(name) {
            self.lines(&format!("{{% end{name} %}}"));
        }
    }

    fn linked(&mut self, name: &str, given: &Attributes, href: Option<&str>, label: Option<&str>) {
        self.lines(&given.tag(name));
        if let Some(href) = href.filter(|href| !href.is_empty()) {
            self.lines(&card(href, label));
        }
        self.lines(&format!("{{% end{name} %}}"));
    }
}

/// Whether a tag in the line after a block could be parsed as a part of it.
fn needs_blank_line(block: &Block) -> bool {
    match &block.kind {
        Kind::Paragraph(paragraph) => paragraph.align.is_some(),
        Kind::Heading(heading) => heading.align.is_some(),
        Kind::Table(_) | Kind::Images(_) | Kind::Drawing(_) | Kind::Expandable(_) | Kind::Verbatim(_) => true,
        _ => false,
    }
}

/// JSON in which no tag starts.
fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default().replace("{%", "{\\u0025")
}
