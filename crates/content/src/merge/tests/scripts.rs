//! Arbitrary spaces, and arbitrary edits of them.
use super::*;
use crate::computed::ComputedSource;
use crate::document::arbitrary::{blocks, documents};
use crate::document::{BlockType, Children, Holds, keep_keys};
use crate::page::{MetaLinks, PageTag, Variable};
use crate::reference::ContentRef;
use proptest::prelude::*;
use proptest::sample::Index;

/// One step of an editor. Words that are written are new, so a test can check that none is lost.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Title(Index),
    Slug(Index, u8),
    Emoji(Index, bool),
    Hide(Index),
    Width(Index),
    Tags(Index, u8),
    Canonical(Index),
    PageVariable(Index, u8),
    Move(Index, Option<Index>, usize),
    Delete(Index),
    Add(Option<Index>, u8, usize, Document),
    Link(Index),
    Computed(Index),
    Group(Index),
    Text(Index, Vec<Stroke>),
    Rewrite(Index, Document),
    NoText(Index),
    Variable(u8, Option<u8>),
    Tag(u8, Option<u8>),
    File(u8, Option<u8>),
    Reusable(u8, Option<Document>),
    ReusableText(u8, Vec<Stroke>),
}

/// One edit of a text.
#[derive(Clone, Debug)]
pub(super) enum Stroke {
    Word(Index, Index),
    Cut(Index, Index),
    Kind(Index),
    Delete(Index),
    Insert(Index, Box<Block>),
    Move(Index, Index),
}

fn step() -> impl Strategy<Value = Step> {
    let i = any::<Index>;
    let order = 0..62_usize;
    prop_oneof![
        2 => i().prop_map(Step::Title),
        2 => (i(), 0..6_u8).prop_map(|(page, slug)| Step::Slug(page, slug)),
        1 => (i(), any::<bool>()).prop_map(|(page, some)| Step::Emoji(page, some)),
        1 => i().prop_map(Step::Hide),
        1 => i().prop_map(Step::Width),
        1 => (i(), any::<u8>()).prop_map(|(page, tags)| Step::Tags(page, tags)),
        1 => i().prop_map(Step::Canonical),
        1 => (i(), 0..3_u8).prop_map(|(page, name)| Step::PageVariable(page, name)),
        6 => (i(), prop::option::of(i()), order.clone()).prop_map(|(page, to, at)| Step::Move(page, to, at)),
        3 => i().prop_map(Step::Delete),
        3 => (prop::option::of(i()), 0..6_u8, order, documents()).prop_map(|(to, slug, at, text)| Step::Add(to, slug, at, text)),
        1 => i().prop_map(Step::Link),
        1 => i().prop_map(Step::Computed),
        1 => i().prop_map(Step::Group),
        9 => (i(), prop::collection::vec(stroke(), 1..4)).prop_map(|(page, strokes)| Step::Text(page, strokes)),
        1 => (i(), documents()).prop_map(|(page, text)| Step::Rewrite(page, text)),
        1 => i().prop_map(Step::NoText),
        1 => (0..3_u8, prop::option::of(0..3_u8)).prop_map(|(name, value)| Step::Variable(name, value)),
        1 => (0..3_u8, prop::option::of(0..3_u8)).prop_map(|(name, value)| Step::Tag(name, value)),
        1 => (0..3_u8, prop::option::of(0..3_u8)).prop_map(|(name, value)| Step::File(name, value)),
        1 => (0..2_u8, prop::option::of(documents())).prop_map(|(name, text)| Step::Reusable(name, text)),
        2 => (0..2_u8, prop::collection::vec(stroke(), 1..3)).prop_map(|(name, strokes)| Step::ReusableText(name, strokes)),
    ]
}

pub(super) fn stroke() -> impl Strategy<Value = Stroke> {
    let i = any::<Index>;
    prop_oneof![
        4 => (i(), i()).prop_map(|(block, at)| Stroke::Word(block, at)),
        2 => (i(), i()).prop_map(|(block, at)| Stroke::Cut(block, at)),
        1 => i().prop_map(Stroke::Kind),
        2 => i().prop_map(Stroke::Delete),
        2 => (i(), blocks()).prop_map(|(to, block)| Stroke::Insert(to, Box::new(block))),
        2 => (i(), i()).prop_map(|(block, to)| Stroke::Move(block, to)),
    ]
}

pub(super) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..most)
}

/// A space of a few pages, some of them below others.
pub(super) fn space() -> impl Strategy<Value = Vec<(Option<Index>, Document)>> {
    prop::collection::vec((prop::option::of(any::<Index>()), documents()), 2..6)
}

/// A base and two lines of change from it.
pub(super) struct Three {
    /// How they came to be.
    told: String,
    pub(super) world: World,
    pub(super) base: Snapshot,
    pub(super) primary: Snapshot,
    pub(super) change: Snapshot,
}

impl std::fmt::Debug for Three {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told)
    }
}

impl Three {
    pub(super) fn of(pages: &[(Option<Index>, Document)], primary: &[Step], change: &[Step]) -> Self {
        let told = format!("{pages:#?}\nprimary: {primary:#?}\nchange: {change:#?}");
        let mut world = World::default();
        let mut edits = Edits::default();
        let names: Vec<String> = (0..pages.len()).map(|at| format!("b{at}")).collect();
        for (at, (parent, text)) in pages.iter().enumerate() {
            let parent = parent.as_ref().filter(|_| at > 0).map(|parent| names[parent.index(at)].as_str());
            let entry = world.written(page(&format!("s{at}"), parent, at), text.blocks.clone());
            edits.pages.insert(id(&names[at]), Some(entry));
        }
        let base = world.edit(&Snapshot::default(), edits).expect("a valid tree");
        let primary = Author { world: &mut world, name: "p", words: 0 }.write(&base, primary);
        let change = Author { world: &mut world, name: "c", words: 0 }.write(&base, change);
        Self { told, world, base, primary, change }
    }
}

/// An editor of a space.
struct Author<'w> {
    world: &'w mut World,
    name: &'static str,
    words: usize,
}

impl Author<'_> {
    fn word(&mut self) -> String {
        self.words += 1;
        format!("{}word{}x", self.name, self.words)
    }

    fn write(&mut self, base: &Snapshot, steps: &[Step]) -> Snapshot {
        let mut head = base.clone();
        for step in steps {
            let edits = self.edits(&head, step);
            // What would give no tree is not done.
            head = self.world.edit(&head, edits).unwrap_or(head);
        }
        head
    }

    fn edits(&mut self, head: &Snapshot, step: &Step) -> Edits {
        let pages = head.pages(&self.world.objects).expect("all is at hand");
        let mut edits = Edits::default();
        let pick = |at: &Index| (!pages.is_empty()).then(|| pages[at.index(pages.len())].clone());
        let page = match step {
            Step::Title(page) => pick(page).map(|(id, page)| (id, PageEntry { title: self.word(), ..page })),
            Step::Slug(page, slug) => pick(page).map(|(id, page)| (id, PageEntry { slug: format!("s{slug}"), ..page })),
            Step::Emoji(page, some) => {
                let emoji = some.then(|| self.word());
                pick(page).map(|(id, page)| (id, PageEntry { emoji, ..page }))
            }
            Step::Hide(page) => pick(page).map(|(id, page)| (id, PageEntry { hidden: !page.hidden, ..page })),
            Step::Width(page) => pick(page).map(|(id, mut page)| {
                page.layout.outline = !page.layout.outline;
                page.updated_at = Some(DateTime::UNIX_EPOCH);
                (id, page)
            }),
            Step::Tags(page, tags) => pick(page).map(|(id, page)| {
                let tag = |at: u8| PageTag {
                    tag: ContentRef::Tag { tag: format!("t{at}"), space: None },
                    primary: *tags >> 4 == at,
                };
                let tags = (0..4).filter(|at| tags >> at & 1 == 1).map(tag).collect();
                (id, PageEntry { tags, ..page })
            }),
            Step::Canonical(page) => {
                let url = |word| ContentRef::Url { url: word };
                let meta_links = MetaLinks { canonical: Some(url(self.word())), alternates: vec![url(self.word())] };
                pick(page).map(|(id, page)| (id, PageEntry { meta_links, ..page }))
            }
            Step::PageVariable(page, name) => {
                let word = self.word();
                pick(page).map(|(id, mut page)| {
                    page.variables.insert(format!("v{name}"), Variable::Text(word));
                    (id, page)
                })
            }
            Step::Move(page, to, at) => pick(page).map(|(id, page)| {
                let parent = to.as_ref().and_then(pick).map(|(id, _)| id);
                (id, PageEntry { parent, order: super::page("x", None, *at).order, ..page })
            }),
            Step::Delete(page) => {
                if let Some((id, _)) = pick(page) {
                    let below = head.descendants(&self.world.objects, &id, usize::MAX).expect("all is at hand");
                    edits.pages.extend(below.into_iter().chain([id]).map(|id| (id, None)));
                }
                None
            }
            Step::Add(to, slug, at, text) => {
                let parent = to.as_ref().and_then(pick).map(|(id, _)| id);
                let entry = self.world.written(super::page(&format!("s{slug}"), None, *at), text.blocks.clone());
                Some((id(&self.word()), PageEntry { parent, title: self.word(), ..entry }))
            }
            Step::Link(page) => {
                let target = ContentRef::Url { url: self.word() };
                pick(page)
                    .map(|(id, page)| (id, PageEntry { kind: PageKind::Link { target }, slug: String::new(), ..page }))
            }
            Step::Computed(page) => {
                let computed = Box::new(ComputedSource::openapi(&self.word(), serde_json::Map::new()));
                let kind = PageKind::Computed { computed };
                pick(page).map(|(id, page)| (id, PageEntry { kind, slug: String::new(), ..page }))
            }
            Step::Group(page) => pick(page).map(|(id, page)| (id, PageEntry { kind: PageKind::Group, ..page })),
            Step::Text(page, strokes) => pick(page).and_then(|(id, page)| {
                let text = text_of(&self.world.objects, page.document()).expect("all is at hand");
                let text = strokes.iter().fold(text, |text, stroke| self.stroke(text, stroke));
                matches!(page.kind, PageKind::Document { .. }).then(|| (id, self.world.written(page, text.blocks)))
            }),
            Step::Rewrite(page, text) => pick(page).and_then(|(id, page)| {
                let before = text_of(&self.world.objects, page.document()).expect("all is at hand");
                let text = keep_keys(&before, text.clone());
                matches!(page.kind, PageKind::Document { .. }).then(|| (id, self.world.written(page, text.blocks)))
            }),
            Step::NoText(page) => pick(page).and_then(|(id, page)| {
                let kind = PageKind::Document { document: None };
                matches!(page.kind, PageKind::Document { .. }).then(|| (id, PageEntry { kind, ..page }))
            }),
            entry => {
                self.entry(head, entry, &mut edits);
                None
            }
        };
        edits.pages.extend(page.map(|(id, page)| (id, Some(page))));
        edits
    }

    fn entry(&mut self, head: &Snapshot, step: &Step, edits: &mut Edits) {
        use crate::document::Color;
        use crate::page::{FileEntry, ReusableContent, Tag};
        let reusable = |name: &u8| format!("r{name}").parse::<values::id::ReusableContentId>().expect("an id");
        match step {
            Step::Variable(name, value) => {
                let value = value.map(|value| Variable::Number(value.into()));
                edits.variables.insert(format!("v{name}"), value);
            }
            Step::Tag(slug, label) => {
                let tag =
                    label.map(|label| Tag { label: format!("l{label}"), color: Color::Red, emoji: None, icon: None });
                edits.tags.insert(format!("t{slug}"), tag);
            }
            Step::File(name, content) => {
                let file = content.map(|content| FileEntry {
                    name: format!("f{name}.png"),
                    content_type: "image/png".into(),
                    size: content.into(),
                    blob: crate::object::Hash::of(&[content]),
                    dimensions: None,
                    git: None,
                });
                edits.files.insert(format!("f{name}").parse().expect("an id"), file);
            }
            Step::Reusable(name, text) => {
                let content = text.as_ref().map(|text| {
                    let document = self.world.written(super::page("x", None, 0), text.blocks.clone()).document();
                    ReusableContent { title: self.word(), document, git: None, source: None, import_digest: None }
                });
                edits.reusable_contents.insert(reusable(name), content);
            }
            Step::ReusableText(name, strokes) => {
                let content = head.reusable_content(&self.world.objects, &reusable(name)).expect("all is at hand");
                if let Some(content) = content {
                    let text = text_of(&self.world.objects, content.document).expect("all is at hand");
                    let text = strokes.iter().fold(text, |text, stroke| self.stroke(text, stroke));
                    let document = self.world.written(super::page("x", None, 0), text.blocks).document();
                    edits.reusable_contents.insert(reusable(name), Some(ReusableContent { document, ..content }));
                }
            }
            _ => {}
        }
    }

    fn stroke(&mut self, text: Document, stroke: &Stroke) -> Document {
        let word = self.word();
        struck(&text, stroke, &word)
    }
}

/// A text with one edit; as it was where that gives no valid document.
pub(super) fn struck(text: &Document, stroke: &Stroke, word: &str) -> Document {
    let count = {
        let mut count = 0;
        text.clone().walk_mut(&mut |_| count += 1);
        count
    };
    if count == 0 {
        let blocks = vec![Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![word.into()])];
        return Document::from_blocks(blocks).expect("a valid document");
    }
    let mut made = text.clone();
    let mut nth = |at: &Index, change: &mut dyn FnMut(&mut Block)| {
        let (at, mut seen) = (at.index(count), 0);
        made.walk_mut(&mut |block| {
            if seen == at {
                change(block);
            }
            seen += 1;
        });
    };
    match stroke {
        Stroke::Word(block, at) => nth(block, &mut |block| {
            if block.kind.block_type().shape().holds != Holds::Nothing && block.children.is_empty() {
                block.content.insert(at.index(block.content.len() + 1), Inline::from(format!(" {word} ")));
            }
        }),
        Stroke::Cut(block, at) => nth(block, &mut |block| {
            if !block.content.is_empty() {
                block.content.remove(at.index(block.content.len()));
            }
        }),
        Stroke::Kind(block) => nth(block, &mut |block| match &mut block.kind {
            Kind::Heading(heading) => heading.id = Some(word.to_owned()),
            Kind::Hint(hint) => hint.icon = Some(word.to_owned()),
            Kind::Code(code) => code.title = Some(word.to_owned()),
            Kind::Table(table) => table.search = Some(true),
            Kind::Math(math) => math.formula = word.to_owned(),
            _ => {}
        }),
        Stroke::Delete(block) => nth(block, &mut |block| block.children.clear()),
        Stroke::Insert(to, new) => {
            let mut new = Block::clone(new);
            new.key = Key::default();
            nth(to, &mut |block| {
                if block.kind.block_type().shape().children == Children::Flow && block.content.is_empty() {
                    let at = to.index(block.children.len() + 1);
                    block.children.insert(at, new.clone());
                }
            });
            if made == *text {
                made.blocks.insert(to.index(made.blocks.len() + 1), new);
            }
        }
        Stroke::Move(block, to) => {
            let from = block.index(made.blocks.len());
            let moved = made.blocks.remove(from);
            let mut left = Some(moved);
            let target = to.index(count);
            let mut seen = 0;
            made.walk_mut(&mut |block| {
                let flow = block.kind.block_type().shape().children == Children::Flow;
                if seen == target && flow && block.content.is_empty() && block.kind.block_type() != BlockType::TableCell
                {
                    block.children.extend(left.take());
                }
                seen += 1;
            });
            let at = to.index(made.blocks.len() + 1);
            made.blocks.splice(at..at, left);
        }
    }
    if let Stroke::Delete(block) = stroke
        && made == *text
    {
        made.blocks.remove(block.index(made.blocks.len()));
    }
    Document::from_blocks(made.blocks).unwrap_or_else(|_| text.clone())
}
