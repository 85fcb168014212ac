//! Real documents, where `OCTAVO_SPECS` names a folder with them (`dev/corpus` fetches them).
use super::{large, path, spec};
use acceptance::{Fields, World};
use actix_web::http::Method;
use serde_json::json;
use std::path::Path;

/// The lines of the documents that break their specification; all other documents keep it.
const FAULTS: [(&str, &[u64]); 3] = [
    ("blockfrost-yaml", &[7817, 7997, 8807, 8918, 11119, 12545]),
    ("galaxy-yaml", &[241]),
    ("readme-3-1-schema-validation-local-json", &[64, 65, 81, 82, 97, 98, 113, 114, 129, 130]),
];

/// The most bytes of a document that is tried without optimisation.
const SMALL: usize = 600_000;

/// The documents: a slug of the name of the file, and the text.
fn documents() -> Vec<(String, String)> {
    let Some(folder) = std::env::var_os("OCTAVO_SPECS") else {
        eprintln!("nothing is tried: OCTAVO_SPECS names no folder of documents");
        return Vec::new();
    };
    let entries = std::fs::read_dir(Path::new(&folder)).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path()).filter(|path| path.is_file());
    let named = paths.map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words: Vec<&str> =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        (words.join("-"), std::fs::read_to_string(&path).expect("the document can be read"))
    });
    named.filter(|(_, text)| !cfg!(debug_assertions) || text.len() <= SMALL).collect()
}

#[acceptance::test]
async fn every_real_document_becomes_a_version_with_the_findings_that_are_known(world: World) {
    let documents = documents();
    for (slug, text) in &documents {
        let source = json!({"source": {"text": text}});
        large::send(&world.ada, Method::PUT, &path(&world, slug), &source, &[]).await.expect(201);
    }
    world.work().await;
    for (slug, _) in &documents {
        let done = spec(&world, slug).await;
        assert_eq!((done.text("processingState"), done.get("lastProcessErrorCode")), ("complete", None), "{done}");
        let findings = done.list("lastProcessedErrors").iter();
        let lines = findings.filter(|finding| finding["code"] == "structure").filter_map(|one| one["line"].as_u64());
        let known = FAULTS.iter().find(|(name, _)| name == slug).map_or(&[][..], |(_, lines)| lines);
        assert_eq!(lines.collect::<Vec<_>>(), known, "{slug}");
        let content = world.ada.get(&format!("{}/versions/latest/content", path(&world, slug))).await.ok();
        let document = &content["filesystem"]["openapi.json"]["specification"];
        assert!(document.text("openapi").starts_with("3."), "{slug} is {}", document["openapi"]);
    }
    eprintln!("{} documents are versions", documents.len());
}
