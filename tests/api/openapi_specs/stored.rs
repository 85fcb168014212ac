//! The storage cost of versions of a large document.
use super::{URL, boot, put_url, spec, versions};
use acceptance::{Backend, Fields, World};
use chrono::TimeDelta;
use domain::content::object::Hash;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Of its own: 400 operations and 400 schemas that refer to each other.
fn large() -> Value {
    let mut document = json!({"openapi": "3.1.0", "info": {"title": "Large", "version": "1"}, "paths": {}});
    for at in 0..400 {
        let schema = json!({"type": "object", "description": format!("The thing number {at}. It has a long description."),
            "properties": {"next": {"$ref": format!("#/components/schemas/Thing{}", (at * 7 + 1) % 400)},
                "name": {"type": "string", "maxLength": at + 1}}});
        document["components"]["schemas"][format!("Thing{at}")] = schema;
        let body = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/Thing{at}")}}});
        document["paths"][format!("/things/{at}")]["get"] = json!({"operationId": format!("thing{at}"),
            "description": format!("Returns the thing number {at} with everything that belongs to it."),
            "responses": {"200": {"description": "The thing", "content": body}}});
    }
    document
}

/// GitHub's (`dev/corpus` fetches it), where the real documents are there.
fn github() -> Option<Value> {
    let folder = std::env::var_os("OCTAVO_SPECS")?;
    let text = std::fs::read(Path::new(&folder).join("github.json")).ok()?;
    Some(serde_json::from_slice(&text).expect("it is JSON"))
}

/// The rows of the objects but for these texts: their hashes and bytes, in hexadecimal.
async fn objects(world: &World, texts: &[String]) -> BTreeSet<String> {
    let texts: Vec<String> = texts.iter().map(|text| Hash::of(text.as_bytes()).to_string()).collect();
    let rows = world.dump().await.remove("objects").unwrap();
    rows.into_iter().filter(|row| !texts.iter().any(|text| row.to_lowercase().contains(text))).collect()
}

#[acceptance::test]
#[case::its_own(Some(large()))]
#[case::a_real_one(github())]
async fn one_changed_description_of_a_large_document_stores_less_than_40_kb(
    backend: Backend,
    #[case] document: Option<Value>,
) {
    let Some(mut document) = document else { return };
    let Some((world, host)) = boot(backend).await else { return };
    let first = document.to_string();
    host.put(URL, first.clone());
    put_url(&world, "large").await;
    world.work().await;
    assert_eq!(spec(&world, "large").await.text("processingState"), "complete");
    let before = objects(&world, std::slice::from_ref(&first)).await;
    assert!(before.len() > 100, "{} objects", before.len());

    let path = document["paths"].as_object().unwrap().keys().nth(200).unwrap().clone();
    let operation = document["paths"][&path].as_object_mut().unwrap().values_mut().find(|item| item.is_object());
    operation.unwrap()["description"] = json!("Another description.");
    let second = document.to_string();
    host.put(URL, second.clone());
    world.pass(TimeDelta::hours(7)).await;
    assert_eq!(versions(&world, "large").await, 2);
    let after = objects(&world, &[first, second]).await;
    let bytes: usize = after.difference(&before).map(|row| row.len() / 2).sum();
    assert!((1..40_000).contains(&bytes), "{bytes} bytes");
}
