//! What is hidden from a visitor is in no output.
use super::text;
use crate::urls::{BASE, docs};
use acceptance::{Fixture, World};
use serde_json::json;

/// A word in the title and the text of each page that visitors must not see.
const CANARY: &str = "canarybird";

#[acceptance::test]
async fn hidden_titles_and_texts_are_in_no_output(world: World) {
    let (site, _) = docs(&world, "public").await;
    let space = world
        .import(&Fixture::new(
            "more",
            [
                ("SUMMARY.md", "* [Open](README.md)\n  * [Canarybird one](one.md)\n* [Shown](shown.md)\n* [Canarybird off](off.md)\n"),
                (
                    "README.md",
                    "# Open\n\nRead [that](one.md) and [more](shown.md).\n\n{% if visitor.claims.plan == \"pro\" %}\nThe canarybird sings.\n{% endif %}\n",
                ),
                ("one.md", "---\nif: visitor.claims.plan == \"pro\"\n---\n\n# Canarybird one\n\nThe canarybird is here.\n"),
                ("shown.md", "# Shown\n\nPlain words.\n"),
                ("off.md", "---\nif: visitor.claims.plan == \"pro\"\n---\n\n# Canarybird off\n\nSecret canarybird.\n"),
            ],
        ))
        .await;
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
    for path in [
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
    ] {
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
