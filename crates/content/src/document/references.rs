//! The references in a document.
use super::{Block, CellValue, ColumnKind, Document, Inline, Key, Kind, Table};
use crate::reference::ContentRef;
use std::collections::HashMap;
use values::id::{FileId, UserId};

/// A reference that was found in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The key of the block that it is in.
    pub key: Key,
    /// Its target.
    pub target: ContentRef,
    /// How it is shown.
    pub relation: Relation,
}

/// How a reference is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// A link in text.
    Link,
    /// A button.
    Button,
    /// A mention.
    Mention,
    /// An image, in a line or a block, for either theme.
    Image,
    /// A file to download.
    File,
    /// A drawing.
    Drawing,
    /// A card that links elsewhere.
    Card,
    /// A value in a table.
    Cell,
    /// Content that is included.
    Include,
    /// An OpenAPI specification.
    Specification,
    /// A tag of an update.
    Tag,
}

impl Document {
    /// Every reference, in document order. The cost is a copy of the document.
    pub fn references(&self) -> Vec<Found> {
        self.clone().into_references()
    }

    /// Every reference, in document order.
    pub fn into_references(mut self) -> Vec<Found> {
        // This uses the traversal that changes references, so that exactly the references that can be changed are
        // listed.
        let mut found = Vec::new();
        self.each_reference(&mut |key, relation, target| {
            found.push(Found { key: key.clone(), target: target.clone(), relation });
        });
        found
    }

    /// The targets of all references: those that all readers see, and those in content with a condition.
    pub fn into_targets_by_condition(mut self) -> (Vec<ContentRef>, Vec<ContentRef>) {
        let mut conditional = Vec::new();
        self.walk_mut(&mut |block| {
            if matches!(block.kind, Kind::If(_)) {
                conditional.append(&mut block.children);
            }
        });
        let targets = |document: Self| document.into_references().into_iter().map(|found| found.target).collect();
        (targets(self), targets(Self { blocks: conditional }))
    }

    /// Calls `change` on every reference, in document order. Where only one kind of reference is possible (the
    /// specification of an OpenAPI block; files and users in a table), a change to another kind is ignored.
    pub fn map_references(&mut self, mut change: impl FnMut(&mut ContentRef)) {
        self.map_shown_references(|_, target| change(target));
    }

    /// Like [`Document::map_references`]; also passes how each reference is shown.
    pub(crate) fn map_shown_references(&mut self, mut change: impl FnMut(Relation, &mut ContentRef)) {
        self.each_reference(&mut |_, relation, target| change(relation, target));
    }

    fn each_reference(&mut self, visit: &mut Visit<'_>) {
        in_blocks(&mut self.blocks, visit);
    }
}

type Visit<'a> = dyn FnMut(&Key, Relation, &mut ContentRef) + 'a;

fn in_blocks(blocks: &mut [Block], visit: &mut Visit<'_>) {
    for block in blocks {
        in_data(&block.key, &mut block.kind, visit);
        in_line(&block.key, &mut block.content, visit);
        if let Kind::Table(table) = &block.kind {
            in_values(table, &mut block.children, visit);
        } else {
            in_blocks(&mut block.children, visit);
        }
    }
}

fn in_data(key: &Key, kind: &mut Kind, visit: &mut Visit<'_>) {
    match kind {
        Kind::Image(image) => {
            visit(key, Relation::Image, &mut image.source.0);
            image.source_dark.iter_mut().for_each(|dark| visit(key, Relation::Image, dark));
        }
        Kind::File(file) => visit(key, Relation::File, &mut file.source.0),
        Kind::Drawing(drawing) => {
            drawing.source.iter_mut().for_each(|source| visit(key, Relation::Drawing, source));
        }
        Kind::ContentRef(card) => visit(key, Relation::Card, &mut card.target.0),
        Kind::ReusableContent(reusable) => visit(key, Relation::Include, &mut reusable.target.0),
        Kind::Update(update) => update.tags.iter_mut().for_each(|tag| visit(key, Relation::Tag, tag)),
        Kind::Swagger(swagger) => visit(key, Relation::Specification, &mut swagger.source.0),
        Kind::OpenapiOperation(operation) => in_specification(key, &mut operation.spec, &mut operation.version, visit),
        Kind::OpenapiSchemas(schemas) => in_specification(key, &mut schemas.spec, &mut schemas.version, visit),
        Kind::OpenapiWebhook(webhook) => in_specification(key, &mut webhook.spec, &mut webhook.version, visit),
        Kind::Table(table) => {
            table.columns.iter_mut().for_each(|column| in_line(key, &mut column.heading, visit));
        }
        _ => {}
    }
}

fn in_specification(key: &Key, spec: &mut String, version: &mut Option<String>, visit: &mut Visit<'_>) {
    let mut target = ContentRef::Openapi { spec: spec.clone(), version: version.clone() };
    visit(key, Relation::Specification, &mut target);
    if let ContentRef::Openapi { spec: changed, version: pinned } = target {
        (*spec, *version) = (changed, pinned);
    }
}

/// The values of a table's cells, and the text of those that hold text.
fn in_values(table: &Table, rows: &mut [Block], visit: &mut Visit<'_>) {
    let kinds: HashMap<&str, &ColumnKind> =
        table.columns.iter().map(|column| (column.id.as_str(), &column.kind)).collect();
    for cell in rows.iter_mut().flat_map(|row| &mut row.children) {
        if let Kind::TableCell(data) = &mut cell.kind {
            match (data.value.as_deref_mut(), kinds.get(data.column.as_str())) {
                (Some(CellValue::Ref(target)), _) => visit(&cell.key, Relation::Cell, target),
                (Some(CellValue::Image { r#ref: target, .. }), _) => visit(&cell.key, Relation::Image, target),
                (Some(CellValue::Names(names)), Some(ColumnKind::Files)) => {
                    names.iter_mut().for_each(|name| in_file_name(&cell.key, name, visit));
                }
                (Some(CellValue::Names(names)), Some(ColumnKind::Users { .. })) => {
                    names.iter_mut().for_each(|name| in_user_name(&cell.key, name, visit));
                }
                _ => {}
            }
        }
        in_line(&cell.key, &mut cell.content, visit);
        in_blocks(&mut cell.children, visit);
    }
}

fn in_file_name(key: &Key, name: &mut String, visit: &mut Visit<'_>) {
    let Ok(file) = name.parse::<FileId>() else { return };
    let mut target = ContentRef::File { file, space: None };
    visit(key, Relation::Cell, &mut target);
    if let ContentRef::File { file, space: None } = target {
        *name = file.into();
    }
}

fn in_user_name(key: &Key, name: &mut String, visit: &mut Visit<'_>) {
    let Ok(user) = name.parse::<UserId>() else { return };
    let mut target = ContentRef::User { user };
    visit(key, Relation::Cell, &mut target);
    if let ContentRef::User { user } = target {
        *name = user.into();
    }
}

fn in_line(key: &Key, content: &mut [Inline], visit: &mut Visit<'_>) {
    for inline in content {
        match inline {
            Inline::Link(link) => {
                visit(key, Relation::Link, &mut link.target.0);
                in_line(key, &mut link.content, visit);
            }
            Inline::Image(image) => {
                visit(key, Relation::Image, &mut image.source.0);
                image.source_dark.iter_mut().for_each(|dark| visit(key, Relation::Image, dark));
            }
            Inline::Annotation(note) => {
                in_line(key, &mut note.content, visit);
                in_blocks(&mut note.body, visit);
            }
            Inline::Mention { target } => visit(key, Relation::Mention, target),
            Inline::Button(button) => {
                button.target.iter_mut().for_each(|target| visit(key, Relation::Button, target));
            }
            Inline::Text(_)
            | Inline::Emoji { .. }
            | Inline::Icon(_)
            | Inline::Expression { .. }
            | Inline::Math { .. }
            | Inline::Verbatim { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::documents;
    use super::super::*;
    use super::*;
    use proptest::prelude::*;

    fn url(url: &str) -> ContentRef {
        ContentRef::Url { url: url.into() }
    }

    fn keyed(key: &str, kind: Kind) -> Block {
        Block { key: Key(key.into()), ..Block::new(kind) }
    }

    /// A document with one reference of every place there is.
    fn everywhere() -> Document {
        let file = |id: &str| ContentRef::File { file: id.parse().expect("an id"), space: None };
        let note = Annotation {
            body: vec![keyed(
                "note",
                Kind::ContentRef(Box::new(ContentRefBlock { target: Target(url("card")), ..Default::default() })),
            )],
            ..Default::default()
        };
        let line = keyed("line", Kind::Paragraph(Paragraph::default())).with_content(vec![
            Inline::Link(Box::new(Link {
                target: Target(url("link")),
                content: vec![Inline::Image(Box::new(InlineImage {
                    source: Target(url("picture")),
                    source_dark: Some(url("picture-dark")),
                    ..Default::default()
                }))],
                ..Default::default()
            })),
            Inline::Mention { target: Box::new(ContentRef::User { user: "bob".parse().expect("an id") }) },
            Inline::Button(Box::new(Button { target: Some(url("button")), ..Default::default() })),
            Inline::Annotation(Box::new(note)),
        ]);
        let image = Image { source: Target(file("image")), source_dark: Some(file("dark")), ..Default::default() };
        let images = keyed("images", Kind::Images(Images::default()))
            .with_children(vec![keyed("image", Kind::Image(Box::new(image)))]);
        let column = |id: &str, kind| TableColumn { id: id.into(), kind, ..Default::default() };
        let cell = |column: &str, value| {
            keyed(&format!("row.{column}"), Kind::TableCell(TableCell { column: column.into(), value: Some(value) }))
        };
        let mut table = Table {
            columns: vec![
                column("files", ColumnKind::Files),
                column("image", ColumnKind::Image),
                column("ref", ColumnKind::ContentRef),
                column("select", ColumnKind::Select { multiple: true, options: vec![] }),
                column("users", ColumnKind::Users { multiple: true }),
            ],
            ..Default::default()
        };
        table.columns[0].heading =
            vec![Inline::Link(Box::new(Link { target: Target(url("heading")), ..Default::default() }))];
        let row = keyed("row", Kind::TableRow).with_children(vec![
            cell("files", Box::new(CellValue::Names(vec!["f1".into(), "no id".into()]))),
            cell("image", Box::new(CellValue::Image { r#ref: url("cover"), object_fit: None, alt: None })),
            cell("ref", Box::new(CellValue::Ref(url("cell")))),
            cell("select", Box::new(CellValue::Names(vec!["option".into()]))),
            cell("users", Box::new(CellValue::Names(vec!["ann".into()]))),
        ]);
        let tag = ContentRef::Tag { tag: "new".into(), space: None };
        let update = keyed("update", Kind::Update(Update { tags: vec![tag], ..Default::default() }));
        let blocks = vec![
            line,
            images,
            keyed("table", Kind::Table(Box::new(table))).with_children(vec![row]),
            keyed("file", Kind::File(Box::new(FileBlock { source: Target(file("file")) }))),
            keyed("drawing", Kind::Drawing(Box::new(Drawing { source: Some(file("drawing")) }))),
            keyed("include", Kind::ReusableContent(Box::new(ReusableContentBlock { target: Target(url("include")) }))),
            keyed("updates", Kind::Updates(Updates::default())).with_children(vec![update]),
            keyed("swagger", Kind::Swagger(Box::new(Swagger { source: Target(url("swagger")), ..Default::default() }))),
            keyed(
                "operation",
                Kind::OpenapiOperation(Box::new(OpenapiOperation { spec: "o".into(), ..Default::default() })),
            ),
            keyed("schemas", Kind::OpenapiSchemas(Box::new(OpenapiSchemas { spec: "s".into(), ..Default::default() }))),
            keyed("webhook", Kind::OpenapiWebhook(Box::new(OpenapiWebhook { spec: "w".into(), ..Default::default() }))),
        ];
        Document::from_blocks(blocks).expect("a valid document")
    }

    #[test]
    fn references_are_found_everywhere_in_document_order() {
        let found: Vec<String> = (everywhere().references().iter())
            .map(|Found { key, target, relation }| {
                let target = serde_json::to_value(target).expect("json");
                let values: Vec<&str> = target
                    .as_object()
                    .expect("an object")
                    .iter()
                    .filter(|(name, _)| *name != "kind")
                    .filter_map(|(_, value)| value.as_str())
                    .collect();
                format!("{} {relation:?} {} {}", key.0, target["kind"].as_str().expect("a kind"), values.join(" "))
            })
            .collect();
        assert_eq!(
            found,
            [
                "line Link url link",
                "line Image url picture",
                "line Image url picture-dark",
                "line Mention user bob",
                "line Button url button",
                "note Card url card",
                "image Image file image",
                "image Image file dark",
                "table Link url heading",
                "row.files Cell file f1",
                "row.image Image url cover",
                "row.ref Cell url cell",
                "row.users Cell user ann",
                "file File file file",
                "drawing Drawing file drawing",
                "include Include url include",
                "update Tag tag new",
                "swagger Specification url swagger",
                "operation Specification openapi o",
                "schemas Specification openapi s",
                "webhook Specification openapi w",
            ]
        );
    }

    #[test]
    fn references_in_conditions_are_told_apart_also_in_notes_and_in_other_conditions() {
        let card = |target: &str| {
            keyed(
                target,
                Kind::ContentRef(Box::new(ContentRefBlock { target: Target(url(target)), ..Default::default() })),
            )
        };
        let condition = |children: Vec<Block>| {
            keyed("if", Kind::If(If { expression: "visitor.claims.pro".into() })).with_children(children)
        };
        let note = Annotation { body: vec![condition(vec![card("in a note")])], ..Default::default() };
        let line =
            keyed("line", Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::Annotation(Box::new(note))]);
        let hint = keyed("hint", Kind::Hint(Hint::default()))
            .with_children(vec![condition(vec![card("in a hint"), condition(vec![card("in both")])])]);
        let document = Document { blocks: vec![card("plain"), line, hint, card("also plain")] };
        let (always, conditional) = document.into_targets_by_condition();
        assert_eq!(always, [url("plain"), url("also plain")]);
        assert_eq!(conditional, [url("in a note"), url("in a hint"), url("in both")]);
    }

    #[test]
    fn every_reference_can_be_changed() {
        let mut document = everywhere();
        document.map_references(|target| match target {
            ContentRef::Url { url } => url.push('!'),
            ContentRef::File { file, .. } => *file = format!("{file}2").parse().expect("an id"),
            ContentRef::User { user } => *user = format!("{user}2").parse().expect("an id"),
            ContentRef::Openapi { spec, .. } => spec.push('2'),
            ContentRef::Tag { tag, .. } => tag.push('2'),
            _ => {}
        });
        let changed = document.references();
        assert_eq!(changed.len(), everywhere().references().len());
        for (before, after) in everywhere().references().iter().zip(&changed) {
            assert_eq!(before.key, after.key);
            assert_ne!(before.target, after.target);
        }
    }

    #[test]
    fn a_change_to_what_cannot_be_there_is_ignored() {
        let mut document = everywhere();
        document.map_references(|target| {
            if let ContentRef::Openapi { .. } | ContentRef::User { .. } = target {
                *target = url("elsewhere");
            }
        });
        let keys = |document: &Document| document.references().len();
        assert_eq!(keys(&document), keys(&everywhere()));
        assert!(
            matches!(&document.find(&Key("webhook".into())).expect("it").kind, Kind::OpenapiWebhook(w) if w.spec == "w")
        );
    }

    proptest! {
        #[test]
        fn mapping_nothing_changes_nothing(document in documents()) {
            let mut same = document.clone();
            let mut seen = Vec::new();
            same.map_references(|target| seen.push(target.clone()));
            prop_assert_eq!(&same, &document);
            let found: Vec<ContentRef> = document.references().into_iter().map(|found| found.target).collect();
            prop_assert_eq!(seen, found);
        }

        #[test]
        fn no_reference_is_lost_when_those_in_conditions_are_told_apart(document in documents()) {
            let mut all: Vec<ContentRef> = document.references().into_iter().map(|found| found.target).collect();
            let (mut parts, conditional) = document.into_targets_by_condition();
            parts.extend(conditional);
            all.sort();
            parts.sort();
            prop_assert_eq!(parts, all);
        }
    }
}
