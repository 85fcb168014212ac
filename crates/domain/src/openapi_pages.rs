//! Pages that are generated from an OpenAPI spec, in the types of the content engine.
mod changelog;

pub(crate) use changelog::changelog;

use crate::content::computed::{ComputedPage, ComputedSource, generated_id};
use crate::content::document::{
    Block, Document, Heading, Inline, Kind, Link, OpenapiOperation, OpenapiSchemas, OpenapiWebhook, Paragraph, Target,
    Text,
};
use crate::content::markdown::{Unresolved, parse_text};
use crate::content::page::slugify;
use crate::content::reference::ContentRef;
use crate::id::PageId;
use crate::openapi::pages::{GeneratedPage, PageBlock, PageDoc, PagesWanted, pages, text};
use crate::openapi::parts::Summary;
use crate::text::{Icon, PageTitle};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The options for the pages that replace a computed page. `None` if the source has no options of pages.
pub(crate) fn wanted_pages(source: &ComputedSource) -> Option<PagesWanted> {
    source.spec()?;
    serde_json::from_value(Value::Object(source.props.clone())).ok()
}

/// The part of the spec that a generated page shows. `None` if the source is not that of a page.
pub(crate) fn shown_part(source: &ComputedSource) -> Option<PageDoc> {
    source.spec()?;
    serde_json::from_value(Value::Object(source.props.clone())).ok()
}

/// Generates the pages that replace a computed page, from the summary of its spec.
pub(crate) fn computed_pages(
    page: &PageId,
    source: &ComputedSource,
    summary: &Summary,
    wanted: &PagesWanted,
) -> Vec<ComputedPage> {
    let Some(spec) = source.spec() else { return Vec::new() };
    let generated = pages(summary, wanted);
    generated.into_iter().filter_map(|generated| computed_page(page, source, spec, generated)).collect()
}

/// The recursion is as deep as generated pages nest: [`crate::openapi::pages::MAX_LEVELS`] and one for operations.
fn computed_page(page: &PageId, source: &ComputedSource, spec: &str, generated: GeneratedPage) -> Option<ComputedPage> {
    let GeneratedPage { doc, title, description, icon, pages } = generated;
    let id = generated_id(page, &doc.id(spec))?;
    let source = Arc::new(ComputedSource { props: props(&doc), ..source.clone() });
    let title = String::from(PageTitle::fitted(&title, "Untitled"));
    Some(ComputedPage {
        id,
        slug: slugify(&title),
        title,
        description,
        icon: icon.filter(|icon| icon.parse::<Icon>().is_ok()),
        pages: pages.into_iter().filter_map(|below| computed_page(page, &source, spec, below)).collect(),
        source,
    })
}

fn props(doc: &PageDoc) -> Map<String, Value> {
    match serde_json::to_value(doc) {
        Ok(Value::Object(props)) => props,
        // A tagged enum of texts is always an object.
        _ => Map::new(),
    }
}

/// Writes the text of a generated page. `None` if the source is not a page, or if its spec lacks the named part. A page
/// with changes is written by [`changelog()`].
pub(crate) fn document(source: &ComputedSource, summary: &Summary) -> Option<Document> {
    let spec = source.spec()?;
    let doc = shown_part(source)?;
    Some(fitting(text(summary, &doc)?.into_iter().flat_map(|block| blocks(spec, block)).collect()))
}

/// The document of these blocks, without invalid blocks.
fn fitting(blocks: Vec<Block>) -> Document {
    let whole = Document::from_blocks(blocks.clone());
    whole.unwrap_or_else(|_| {
        // A part breaks a rule of documents, such as a very long path: the others are shown.
        let fits = |block: &Block| Document::from_blocks(vec![block.clone()]).is_ok();
        let blocks = blocks.into_iter().filter(fits).collect();
        Document::from_blocks(blocks).unwrap_or_default()
    })
}

fn blocks(spec: &str, block: PageBlock) -> Vec<Block> {
    let spec = spec.to_owned();
    vec![match block {
        PageBlock::Markdown(text) => {
            let read = parse_text(&text, &Unresolved).document;
            return read.map_or_else(|_| vec![paragraph(vec![words(text)])], |document| document.blocks);
        }
        PageBlock::Heading(title) => heading(2, title),
        PageBlock::Sentence(text) => paragraph(vec![words(text)]),
        PageBlock::Download(label) => {
            let target = Target(ContentRef::openapi(&spec));
            paragraph(vec![Inline::Link(Box::new(Link { target, content: vec![words(label)], ..Link::default() }))])
        }
        PageBlock::Operation { method, path, headless } => {
            let headless = headless.then_some(true);
            let operation = OpenapiOperation { path, method, spec, headless, ..OpenapiOperation::default() };
            Block::new(Kind::OpenapiOperation(Box::new(operation)))
        }
        PageBlock::Webhook { name, method, headless } => {
            let headless = headless.then_some(true);
            let webhook = OpenapiWebhook { name, method, spec, headless, ..OpenapiWebhook::default() };
            Block::new(Kind::OpenapiWebhook(Box::new(webhook)))
        }
        PageBlock::Schemas(schemas) => {
            let schemas = OpenapiSchemas { schemas, spec, grouped: Some(true), ..OpenapiSchemas::default() };
            Block::new(Kind::OpenapiSchemas(Box::new(schemas)))
        }
    }]
}

fn heading(level: u8, title: String) -> Block {
    Block::new(Kind::Heading(Heading { level, ..Heading::default() })).with_content(vec![words(title)])
}

fn paragraph(content: Vec<Inline>) -> Block {
    Block::new(Kind::Paragraph(Paragraph::default())).with_content(content)
}

fn words(text: String) -> Inline {
    Inline::Text(Text { text, ..Text::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::document::wire::WireDocument;
    use crate::openapi::parts::{OperationSummary, TagSummary};
    use rstest::rstest;
    use serde_json::json;

    fn summary() -> Summary {
        let operation = |method: &str, path: &str, tag: &str| OperationSummary {
            method: method.into(),
            path: path.into(),
            tags: vec![tag.into()],
            ..OperationSummary::default()
        };
        let tag = TagSummary {
            name: "pets".into(),
            description: Some("# All\n\nabout *pets*.".into()),
            icon: Some("x".repeat(51)),
            ..TagSummary::default()
        };
        Summary {
            operations: vec![operation("get", "/pets", "pets"), operation("get", "/shops", &"s".repeat(600))],
            tags: vec![tag],
            schemas: vec!["Pet".into()],
            version: "2".into(),
            ..Summary::default()
        }
    }

    fn pages_of(page: &str, source: &ComputedSource) -> Vec<ComputedPage> {
        let wanted = wanted_pages(source);
        wanted.map_or(Vec::new(), |wanted| computed_pages(&page.parse().unwrap(), source, &summary(), &wanted))
    }

    fn source(props: Value) -> ComputedSource {
        ComputedSource::openapi("Pets", props.as_object().unwrap().clone())
    }

    #[test]
    fn pages_have_ids_below_that_of_their_computed_page_and_sources_of_their_own() {
        let found = pages_of("c", &source(json!({"models": true, "grouping": "by-operation"})));
        let titles: Vec<&str> = found.iter().map(|page| page.title.as_str()).collect();
        assert_eq!(titles, ["pets", &"s".repeat(500), "Models"]);
        assert!(found.iter().all(|page| page.id.as_str().starts_with("c_")));
        assert_eq!(found[0].icon, None, "the name is too long for an icon");
        let operation = &found[0].pages[0];
        assert_eq!(operation.title, "GET /pets");
        assert_eq!(*operation.source, source(json!({"doc": "operation", "page": "/pets", "method": "get"})));
        assert_ne!(operation.id, found[0].id);
    }

    #[rstest]
    #[case::options_of_another_type(source(json!({"models": "yes"})))]
    #[case::an_unknown_grouping(source(json!({"grouping": "by-color"})))]
    #[case::another_source(ComputedSource { kind: "integration:a:b".into(), ..source(json!({})) })]
    fn a_source_that_is_not_understood_has_no_pages(#[case] source: ComputedSource) {
        assert_eq!(pages_of("c", &source), []);
        assert_eq!(document(&source, &summary()), None);
    }

    #[test]
    fn the_text_of_a_tag_is_its_description_and_its_operations() {
        let document = document(&source(json!({"doc": "operations", "page": "pets"})), &summary()).unwrap();
        let shown = serde_json::to_value(WireDocument(&document)).unwrap();
        let types: Vec<&Value> = shown["nodes"].as_array().unwrap().iter().map(|node| &node["type"]).collect();
        assert_eq!(types, ["heading-1", "paragraph", "openapi-operation"]);
        let expected = json!({"path": "/pets", "method": "get", "ref": {"kind": "openapi", "spec": "Pets"}});
        assert_eq!(shown["nodes"][2]["data"], expected);
    }

    #[test]
    fn a_description_that_begins_with_a_rule_keeps_all_of_its_text() {
        let read = blocks("pets", PageBlock::Markdown("---\nstatus: beta\n---\n\nabout".into()));
        assert_eq!(read.len(), 3);
        assert!(Document { blocks: read }.text().contains("status: beta"));
    }

    #[test]
    fn the_text_of_the_document_leads_to_the_spec() {
        let document = document(&source(json!({"doc": "info", "page": "info"})), &summary()).unwrap();
        let targets: Vec<ContentRef> = document.references().into_iter().map(|found| found.target).collect();
        assert_eq!(targets, [ContentRef::openapi("Pets")]);
    }

    #[test]
    fn a_text_has_the_same_keys_each_time() {
        let source = source(json!({"doc": "models"}));
        assert_eq!(document(&source, &summary()), document(&source, &summary()));
    }

    #[test]
    fn invalid_parts_of_documents_are_left_out() {
        let mut summary = summary();
        let pets = summary.operations[0].clone();
        summary.operations.push(OperationSummary { path: "/\u{0}".into(), ..pets });
        let document = document(&source(json!({"doc": "operations", "page": "pets"})), &summary).unwrap();
        assert!(document.blocks.len() >= 3);
    }
}
