//! Hidden content is in no output.
use super::text;
use crate::urls::{BASE, docs};
use acceptance::{Fixture, World};
use serde_json::json;
use std::collections::BTreeSet;

/// A word in the title and the text of each page that visitors must not see.
const CANARY: &str = "canarybird";

/// Pages that have the word in them, which a condition hides from visitors or not.
fn more(hidden: bool) -> Fixture {
    let [condition, start, end] = match hidden {
        true => {
            let condition = "---\nif: visitor.claims.plan == \"pro\"\n---\n\n";
            [condition, "{% if visitor.claims.plan == \"pro\" %}\n", "{% endif %}\n"]
        }
        false => [""; 3],
    };
    let sung = "```mermaid\nflowchart LR\n  A[The canarybird sings.] --> B\n```\n\n";
    let readme = format!(
        "# Open\n\nRead [that](one.md) and [more](shown.md).\n\n{start}The canarybird sings.\n\n{sung}{end}\nThe end.\n"
    );
    let one = format!("{condition}# Canarybird one\n\nThe canarybird is here.\n\n{sung}");
    let off = format!("{condition}# Canarybird off\n\nSecret canarybird.\n");
    Fixture::new(
        "more",
        [
            (
                "SUMMARY.md",
                "* [Open](README.md)\n  * [Canarybird one](one.md)\n* [Shown](shown.md)\n* [Canarybird off](off.md)\n",
            ),
            ("README.md", &readme),
            ("one.md", &one),
            ("shown.md", "# Shown\n\nPlain words.\n\n```mermaid\nflowchart LR\n  A[Plain] --> B\n```\n"),
            ("off.md", &off),
        ],
    )
}

/// The paths of the pictures that are rendered for the pages of the space, as a visitor finds them.
async fn pictures(world: &World) -> Vec<String> {
    let first = text(world.browse(&format!("{BASE}/more")).await, 200);
    let links = first.split("href=\"/s/docs/more").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
    let pages: BTreeSet<&str> = links.filter(|path| !path.contains(['.', '~'])).collect();
    let mut found = Vec::new();
    for path in pages {
        let page = text(world.browse(&format!("{BASE}/more{path}")).await, 200);
        for kind in ["/~/card/", "/~/diagrams/"] {
            let all = page.split(kind).skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(all.map(|rest| format!("{kind}{rest}")));
        }
    }
    found.sort();
    found.dedup();
    found
}

#[acceptance::test]
async fn hidden_titles_and_texts_are_in_no_output(world: World) {
    let (site, _) = docs(&world, "public").await;
    let space = world.import(&more(false)).await;
    let foreign =
        world.import(&Fixture::new("foreign", [("README.md", "# Canarybird abroad\n\nA canarybird.\n")])).await;
    let drafts = world.import(&Fixture::new("drafts", [("README.md", "# Canarybird draft\n\nA canarybird.\n")])).await;
    world
        .ada
        .post(&format!("{site}/site-spaces"), json!({"spaceId": space.as_str(), "title": "More"}))
        .await
        .expect(201);
    let draft = json!({"spaceId": drafts.as_str(), "title": "Canarybird draft", "draft": true});
    world.ada.post(&format!("{site}/site-spaces"), draft).await.expect(201);
    let _ = foreign;
    // What was rendered while it was shown, by its address.
    let earlier = pictures(&world).await;
    world.import_into(&space, &more(true)).await;
    let now = pictures(&world).await;
    let gone: Vec<&String> = earlier.iter().filter(|path| !now.contains(path)).collect();
    // Two cards and the images of two diagrams, and of what is shown the card of each page and the images of one.
    assert!(gone.len() >= 6 && now.len() >= 4, "{gone:?} {now:?}");
    for path in &gone {
        let status = world.browse(&format!("{BASE}{path}")).await.status.as_u16();
        assert_ne!(status, 200, "{path}");
        assert!(status == 404 || !path.contains(CANARY), "{path}: {status}");
    }
    let paths = [
        "/",
        "/more",
        "/more/shown",
        "/more/open/one",
        "/more/canarybird-one",
        "/more/open/canarybird-one",
        "/more/off",
        "/more/canarybird-off",
        "/canarybird-draft",
        "/more/open.md",
        "/more/shown.md",
        "/~/search?q=canarybird&scope=all",
        "/~/search?q=sings&scope=all",
        "/llms.txt",
        "/llms-full.txt",
        "/sitemap.xml",
        "/sitemap-pages.xml",
        "/robots.txt",
        "/opensearch.xml",
    ];
    for path in paths.into_iter().chain(earlier.iter().chain(&now).map(String::as_str)) {
        let answer = world.browse(&format!("{BASE}{path}")).await;
        let headers = format!("{:?}", answer.headers).to_lowercase();
        let body = String::from_utf8_lossy(&answer.bytes).to_lowercase();
        // The address and the query themselves may be repeated.
        let body = body
            .replace(&path.to_lowercase(), "")
            .replace("value=\"canarybird\"", "")
            .replace("search · canarybird ", "");
        assert!(!body.contains(&format!("{CANARY} ")) && !body.contains("sings."), "{path}: {body}");
        assert!(!headers.contains(CANARY) || path.contains(CANARY), "{path}: {headers}");
    }
    let json = |request: actix_web::test::TestRequest| request.insert_header(("Accept", "application/json"));
    let found = world.browse_with(&format!("{BASE}/~/search?q=canarybird&scope=all"), json).await;
    assert_eq!(found.ok()["items"], json!([]));
    text(world.browse(&format!("{BASE}/more/shown")).await, 200);
}
