use super::{GeneratedPage, Grouping, HOOK, MAX_LEVELS, OperationPages, PageBlock, PageDoc, PagesWanted, pages, text};
use crate::corpus::documents;
use crate::diff::ChangedOperation;
use crate::parts::{OperationSummary, Summary, TagSummary, WebhookSummary, summary};
use crate::text::read;
use crate::upgrade::upgrade;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

fn of(text: &str) -> Summary {
    summary(&read(text.as_bytes()).root.expect("the text of a test can be read"))
}

fn by_tag() -> PagesWanted {
    PagesWanted::default()
}

fn by_operation() -> PagesWanted {
    PagesWanted { grouping: Grouping::ByOperation, ..by_tag() }
}

/// One line a page: its level, its title, and what it shows.
fn outline(pages: &[GeneratedPage]) -> Vec<String> {
    fn lines(pages: &[GeneratedPage], level: usize, out: &mut Vec<String>) {
        for page in pages {
            let doc = match &page.doc {
                PageDoc::Models => "models".to_owned(),
                PageDoc::Info { page } => format!("info {page}"),
                PageDoc::Operations { page } => format!("operations {page}"),
                PageDoc::Tag { page } => format!("tag {page}"),
                PageDoc::Operation { page, method, .. } => format!("{method} {page}"),
                PageDoc::Changelog { .. } => "changelog".to_owned(),
            };
            out.push(format!("{}{}: {doc}", "- ".repeat(level), page.title));
            lines(&page.pages, level + 1, out);
        }
    }
    let mut out = Vec::new();
    lines(pages, 0, &mut out);
    out
}

const PETS: &str = r#"{"openapi":"3.1.1","info":{"title":"Pets","version":"2"},
    "tags":[{"name":"store","summary":"The store","parent":"shop"},{"name":"pets","x-page-icon":"paw",
            "description":"All about *pets*."},
        {"name":"shop","description":"Where pets are sold"},{"name":"guide","description":"How to begin"},
        {"name":"empty"},{"name":"secret","description":"For us"}],
    "paths":{"/pets":{"get":{"tags":["pets"],"summary":"List pets"},"post":{"tags":["pets","store"],"deprecated":true}},
        "/new":{"get":{"tags":["later"]}},"/us":{"get":{"tags":["secret"],"x-internal":true}},"/ping":{"get":{}}},
    "webhooks":{"sold":{"post":{"tags":["store"],"summary":"A pet is sold"},"put":{"tags":["store"]}},"died":{"post":{}}},
    "components":{"schemas":{"Pet":{},"Cat":{}}}}"#;

#[test]
fn tags_have_pages_in_the_order_of_the_document_and_what_has_no_tag_is_last() {
    let expected = [
        "pets: operations pets",
        "shop: tag shop",
        "- The store: operations store",
        "guide: tag guide",
        "later: operations later",
        "Operations: operations ",
    ];
    assert_eq!(outline(&pages(&of(PETS), &by_tag())), expected);
}

#[test]
fn the_changelog_is_the_last_page_and_has_one_id_with_each_grouping() {
    let summary = of(PETS);
    let last = |wanted: PagesWanted| {
        let wanted = PagesWanted { changelog: true, models: true, ..wanted };
        pages(&summary, &wanted).split_off(pages(&summary, &wanted).len() - 2)
    };
    assert_eq!(outline(&last(by_tag())), ["Models: models", "Changelog: changelog"]);
    assert_eq!(outline(&last(by_operation())), ["Models: models", "Changelog: changelog"]);
    let [by_tag, by_operation] = [by_tag(), by_operation()].map(|wanted| last(wanted).remove(1).doc);
    assert_eq!(by_operation, PageDoc::Changelog { grouping: Grouping::ByOperation });
    assert_eq!(by_tag.id("s"), by_operation.id("s"));
    assert_eq!(text(&summary, &by_tag), None, "it needs other versions");
}

#[rstest]
#[case::by_tag(by_tag())]
#[case::by_operation(by_operation())]
fn the_page_that_shows_an_operation_is_among_the_generated_ones(#[case] wanted: PagesWanted) {
    fn ids(pages: &[GeneratedPage]) -> Vec<String> {
        pages.iter().flat_map(|page| [vec![page.doc.id("s")], ids(&page.pages)].concat()).collect()
    }
    let summary = of(PETS);
    let known = ids(&pages(&summary, &wanted));
    let found = OperationPages::of(&summary, wanted.grouping);
    let operations = summary.operations.iter().map(|operation| (None, operation));
    let hooks = summary.webhooks.iter().map(|hook| (Some(hook.name.clone()), &hook.operation));
    for (webhook, OperationSummary { method, path, internal, .. }) in operations.chain(hooks) {
        let changed = ChangedOperation { method: method.clone(), path: path.clone(), webhook };
        let page = found.get(&changed).map(|doc| doc.id("s"));
        assert_eq!(page.is_none(), *internal, "{changed:?}");
        assert!(page.is_none_or(|id| known.contains(&id)), "{changed:?}");
    }
    let gone = ChangedOperation { method: "get".into(), path: "/gone".into(), webhook: None };
    assert_eq!(found.get(&gone), None);
}

#[test]
fn every_operation_has_a_page_below_that_of_its_first_tag() {
    let expected = [
        "pets: tag pets",
        "- List pets: get /pets",
        "- POST /pets: post /pets",
        "shop: tag shop",
        "- The store: tag store",
        "- - A pet is sold: hook sold",
        "guide: tag guide",
        "later: tag later",
        "- GET /new: get /new",
        "GET /ping: get /ping",
        "died: hook died",
    ];
    assert_eq!(outline(&pages(&of(PETS), &by_operation())), expected);
}

#[rstest]
#[case::both(r#"{"info":{"title":"A"},"components":{"schemas":{"S":{}}}}"#, &["A: info info", "Models: models"])]
#[case::no_title(r#"{"components":{"schemas":{"S":{}}}}"#, &["API: info info", "Models: models"])]
#[case::no_schemas("{}", &["API: info info"])]
fn a_page_of_the_document_is_first_and_one_of_schemas_is_last(#[case] text: &str, #[case] expected: &[&str]) {
    let wanted = PagesWanted { models: true, download_link: true, ..by_tag() };
    assert_eq!(outline(&pages(&of(text), &wanted)), expected);
    assert_eq!(pages(&of(text), &by_tag()), []);
}

#[rstest]
#[case::itself(&[("a", "a")], &["a: tag a"])]
#[case::each_other(&[("b", "a"), ("a", "b")], &["b: tag b", "- a: tag a"])]
#[case::a_tag_below_a_cycle(&[("d", "a"), ("a", "b"), ("b", "c"), ("c", "a")],
    &["a: tag a", "- d: tag d", "- c: tag c", "- - b: tag b"])]
#[case::an_unknown_parent(&[("a", "x")], &["a: tag a"])]
#[case::a_tag_that_is_described_twice(&[("a", ""), ("a", "b"), ("b", "")], &["a: tag a", "b: tag b"])]
fn tags_nest_below_their_parents_and_cycles_end(#[case] tags: &[(&str, &str)], #[case] expected: &[&str]) {
    let tag = |(name, parent): &(&str, &str)| TagSummary {
        name: (*name).to_owned(),
        description: Some("x".to_owned()),
        parent: Some((*parent).to_owned()),
        ..TagSummary::default()
    };
    let summary = Summary { tags: tags.iter().map(tag).collect(), ..Summary::default() };
    assert_eq!(outline(&pages(&summary, &by_tag())), expected);
}

#[test]
fn a_tag_that_only_an_operation_names_can_be_above_others() {
    let text = r#"{"tags":[{"name":"a","parent":"b"}],"paths":{"/":{"get":{"tags":["a"]},"put":{"tags":["b"]}}}}"#;
    assert_eq!(outline(&pages(&of(text), &by_tag())), ["b: operations b", "- a: operations a"]);
}

#[rstest]
#[case::a_line("How to begin", Some("How to begin"))]
#[case::white_space_around_a_line(" How to begin\n", Some("How to begin"))]
#[case::two_lines("How\nto begin", None)]
#[case::markup("How to *begin*", None)]
#[case::a_heading("# How", None)]
#[case::an_item("- How", None)]
#[case::an_address("See https://example.org", None)]
fn one_line_without_markup_is_the_description_of_the_page(#[case] text: &str, #[case] line: Option<&str>) {
    let tag = TagSummary { name: "a".into(), description: Some(text.to_owned()), ..TagSummary::default() };
    let summary = Summary { tags: vec![tag], ..Summary::default() };
    let page = pages(&summary, &by_tag()).remove(0);
    assert_eq!(page.description.as_deref(), line);
    let blocks = super::text(&summary, &page.doc).expect("a page has a text");
    let body = [PageBlock::Markdown(text.to_owned())];
    assert_eq!(blocks, if line.is_some() { &[][..] } else { &body });
}

fn operation(method: &str, path: &str, headless: bool) -> PageBlock {
    PageBlock::Operation { method: method.into(), path: path.into(), headless }
}

fn webhook(name: &str, method: &str, headless: bool) -> PageBlock {
    PageBlock::Webhook { name: name.into(), method: method.into(), headless }
}

#[rstest]
#[case::a_tag(json!({"doc": "operations", "page": "pets"}),
    vec![PageBlock::Markdown("All about *pets*.".into()), operation("get", "/pets", false), operation("post", "/pets", false)])]
#[case::a_tag_with_webhooks(json!({"doc": "operations", "page": "store"}),
    vec![operation("post", "/pets", false), webhook("sold", "post", false), webhook("sold", "put", false)])]
#[case::no_tag(json!({"doc": "operations", "page": ""}),
    vec![operation("get", "/ping", false), PageBlock::Heading("Webhooks".into()), webhook("died", "post", false)])]
#[case::a_tag_alone(json!({"doc": "tag", "page": "pets"}), vec![PageBlock::Markdown("All about *pets*.".into())])]
#[case::an_operation(json!({"doc": "operation", "page": "/pets", "method": "get"}), vec![operation("get", "/pets", true)])]
#[case::a_webhook(json!({"doc": "operation", "page": "died", "method": "hook"}), vec![webhook("died", "post", true)])]
#[case::a_webhook_with_two_methods(json!({"doc": "operation", "page": "sold", "method": "hook"}),
    vec![webhook("sold", "post", false), webhook("sold", "put", false)])]
#[case::schemas(json!({"doc": "models"}), vec![PageBlock::Schemas(vec!["Pet".into(), "Cat".into()])])]
#[case::the_document(json!({"doc": "info", "page": "info"}),
    vec![PageBlock::Sentence("Version 2".into()), PageBlock::Download("Download the OpenAPI document".into())])]
fn the_text_of_a_page_shows(#[case] doc: serde_json::Value, #[case] blocks: Vec<PageBlock>) {
    let doc: PageDoc = serde_json::from_value(doc).expect("what a page shows");
    assert_eq!(text(&of(PETS), &doc), Some(blocks));
}

#[rstest]
#[case::an_unknown_tag(json!({"doc": "operations", "page": "x"}))]
#[case::a_tag_alone_that_is_unknown(json!({"doc": "tag", "page": "x"}))]
#[case::no_tag(json!({"doc": "tag", "page": ""}))]
#[case::an_internal_operation(json!({"doc": "operation", "page": "/us", "method": "get"}))]
#[case::a_tag_of_internal_operations(json!({"doc": "operations", "page": "secret"}))]
#[case::another_method(json!({"doc": "operation", "page": "/pets", "method": "put"}))]
#[case::an_unknown_webhook(json!({"doc": "operation", "page": "/pets", "method": "hook"}))]
fn what_a_version_lacks_has_no_text(#[case] doc: serde_json::Value) {
    assert_eq!(text(&of(PETS), &serde_json::from_value(doc).expect("what a page shows")), None);
}

#[test]
fn what_a_page_shows_is_written_as_the_api_has_it() {
    let shown = |doc: &PageDoc| serde_json::to_value(doc).expect("JSON");
    let doc = PageDoc::Operation { page: "/a".into(), method: "get".into(), deprecated: true };
    assert_eq!(shown(&doc), json!({"doc": "operation", "page": "/a", "method": "get", "deprecated": true}));
    assert_eq!(shown(&PageDoc::Models), json!({"doc": "models"}));
    let wanted = serde_json::from_value::<PagesWanted>(json!({"models": true, "grouping": "by-operation"}));
    assert_eq!(wanted.expect("options"), PagesWanted { models: true, ..by_operation() });
    assert_eq!(serde_json::from_value::<PagesWanted>(json!({})).expect("options"), by_tag());
}

#[test]
fn the_id_of_a_page_is_the_same_in_every_version_and_other_in_every_spec() {
    let doc = PageDoc::Operations { page: "pets".into() };
    assert_eq!(doc.id("Pets"), "838b905c907a7c759fc5");
    assert_eq!(doc.id("Pets"), PageDoc::Tag { page: "pets".into() }.id("pets"));
    assert_ne!(doc.id("Pets"), doc.id("Pets2"));
    let operation =
        |method: &str, deprecated| PageDoc::Operation { page: "/a".into(), method: method.into(), deprecated };
    assert_eq!(operation("get", true).id("s"), operation("get", false).id("s"));
    assert_ne!(operation("get", false).id("s"), operation("put", false).id("s"));
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "c", "d", " "]).prop_map(str::to_owned)
}

fn described() -> impl Strategy<Value = TagSummary> {
    let text = || prop::option::of(name());
    (name(), text(), text(), text()).prop_map(|(name, title, description, parent)| TagSummary {
        name,
        title,
        description,
        parent,
        ..TagSummary::default()
    })
}

fn used() -> impl Strategy<Value = OperationSummary> {
    let tags = prop::collection::vec(name(), 0..3);
    (name(), "[/a-c]{0,2}", prop::option::of(name()), tags, any::<bool>()).prop_map(
        |(method, path, summary, tags, internal)| OperationSummary {
            method,
            path,
            summary,
            tags,
            internal,
            ..OperationSummary::default()
        },
    )
}

fn any_summary() -> impl Strategy<Value = Summary> {
    let hooks = (name(), used()).prop_map(|(name, operation)| WebhookSummary { name, operation });
    (
        prop::collection::vec(described(), 0..8),
        prop::collection::vec(used(), 0..8),
        prop::collection::vec(hooks, 0..4),
        prop::collection::vec(name(), 0..2),
    )
        .prop_map(|(tags, operations, webhooks, schemas)| Summary {
            tags,
            operations,
            webhooks,
            schemas,
            ..Summary::default()
        })
}

/// Every page with its level, from 1.
fn all(pages: &[GeneratedPage]) -> Vec<(usize, &GeneratedPage)> {
    let mut waiting: Vec<(usize, &GeneratedPage)> = pages.iter().map(|page| (1, page)).collect();
    let mut all = Vec::new();
    while let Some((level, page)) = waiting.pop() {
        waiting.extend(page.pages.iter().map(|page| (level + 1, page)));
        all.push((level, page));
    }
    all
}

proptest! {
    #[test]
    fn every_page_has_a_title_a_text_and_an_id_of_its_own(
        summary in any_summary(), operations in any::<bool>(), models in any::<bool>(),
    ) {
        let grouping = if operations { Grouping::ByOperation } else { Grouping::ByTag };
        let made = pages(&summary, &PagesWanted { models, download_link: models, grouping, changelog: false });
        let mut ids = HashSet::new();
        let mut docs = HashSet::new();
        for (level, page) in all(&made) {
            prop_assert!(!page.title.is_empty());
            prop_assert!(level <= MAX_LEVELS + 1);
            prop_assert!(text(&summary, &page.doc).is_some(), "{:?}", page.doc);
            if docs.insert(page.doc.clone()) {
                prop_assert!(ids.insert(page.doc.id("s")), "{:?}", page.doc);
            }
        }
    }

    #[test]
    fn every_operation_that_is_not_internal_is_on_a_page(summary in any_summary(), by_operation in any::<bool>()) {
        let grouping = if by_operation { Grouping::ByOperation } else { Grouping::ByTag };
        let made = pages(&summary, &PagesWanted { grouping, ..PagesWanted::default() });
        let blocks: Vec<PageBlock> =
            all(&made).into_iter().flat_map(|(_, page)| text(&summary, &page.doc).unwrap_or_default()).collect();
        let has = |wanted: &dyn Fn(&PageBlock) -> bool| blocks.iter().any(wanted);
        for one in summary.operations.iter().filter(|one| !one.internal && one.method != HOOK) {
            let is_it = |block: &PageBlock| matches!(block, PageBlock::Operation { method, path, .. } if *method == one.method && *path == one.path);
            prop_assert!(has(&is_it));
        }
        for hook in summary.webhooks.iter().filter(|hook| !hook.operation.internal) {
            let is_it = |block: &PageBlock| matches!(block, PageBlock::Webhook { name, method, .. } if *name == hook.name && *method == hook.operation.method);
            prop_assert!(has(&is_it));
        }
    }
}

#[test]
fn many_tags_in_one_line_take_linear_time() {
    let count = 50_000;
    let tag = |at: usize| TagSummary {
        name: at.to_string(),
        description: Some("x".into()),
        parent: Some((at + 1).to_string()),
        ..TagSummary::default()
    };
    let summary = Summary { tags: (0..count).map(tag).collect(), ..Summary::default() };
    let begun = Instant::now();
    let made = pages(&summary, &by_tag());
    assert_eq!(all(&made).len(), count);
    assert!(all(&made).iter().all(|(level, _)| *level <= MAX_LEVELS));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn real_documents_have_pages() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let summary = summary(&upgrade(root, None));
        for grouping in [Grouping::ByTag, Grouping::ByOperation] {
            let begun = Instant::now();
            let made = pages(&summary, &PagesWanted { models: true, download_link: true, grouping, changelog: false });
            println!("{}: {} pages {:?} in {:?}", path.display(), all(&made).len(), grouping, begun.elapsed());
            let texts = all(&made).into_iter().filter_map(|(_, page)| text(&summary, &page.doc)).count();
            assert_eq!(texts, all(&made).len());
        }
    }
}
