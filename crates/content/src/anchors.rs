//! Anchors: the link targets within a page.
use super::document::{Block, Document, Inline, Kind, Relation, anchor_slug, inline_text};
use super::object::{Objects, Read, fetch, together};
use super::page::PageEntry;
use super::reference::ContentRef;
use super::snapshot::Snapshot;
use super::text_of;
use std::collections::HashSet;
use values::id::ReusableContentId;

/// The anchors of a page.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    known: HashSet<String>,
    /// Whether the page has blocks whose anchors depend on a document elsewhere, such as an OpenAPI specification.
    open: bool,
}

impl Anchors {
    /// Collects the anchors of a page: its title, and in its text and in the reusable contents that it includes, the
    /// headings, the titles of tabs and expandables, the ids in HTML, and the keys of blocks.
    pub fn of(snapshot: &Snapshot, objects: &dyn Objects, page: &PageEntry) -> Read<Self> {
        let mut anchors = Self::default();
        anchors.known.insert(anchor_slug(&page.title));
        let mut documents = vec![text_of(objects, page.document())?];
        let mut included: HashSet<ReusableContentId> = HashSet::new();
        while !documents.is_empty() {
            let mut next: Vec<ReusableContentId> = Vec::new();
            for document in &documents {
                anchors.add(document);
                for reference in document.references() {
                    match (reference.relation, reference.target) {
                        (_, ContentRef::ReusableContent { reusable_content, space: None }) => {
                            next.extend(included.insert(reusable_content.clone()).then_some(reusable_content));
                        }
                        (Relation::Include, _) => anchors.open = true,
                        _ => {}
                    }
                }
            }
            let contents = together(next.iter().map(|id| snapshot.reusable_content(objects, id)))?;
            let texts: Vec<_> = contents.into_iter().flatten().filter_map(|content| content.document).collect();
            fetch(objects, texts.iter().copied())?;
            documents = texts.into_iter().map(|text| text_of(objects, Some(text))).collect::<Read<_>>()?;
        }
        Ok(anchors)
    }

    /// Whether a link to this anchor leads to a place in the page.
    pub fn contains(&self, anchor: &str) -> bool {
        self.open || self.known.contains(anchor)
    }

    fn add(&mut self, document: &Document) {
        self.known.extend(document.headings().into_iter().map(|heading| heading.anchor));
        for block in document.walk() {
            self.known.insert(block.key.0.to_string());
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match &block.kind {
            Kind::Expandable(expandable) => {
                self.known.extend(expandable.id.clone());
                self.known.insert(anchor_slug(&inline_text(&block.content)));
            }
            Kind::TabsItem(tab) => {
                let title = tab.title.as_deref().map(anchor_slug);
                self.known.extend([tab.id.clone(), tab.slug.clone(), title].into_iter().flatten());
            }
            Kind::Update(update) => {
                self.known.insert(format!("update-{}", update.date.format("%Y-%m-%d")));
                self.known.insert(format!("update-{}", block.key.0));
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
                self.known.extend(value.map(str::to_owned));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::{World, corpus, time};
    use rstest::rstest;

    const PAGE: &str = "# The page\n\n## Use\n\n## Use\n\n## Given <a href=\"#own\" id=\"own\"></a>\n\nText <a name=\"old\"></a> \
        <span id='x.y'>here</span>\n\n{% tabs %}\n{% tab title=\"On Linux\" %}\n### In a tab\n{% endtab %}\n{% endtabs %}\n\n<details>\n\n\
        <summary>More words</summary>\n\nx\n\n</details>\n\n{% include \".gitbook/includes/note.md\" %}\n";
    const NOTE: &str = "## In a note\n\n{% include \"other.md\" %}\n";

    #[rstest]
    #[case("the-page", true)]
    #[case("use", true)]
    #[case("use-1", true)]
    #[case("use-2", false)]
    #[case("own", true)]
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
