//! Random sequences of changes of the content and of comments on it.
use super::{open, path, post};
use crate::change_requests::{edit, merged, propose};
use acceptance::{Fields, Fixture, SeededRandom, World};
use domain::id::SpaceId;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const STEPS: usize = 24;
const PAGES: [&str; 3] = ["one", "two", "three"];
const WORDS: [&str; 12] = [
    "The barometer falls before rain.",
    "Wind comes from the west.",
    "* a list\n* of things",
    "| Sensor | Range |\n| --- | --- |\n| wind | 0 to 60 |",
    "## A heading",
    "```sh\nkestrel start\n```",
    "> Somebody said so.",
    "Snow is measured by hand.",
    "The sun charges the battery.",
    "{% hint style=\"info\" %}\nMind the gap.\n{% endhint %}",
    "Calibrate once a year.",
    "Numbers are in metric units.",
];

/// A text of some blocks.
fn text(random: &mut SeededRandom) -> String {
    let count = 1 + random.below(6);
    let blocks: Vec<&str> = (0..count).map(|_| random.one(&WORDS)).collect();
    blocks.join("\n\n")
}

/// The keys in a document, at any depth.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let (Some("block"), Some(key)) = (fields.get("object").and_then(Value::as_str), fields.get("key")) {
                found.extend(key.as_str().map(str::to_owned));
            }
            fields.values().for_each(|value| keys(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// The pages of a space by id, with the keys of their blocks.
async fn pages(world: &World, place: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut pages = BTreeMap::new();
    for page in world.ada.get(&format!("{place}/content/pages")).await.ok().list("pages") {
        let read = world.ada.get(&format!("{place}/content/page/{}?format=document", page.id())).await.ok();
        let mut found = BTreeSet::new();
        keys(&read["document"], &mut found);
        pages.insert(page.id().to_owned(), found);
    }
    pages
}

fn files(random: &mut SeededRandom) -> Fixture {
    let kept: Vec<&str> = PAGES.into_iter().filter(|page| *page == PAGES[0] || random.below(4) > 0).collect();
    let summary: String = kept.iter().map(|page| format!("* [{page}]({page}.md)\n")).collect();
    let summary = format!("# Table of contents\n\n{summary}");
    let texts: Vec<(String, String)> =
        kept.iter().map(|page| (format!("{page}.md"), format!("# {page}\n\n{}\n", text(random)))).collect();
    let texts = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    Fixture::new("random", std::iter::once(("SUMMARY.md", summary.as_str())).chain(texts))
}

async fn change(world: &World, space: &SpaceId, change: Value) {
    let request = propose(&world.ada, space, "Change").await;
    edit(&world.ada, &request, json!([change])).await.ok();
    merged(&world.ada, &request).await;
}

#[acceptance::test]
#[case(1)]
#[case(2)]
#[case(3)]
async fn a_comment_is_where_its_block_is_or_keeps_its_quote(world: World, #[case] seed: u64) {
    let mut random = SeededRandom::new(seed);
    let space = world.import(&files(&mut random)).await;
    let place = format!("/spaces/{space}");
    // The page, the block and the quote of each comment when it was posted.
    let mut posted: BTreeMap<String, (String, String, Value)> = BTreeMap::new();
    let mut known = pages(&world, &place).await;
    for step in 0..STEPS {
        let ids: Vec<String> = known.keys().cloned().collect();
        match (random.below(8), ids.is_empty()) {
            (0..=2, false) => {
                let page = &ids[random.below(ids.len())];
                let blocks: Vec<&String> = known[page].iter().collect();
                if !blocks.is_empty() {
                    let node = blocks[random.below(blocks.len())];
                    let comment = post(&world.ada, &place, "?", json!({ "page": page, "node": node })).await;
                    let quote = comment["target"]["quote"].clone();
                    posted.insert(path(&comment), (page.clone(), node.clone(), quote));
                }
            }
            (3, _) if !posted.is_empty() => {
                let at = posted.keys().nth(random.below(posted.len())).unwrap().clone();
                match random.below(3) {
                    0 => {
                        world.ada.delete(&at).await.expect(205);
                        posted.remove(&at);
                    }
                    decided => drop(world.ada.put(&at, json!({ "resolved": decided == 1 })).await.ok()),
                }
            }
            (4, _) => world.import_into(&space, &files(&mut random)).await,
            (5, false) if random.below(3) == 0 => {
                let page = &ids[random.below(ids.len())];
                change(&world, &space, json!({ "operation": "delete_page", "page": page })).await;
            }
            (_, false) => {
                let page = &ids[random.below(ids.len())];
                let text =
                    json!({ "operation": "update_page", "page": page, "document": { "markdown": text(&mut random) } });
                change(&world, &space, text).await;
            }
            (_, true) => world.import_into(&space, &files(&mut random)).await,
        }
        known = pages(&world, &place).await;
        let list = world.ada.get(&format!("{place}/comments?limit=1000")).await.ok();
        assert_eq!(list.list("items").len(), posted.len(), "step {step}: no comment is lost");
        for comment in list.list("items") {
            let (page, node, quote) = &posted[&path(comment)];
            let target = &comment["target"];
            let (has_page, has_node) =
                (known.contains_key(page), known.get(page).is_some_and(|keys| keys.contains(node)));
            let shown = (target.get("page").is_some(), target.get("node").is_some());
            assert_eq!(shown, (has_page, has_node), "step {step}: {comment}");
            assert_eq!(&target["quote"], quote, "step {step}");
        }
        let counted = list.list("items").iter().filter(|comment| comment["status"] == "open").count();
        assert_eq!(open(&world.ada, &place).await, counted, "step {step}");
    }
    assert!(posted.len() > 2, "the sequence has comments");
}
