use super::{URL, boot, path, pets, put_url, spec, versions};
use acceptance::{Backend, Fields, World};
use chrono::TimeDelta;
use domain::actor::Actor;
use domain::openapi_spec::ProcessingState;
use domain::ports::FetchError;
use domain::usecases::openapi_specs::NewSource;
use domain::usecases::{Input, Precondition};
use serde_json::{Value, json};

#[acceptance::test]
async fn a_text_becomes_a_version(world: World) {
    let body = json!({"slug": "pets", "source": {"text": pets("Pets")}});
    let answer = world.ada.post(&world.org("/openapi"), body).await;
    let location = answer.header("location").unwrap().to_owned();
    let made = answer.expect(201);
    assert_eq!(made["urls"]["location"], location);
    assert_eq!((made.text("object"), made.text("processingState")), ("openapi-spec", "pending"));
    assert_eq!((&made["lastProcessedErrorCount"], made.get("sourceURL")), (&json!(0), None));
    assert_eq!(made["permissions"], json!({"view": true, "edit": true}));
    world.ada.get(&format!("{}/versions/latest", path(&world, "pets"))).await.expect(404);

    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!((done.text("processingState"), done.get("lastProcessErrorCode")), ("complete", None));
    assert_eq!(done["lastProcessedErrors"], json!([]));
    assert!(done["lastProcessedAt"].is_string());
    let latest = world.ada.get(&format!("{}/versions/latest", path(&world, "pets"))).await.ok();
    assert_eq!(latest["id"], done["lastVersion"]);
    let by_id = format!("{}/versions/{}", path(&world, "pets"), latest.id());
    assert_eq!(world.ada.get(&by_id).await.ok(), latest);
    assert_eq!(latest["urls"]["location"].as_str().unwrap().strip_prefix("https://docs.test/v1"), Some(by_id.as_str()));
}

#[acceptance::test]
async fn a_document_with_errors_is_a_version_and_lists_their_positions(world: World) {
    let text = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get:\n      responses:\n        '200':\n          $ref: '#/components/responses/Pots'\n";
    let body = json!({"slug": "pets", "source": {"text": text}});
    world.ada.post(&world.org("/openapi"), body).await.expect(201);
    world.work().await;
    let done = spec(&world, "pets").await;
    assert!(done["lastVersion"].is_string() && done.get("lastProcessErrorCode").is_none(), "{done}");
    assert_eq!(done["lastProcessedErrorCount"], 1, "{done}");
    let finding = &done["lastProcessedErrors"][0];
    assert_eq!((finding.text("code"), finding.text("level"), &finding["line"]), ("ref-missing", "error", &json!(8)));
    assert!(finding.text("message").starts_with("8:"), "{finding}");
}

#[acceptance::test]
#[case::no_document("a: [1", "PARSE_ERROR")]
#[case::another_document("title: Pets", "PARSE_ERROR")]
#[case::another_version("openapi: 9.0.0\ninfo: {title: a, version: b}", "PARSE_ERROR")]
async fn a_text_that_cannot_be_read_makes_no_version(world: World, #[case] text: &str, #[case] code: &str) {
    let body = json!({"slug": "pets", "source": {"text": text}});
    world.ada.post(&world.org("/openapi"), body).await.expect(201);
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!((done.text("processingState"), done.text("lastProcessErrorCode")), ("complete", code));
    assert_eq!((&done["lastProcessedErrorCount"], done.get("lastVersion")), (&json!(1), None));
    assert_eq!(done["lastProcessedErrors"][0]["level"], "fatal");
    assert_eq!(versions(&world, "pets").await, 0);
}

#[acceptance::test]
async fn an_address_is_looked_at_again_and_adds_a_version_only_if_something_differs(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    put_url(&world, "pets").await;
    world.work().await;
    assert_eq!(spec(&world, "pets").await["sourceURL"], URL);
    assert_eq!((versions(&world, "pets").await, host.take().len()), (1, 1));

    let later = TimeDelta::hours(7);
    world.pass(later).await;
    let asked = host.take();
    assert!(asked.len() == 1 && asked[0].1.etag.is_some(), "the host is told what is known: {asked:?}");
    assert_eq!(versions(&world, "pets").await, 1, "not modified");

    host.forget_tags();
    world.pass(later).await;
    assert_eq!((versions(&world, "pets").await, host.take().len()), (1, 1), "equal bytes");
    host.put(URL, pets("Pets").replace("openapi:", "# A comment.\nopenapi:"));
    world.pass(later).await;
    assert_eq!(versions(&world, "pets").await, 1, "equal parts");
    host.put(URL, pets("More pets"));
    world.pass(later).await;
    assert_eq!(versions(&world, "pets").await, 2, "another title");
}

#[acceptance::test]
async fn a_request_that_sets_the_source_always_gets_a_version(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    for count in 1..=3 {
        put_url(&world, "pets").await;
        assert_eq!(spec(&world, "pets").await["processingState"], "pending");
        world.work().await;
        assert_eq!(versions(&world, "pets").await, count);
    }
    assert!(host.take().iter().all(|(_, known)| known.is_empty()), "the whole document is asked for");
}

#[acceptance::test]
#[case::a_timeout(FetchError::Timeout, "FETCH_TIMEOUT")]
#[case::another_status(FetchError::Status(500), "FETCH_ERROR")]
#[case::a_private_address(FetchError::Private, "FETCH_ERROR")]
#[case::too_large(FetchError::TooLarge(1), "FETCH_ERROR")]
async fn a_failure_keeps_the_last_version_and_the_next_success_removes_the_error(
    backend: Backend,
    #[case] error: FetchError,
    #[case] code: &str,
) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    put_url(&world, "pets").await;
    world.work().await;
    let before = spec(&world, "pets").await;
    let message = error.to_string();
    host.fail(URL, error);
    world.pass(TimeDelta::hours(7)).await;
    let failed = spec(&world, "pets").await;
    assert_eq!((failed.text("lastProcessErrorCode"), &failed["lastVersion"]), (code, &before["lastVersion"]));
    assert_eq!((&failed["lastProcessedErrorCount"], failed.text("processingState")), (&json!(1), "complete"));
    assert_eq!(failed["lastProcessedErrors"], json!([{"message": message}]));
    assert!(failed.text("lastProcessedAt") > before.text("lastProcessedAt"));
    assert_eq!(failed["updatedAt"], before["updatedAt"]);

    host.put(URL, pets("Pets"));
    world.pass(TimeDelta::hours(7)).await;
    let mended = spec(&world, "pets").await;
    assert_eq!((mended.get("lastProcessErrorCode"), &mended["lastProcessedErrorCount"]), (None, &json!(0)));
}

#[acceptance::test]
async fn an_address_becomes_a_version(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    let body = json!({"slug": "pets", "source": {"url": URL}});
    let new = world.ada.post(&world.org("/openapi"), body).await.expect(201);
    assert_eq!((new.text("processingState"), new.get("lastVersion")), ("pending", None));
    let latest = format!("{}/versions/latest", path(&world, "pets"));
    world.ada.get(&latest).await.error(404);
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!(done.text("processingState"), "complete");
    assert_eq!(world.ada.get(&latest).await.ok().id(), done.text("lastVersion"));
}

/// A caller who may name any address must not read through findings what only the server can reach.
#[acceptance::test]
#[case::a_page("<html><body>Canary: the page of a router</body></html>")]
#[case::a_note("Canary: 1\nCanary: 2\n")]
#[case::broken_yaml("Canary: [1\n  - 'Canary\n")]
#[case::broken_json("{\"Canary\": Canary}")]
#[case::a_document_of_another_kind("{\"Canary\": \"Canary\", \"openapi\": \"Canary\"}")]
#[case::a_number_of_another_kind("swagger: Canary\nCanary: 1\n")]
async fn findings_quote_nothing_of_a_page_that_is_no_spec(backend: Backend, #[case] page: &str) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, page.to_owned());
    put_url(&world, "pets").await;
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!(done.text("lastProcessErrorCode"), "PARSE_ERROR");
    assert!(!done.to_string().contains("Canary"), "{done}");
}

#[acceptance::test]
async fn the_finding_of_a_private_address_does_not_say_what_is_there(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets") + "components:\n  schemas:\n    Pet:\n      $ref: http://10.0.0.1/pet.yaml\n");
    host.fail("http://10.0.0.1/pet.yaml", FetchError::Private);
    put_url(&world, "pets").await;
    world.work().await;
    let findings = spec(&world, "pets").await["lastProcessedErrors"].clone();
    let refused = format!("cannot be fetched: {}", FetchError::Private);
    assert_eq!(findings.as_array().unwrap().len(), 1);
    assert!(findings[0].text("message").ends_with(&refused), "{findings}");
}

#[acceptance::test]
async fn a_document_that_can_no_longer_be_read_leaves_the_last_version(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    put_url(&world, "pets").await;
    world.work().await;
    let before = spec(&world, "pets").await;
    host.put(URL, "no document");
    world.pass(TimeDelta::hours(7)).await;
    let failed = spec(&world, "pets").await;
    assert_eq!(failed.text("lastProcessErrorCode"), "PARSE_ERROR");
    assert_eq!((&failed["lastVersion"], versions(&world, "pets").await), (&before["lastVersion"], 1));
    assert_eq!(failed["lastProcessedErrors"][0]["level"], "fatal");
    host.put(URL, pets("Pets"));
    world.pass(TimeDelta::hours(7)).await;
    let mended = spec(&world, "pets").await;
    assert_eq!((mended.get("lastProcessErrorCode"), &mended["lastProcessedErrorCount"]), (None, &json!(0)));
}

#[acceptance::test]
async fn an_address_is_looked_at_once_in_six_hours_and_after_ten_failures_once_a_day(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    put_url(&world, "pets").await;
    world.work().await;
    host.take();
    let looks = async |hours: i64| {
        world.pass(TimeDelta::hours(hours)).await;
        host.take().len()
    };
    assert_eq!((looks(5).await, looks(2).await), (0, 1), "six hours, and up to a tenth more");
    assert_eq!(looks(24).await, 3);
    host.fail(URL, FetchError::Timeout);
    // A quarter of an hour, an hour, and then as often as before, until there are ten in a row.
    world.pass(TimeDelta::hours(60)).await;
    assert!(host.take().len() >= 10);
    let days = looks(10 * 24).await;
    assert!((9..=10).contains(&days), "{days} looks in ten days");
}

#[acceptance::test]
async fn of_many_findings_the_first_fifty_are_kept_and_all_are_counted(world: World) {
    let mut text = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n".to_owned();
    for number in 0..60 {
        text.push_str(&format!("    S{number}: {{$ref: '#/components/schemas/Gone{number}'}}\n"));
    }
    world.ada.post(&world.org("/openapi"), json!({"slug": "pets", "source": {"text": text}})).await.expect(201);
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!((done.list("lastProcessedErrors").len(), &done["lastProcessedErrorCount"]), (50, &json!(60)));
    let lines: Vec<u64> = done.list("lastProcessedErrors").iter().filter_map(|one| one["line"].as_u64()).collect();
    assert!(lines.is_sorted() && lines.len() == 50, "{lines:?}");
}

#[acceptance::test]
async fn a_hint_is_no_finding_of_a_spec_and_a_warning_is(world: World) {
    let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n\
                components: {schemas: {A: {type: integer, example: x}, B: {enum: [a, a]}}}\n";
    world.ada.post(&world.org("/openapi"), json!({"slug": "pets", "source": {"text": text}})).await.expect(201);
    world.work().await;
    let done = spec(&world, "pets").await;
    let codes: Vec<&str> = done.list("lastProcessedErrors").iter().map(|finding| finding.text("code")).collect();
    assert_eq!((codes, &done["lastProcessedErrorCount"]), (vec!["enum-twice"], &json!(1)));
}

#[acceptance::test]
async fn a_source_that_is_set_during_processing_wins(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Old"));
    put_url(&world, "pets").await;
    let (specs, organization) = (world.services.openapi_specs.clone(), world.organization.clone());
    host.during(move || {
        let (specs, organization) = (specs.clone(), organization.clone());
        Box::pin(async move {
            let (slug, source) =
                ("pets".parse().unwrap(), Input::new(|| Ok(NewSource::Text(pets("New").try_into().unwrap()))));
            let found = specs.get(&Actor::Operator, &organization, &slug).await.unwrap();
            assert_eq!(found.state, ProcessingState::Progress);
            specs.set(&Actor::Operator, &organization, &slug, Precondition::none(), source).await.unwrap();
        })
    });
    world.work().await;
    let done = spec(&world, "pets").await;
    assert_eq!((done.text("processingState"), versions(&world, "pets").await), ("complete", 1));
    let content = world.ada.get(&format!("{}/versions/latest/content", path(&world, "pets"))).await.ok();
    let document = &content["filesystem"]["openapi.json"]["specification"];
    assert_eq!(document["info"]["title"], "New");
}

#[acceptance::test]
async fn a_spec_that_is_deleted_during_processing_leaves_nothing(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    host.put(URL, pets("Pets"));
    put_url(&world, "pets").await;
    let (specs, organization) = (world.services.openapi_specs.clone(), world.organization.clone());
    host.during(move || {
        let (specs, organization) = (specs.clone(), organization.clone());
        Box::pin(async move {
            let slug = "pets".parse().unwrap();
            assert!(specs.remove(&Actor::Operator, &organization, &slug, Precondition::none()).await.unwrap());
        })
    });
    world.work().await;
    world.ada.get(&path(&world, "pets")).await.expect(404);
    let left = world.services.store.read().await.unwrap().openapi_specs().referenced(None, 10).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[acceptance::test]
async fn a_document_in_several_files_is_one_document_and_any_of_them_can_change(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    let entry = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    Pet:\n      \
                 $ref: ./models/pet.yaml\n    Gone:\n      $ref: ./gone.yaml\n";
    let pet = "https://api.example.org/models/pet.yaml";
    host.put(URL, entry);
    host.put(pet, "type: object\ndescription: A pet");
    put_url(&world, "pets").await;
    world.work().await;
    let asked: Vec<String> = host.take().into_iter().map(|(url, _)| url).collect();
    assert_eq!(asked, [URL, pet, "https://api.example.org/gone.yaml"]);
    let description = async || {
        let content = world.ada.get(&format!("{}/versions/latest/content", path(&world, "pets"))).await.ok();
        content["filesystem"]["openapi.json"]["specification"]["components"]["schemas"]["Pet"]["description"].clone()
    };
    assert_eq!(description().await, "A pet");
    let findings = spec(&world, "pets").await["lastProcessedErrors"].clone();
    assert_eq!((findings[0].text("code"), findings.as_array().unwrap().len()), ("ref-file", 1), "{findings}");

    host.put(pet, "type: object\nitems:\n  $ref: '#/no'");
    world.pass(TimeDelta::hours(7)).await;
    let findings = spec(&world, "pets").await["lastProcessedErrors"].clone();
    let finding = findings.as_array().unwrap().iter().find(|finding| finding["code"] == "ref-missing").unwrap();
    assert_eq!((finding.text("file"), &finding["line"]), ("models/pet.yaml", &json!(3)));
    assert_eq!(finding.text("message"), "models/pet.yaml:3:9 items.$ref: #/no is not there");

    host.put(pet, "type: object\ndescription: A dog");
    host.put("https://api.example.org/gone.yaml", "type: string");
    world.pass(TimeDelta::hours(7)).await;
    assert_eq!(description().await, "A dog");
    assert_eq!(spec(&world, "pets").await["lastProcessedErrors"], json!([]));
}

#[acceptance::test]
async fn a_version_is_an_event(world: World) {
    let (slug, version) = super::processed_spec(&world, "pets").await;
    world.ada.patch(&path(&world, &slug), json!({"visibility": "public"})).await.ok();
    let events = world.ada.get(&world.org("/audit-events")).await.ok();
    let of = |action: &str| -> Vec<Value> {
        let all = events.list("items").iter();
        all.filter(|event| event["action"] == action).cloned().collect()
    };
    let added = of("openapi_version_added");
    assert_eq!(added.len(), 1, "{events}");
    assert_eq!(added[0]["payload"]["version"], version);
    assert_eq!(of("openapi_spec_created").len(), 1);
    let changes = &of("openapi_spec_updated")[0]["payload"]["changes"];
    assert_eq!(*changes, json!({"visibility": {"before": "private", "after": "public"}}));
}
