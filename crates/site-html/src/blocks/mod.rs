//! Blocks as HTML.
mod anchors;
mod cards;
mod code;
mod containers;
mod embed;
mod formula;
mod inline;
mod link;
mod media;
mod openapi;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod try_it;
mod updates;
mod verbatim;

pub(crate) use openapi::schema;

use crate::article::{OutlineEntry, RenderContext};
use crate::icons::icon;
use crate::texts::Word;
use anchors::Anchors;
use domain::content::document::{Block, Kind, Outline};
use maud::{Markup, PreEscaped, html};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// The maximum HTML of a text, in bytes. Blocks after the one that exceeds it are omitted.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Renders blocks, and collects the requirements for the page around them.
pub(crate) struct Blocks<'a> {
    context: &'a RenderContext<'a>,
    anchors: Anchors<'a>,
    /// Notes that follow the block that is rendered.
    notes: Vec<Markup>,
    /// The number of notes so far.
    noted: usize,
    /// The prefix of the anchors and class names of this text; empty if it is the only text of its document.
    part: &'a str,
    /// By rule, the class that has it.
    classes: HashMap<String, String>,
    /// The number of levels that headings are lowered by.
    lowered: u8,
    /// The number of tables so far, by name.
    tables: HashMap<String, usize>,
    /// Whether there was an image. The first one is often the largest visible element.
    pictured: bool,
    /// The number of diagrams so far.
    diagrams: usize,
    pub(crate) css: String,
    pub(crate) frames: BTreeSet<String>,
    pub(crate) images: BTreeSet<String>,
    pub(crate) servers: BTreeSet<String>,
    pub(crate) outline: Vec<OutlineEntry>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(context: &'a RenderContext<'a>, headings: &'a [Outline], part: &'a str) -> Self {
        Self {
            context,
            anchors: Anchors::new(headings, context.former_anchors, part),
            part,
            notes: Vec::new(),
            noted: 0,
            classes: HashMap::new(),
            lowered: 0,
            tables: HashMap::new(),
            pictured: false,
            diagrams: 0,
            css: String::new(),
            frames: BTreeSet::new(),
            images: BTreeSet::new(),
            servers: BTreeSet::new(),
            outline: Vec::new(),
        }
    }

    /// Renders all blocks of a text.
    pub(crate) fn page(&mut self, blocks: &[Block]) -> Markup {
        let mut rendered = Vec::with_capacity(blocks.len());
        let mut size = 0;
        for (at, block) in blocks.iter().enumerate() {
            if size > MAX_BYTES {
                let rest = (blocks.len() - at).to_string();
                let left_out = self.context.texts.with(Word::LeftOut, &rest);
                rendered.push(html! { p.o-missing { (left_out) } });
                break;
            }
            let markup = self.all(std::slice::from_ref(block));
            size += markup.0.len();
            rendered.push(markup);
        }
        let whole = html! { @for markup in &rendered { (markup) } };
        PreEscaped(self.anchors.with_others(whole.into_string()))
    }

    /// Renders blocks one after the other, each with the notes in it.
    fn all(&mut self, blocks: &[Block]) -> Markup {
        html! {
            @for block in blocks {
                (self.block(block))
                (self.take_notes())
            }
        }
    }

    /// The notes to what was rendered.
    fn take_notes(&mut self) -> Markup {
        html! { @for note in std::mem::take(&mut self.notes) { (note) } }
    }

    fn block(&mut self, block: &Block) -> Markup {
        match &block.kind {
            Kind::Paragraph(data) => text::paragraph(self, block, data),
            Kind::Heading(data) => text::heading(self, block, data),
            Kind::ListOrdered(data) => text::ordered(self, block, data),
            Kind::ListUnordered => text::unordered(self, block),
            Kind::ListTasks => text::tasks(self, block),
            Kind::Divider => html! { hr; },
            Kind::Blockquote => html! { blockquote { (self.all(&block.children)) } },
            Kind::Hint(data) => text::hint(self, block, data),
            Kind::Prompt(data) => containers::prompt(self, block, data),
            Kind::Code(data) => code::code(self, block, data),
            // A wide formula scrolls, also by keyboard.
            Kind::Math(data) => html! { div.o-math tabindex="0" { (self.formula(&data.formula, true)) } },
            Kind::Embed(data) => embed::embed(self, block, data),
            Kind::Integration(data) => embed::integration(self, data),
            Kind::Images(data) => media::images(self, block, data),
            Kind::Image(data) => media::image(self, block, data),
            Kind::File(data) => media::file(self, block, data),
            Kind::Drawing(data) => media::drawing(self, data),
            Kind::ContentRef(data) => embed::reference(self, data),
            // Only includes that could not be resolved are left here.
            Kind::ReusableContent(_) => html! {},
            Kind::Expandable(data) => containers::expandable(self, block, data),
            Kind::Tabs(data) => containers::tabs(self, block, data),
            Kind::Stepper => containers::stepper(self, block),
            Kind::Columns(data) => containers::columns(self, block, data),
            Kind::Updates(data) => updates::updates(self, block, data),
            // Conditions were evaluated earlier.
            Kind::If(_) => html! {},
            Kind::Table(data) => tables::table(self, block, data),
            Kind::Swagger(data) => openapi::by_address(self, data),
            Kind::OpenapiOperation(data) => openapi::operation(self, data),
            Kind::OpenapiSchemas(data) => openapi::schemas(self, data),
            Kind::OpenapiWebhook(data) => openapi::webhook(self, data),
            Kind::Verbatim(data) => verbatim::block(self, data),
            Kind::ListItem(_)
            | Kind::TabsItem(_)
            | Kind::StepperStep(_)
            | Kind::Column(_)
            | Kind::Update(_)
            | Kind::TableRow
            | Kind::TableCell(_) => self.all(&block.children),
        }
    }

    /// A word of the interface.
    fn word(&self, word: Word) -> &'static str {
        self.context.texts.get(word)
    }

    /// An icon in the style of the site.
    fn icon(&self, name: &str) -> Markup {
        icon(name, self.context.icons)
    }

    /// An icon, if there is a name.
    fn maybe_icon(&self, name: Option<&str>) -> Markup {
        name.map_or_else(|| html! {}, |name| self.icon(name))
    }

    /// The class with a rule. The rule is made of numbers and of words of this crate.
    fn class(&mut self, rule: &str) -> String {
        if let Some(name) = self.classes.get(rule) {
            return name.clone();
        }
        let name = self.new_class();
        let _ = write!(self.css, ".{name}{{{rule}}}");
        self.classes.insert(rule.to_owned(), name.clone());
        name
    }

    /// A class without a rule.
    fn new_class(&mut self) -> String {
        // Each class is in the map, also those without a rule.
        let name = format!("o-x{}{}", self.part, self.classes.len() + 1);
        self.classes.insert(format!(".{name}"), name.clone());
        name
    }
}

/// The names of classes, those that are on.
fn classes(first: &str, further: &[(&str, bool)]) -> String {
    let on = further.iter().filter(|(_, on)| *on).map(|(name, _)| *name);
    std::iter::once(first).chain(on).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The part of a text that can be an anchor.
fn slug(text: &str) -> String {
    domain::content::page::slugify(text)
}
