//! Anchors: the link targets within a page.
use super::document::{Block, Document, Inline, Kind, Relation, anchor_slug, inline_text, plainer_anchor};
use super::object::{Hash, Objects, Read, together};
use super::page::PageEntry;
use super::reference::ContentRef;
use super::snapshot::Snapshot;
use super::text_of;
use smol_str::{SmolStr, format_smolstr};
use std::collections::HashSet;
use std::sync::Arc;
use values::id::ReusableContentId;

/// The anchors of a page.
#[derive(Clone, Debug)]
pub struct Anchors {
    title: String,
    /// Those of its text and of the reusable contents that it includes.
    documents: Vec<Arc<DocumentAnchors>>,
}

impl Anchors {
    /// Collects the anchors of a page: its title, and in its text and in the reusable contents that it includes, the
    /// headings, also in the [plainer form](plainer_anchor), the titles of tabs and expandables, the ids in HTML, and
    /// the keys of blocks.
    pub fn of(snapshot: &Snapshot, objects: &dyn Objects, page: &PageEntry) -> Read<Self> {
        Self::with(snapshot, objects, page, |text| Ok(Arc::new(DocumentAnchors::of(text_of(objects, Some(text))?))))
    }

    /// Like [`Self::of`], with the anchors of each document from `document`, which may know them already.
    pub fn with(
        snapshot: &Snapshot,
        objects: &dyn Objects,
        page: &PageEntry,
        document: impl Fn(Hash) -> Read<Arc<DocumentAnchors>>,
    ) -> Read<Self> {
        let mut anchors = Self { title: anchor_slug(&page.title), documents: Vec::new() };
        let mut texts: Vec<Hash> = page.document().into_iter().collect();
        let mut included: HashSet<ReusableContentId> = HashSet::new();
        while !texts.is_empty() {
            let found = together(texts.into_iter().map(&document))?;
            let new = found.iter().flat_map(|found| &found.includes).filter(|id| included.insert((*id).clone()));
            let contents = together(new.map(|id| snapshot.reusable_content(objects, id)))?;
            texts = contents.into_iter().flatten().filter_map(|content| content.document).collect();
            anchors.documents.extend(found);
        }
        Ok(anchors)
    }

    /// Whether a link to this anchor leads to a place in the page.
    pub fn contains(&self, anchor: &str) -> bool {
        self.title == anchor || self.documents.iter().any(|document| document.contains(anchor))
    }
}

/// The anchors of one document.
#[derive(Clone, Debug, Default)]
pub struct DocumentAnchors {
    /// Sorted.
    known: Vec<SmolStr>,
    /// Whether it has blocks whose anchors depend on a document elsewhere, such as an OpenAPI specification.
    open: bool,
    /// The reusable contents that it includes.
    includes: Vec<ReusableContentId>,
}

impl DocumentAnchors {
    /// Collects the anchors of a document, without those of what it includes.
    pub fn of(document: Document) -> Self {
        let mut anchors = Self::default();
        for heading in document.headings() {
            anchors.known.extend(plainer_anchor(&heading.anchor).map(SmolStr::from));
            anchors.known.push(heading.anchor.into());
        }
        for block in document.walk() {
            anchors.known.push(block.key.0.clone());
            anchors.block(block);
        }
        for reference in document.into_references() {
            match (reference.relation, reference.target) {
                (_, ContentRef::ReusableContent { reusable_content, space: None }) => {
                    anchors.includes.push(reusable_content);
                }
                (Relation::Include, _) => anchors.open = true,
                _ => {}
            }
        }
        anchors.known.sort_unstable();
        anchors.known.dedup();
        anchors.known.shrink_to_fit();
        anchors
    }

    /// The memory that they take, in bytes, approximately.
    pub fn size(&self) -> usize {
        // Longer texts are stored outside of the list.
        let outside = |anchor: &SmolStr| if anchor.is_heap_allocated() { anchor.len() } else { 0 };
        size_of::<Self>()
            + self.known.iter().map(|anchor| size_of::<SmolStr>() + outside(anchor)).sum::<usize>()
            + self.includes.iter().map(|id| size_of::<ReusableContentId>() + id.as_str().len()).sum::<usize>()
    }

    fn contains(&self, anchor: &str) -> bool {
        self.open || self.known.binary_search_by(|known| known.as_str().cmp(anchor)).is_ok()
    }

    fn block(&mut self, block: &Block) {
        match &block.kind {
            Kind::Expandable(expandable) => {
                self.known.extend(expandable.id.as_deref().map(SmolStr::from));
                self.known.push(anchor_slug(&inline_text(&block.content)).into());
            }
            Kind::TabsItem(tab) => {
                let title = tab.title.as_deref().map(anchor_slug);
                let names = [tab.id.clone(), tab.slug.clone(), title].into_iter().flatten();
                self.known.extend(names.map(SmolStr::from));
            }
            Kind::Update(update) => {
                self.known.push(format_smolstr!("update-{}", update.date.format("%Y-%m-%d")));
                self.known.push(format_smolstr!("update-{}", block.key.0));
            }
            Kind::Swagger(_)
            | Kind::OpenapiOperation(_)
            | Kind::OpenapiSchemas(_)
            | Kind::OpenapiWebhook(_)
            | Kind::Integration(_) => self.open = true,
            Kind::Verbatim(verbatim) => self.html(&verbatim.source),
            _ => {}
        }
        for inline in &block.content {
            if let Inline::Verbatim { source } = inline {
                self.html(source);
            }
        }
    }

    /// The ids in HTML: the values of the attributes `id` and `name`.
    fn html(&mut self, source: &str) {
        for name in ["id=", "name="] {
            for (at, _) in source.match_indices(name) {
                let value = &source[at + name.len()..];
                let value = match value.chars().next() {
                    Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
                    _ => value.split(|c: char| c.is_whitespace() || c == '>').next(),
                };
                self.known.extend(value.map(SmolStr::from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::{World, corpus, time};
    use rstest::rstest;

    const PAGE: &str = "# The page\n\n## Use\n\n## Use\n\n## Given <a href=\"#own\" id=\"own\"></a>\n\n## `--dry` & run\n\nText <a name=\"old\"></a> \
        <span id='x.y'>here</span>\n\n{% tabs %}\n{% tab title=\"On Linux\" %}\n### In a tab\n{% endtab %}\n{% endtabs %}\n\n<details>\n\n\
        <summary>More words</summary>\n\nx\n\n</details>\n\n{% include \".gitbook/includes/note.md\" %}\n";
    const NOTE: &str = "## In a note\n\n{% include \"other.md\" %}\n";

    #[rstest]
    #[case("the-page", true)]
    #[case("use", true)]
    #[case("use-1", true)]
    #[case("use-2", false)]
    #[case("own", true)]
    #[case("--dry--run", true)]
    #[case("dry-run", true)]
    #[case("given", false)]
    #[case("old", true)]
    #[case("x.y", true)]
    #[case("on-linux", true)]
    #[case("in-a-tab", true)]
    #[case("more-words", true)]
    #[case("in-a-note", true)]
    #[case("in-another", true)]
    #[case("Use", false)]
    #[case("", false)]
    fn a_page_has_the_anchors_of_its_text_and_of_what_it_includes(#[case] anchor: &str, #[case] expected: bool) {
        let world = World::of(&[
            ("README.md", PAGE),
            (".gitbook/includes/note.md", NOTE),
            (".gitbook/includes/other.md", "## In another\n\n{% include \"note.md\" %}\n"),
        ]);
        let page = &world.tree().roots[0].page;
        let anchors = Anchors::of(&world.snapshot, &world.objects, page).expect("at hand");
        assert_eq!(anchors.contains(anchor), expected, "{anchors:?}");
    }

    #[test]
    fn the_anchors_of_a_specification_are_not_known() {
        let api = "{% openapi src=\"https://x.org/a.yaml\" path=\"/a\" method=\"get\" %}\n{% endopenapi %}\n";
        let world = World::of(&[("README.md", api)]);
        let anchors = Anchors::of(&world.snapshot, &world.objects, &world.tree().roots[0].page).expect("at hand");
        assert!(anchors.contains("anything"));
    }

    #[test]
    fn most_anchors_of_real_documentation_are_found() {
        let Some(source) = corpus() else { return };
        let mut world = World::default();
        world.import(&source, time(0));
        let tree = world.tree();
        let (mut all, mut broken) = (0, Vec::new());
        for node in tree.iter() {
            for found in world.text(&node.path).references() {
                let ContentRef::Anchor { anchor, page, .. } = found.target else { continue };
                let page = page.unwrap_or_else(|| node.id.clone());
                let target = tree.iter().find(|node| node.id == page).expect("a page");
                all += 1;
                if !Anchors::of(&world.snapshot, &world.objects, &target.page).expect("at hand").contains(&anchor) {
                    broken.push(format!("{} -> {}#{anchor}", node.path, target.path));
                }
            }
        }
        // The others were written for another service, which makes other anchors of punctuation.
        assert!(broken.len() <= 8, "{} of {all} are broken: {broken:#?}", broken.len());
    }
}
