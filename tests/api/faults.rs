//! Errors when the database fails, and requests that are run again.
use acceptance::{Answer, Backend, Fields, World};
use rstest::rstest;
use serde_json::json;

/// Makes `times` changes of spaces fail with this code, with a message of another meaning.
async fn fail(world: &World, code: &str, times: u32, at_commit: bool) {
    fail_in(world, "spaces", code, times, at_commit).await;
}

/// As [`fail`], for the new and the changed rows of a table.
pub(crate) async fn fail_in(world: &World, table: &str, code: &str, times: u32, at_commit: bool) {
    let when = if at_commit { "CONSTRAINT TRIGGER failing AFTER" } else { "TRIGGER failing BEFORE" };
    let deferred = if at_commit { "DEFERRABLE INITIALLY DEFERRED" } else { "" };
    let sql = format!(
        "CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval('failures') <= {times} THEN RAISE EXCEPTION 'Alles in Ordnung' USING ERRCODE = '{code}'; END IF; \
         RETURN NEW; END $$; \
         CREATE {when} INSERT OR UPDATE ON {table} {deferred} FOR EACH ROW EXECUTE FUNCTION fail()"
    );
    world.database().run(&sql).await;
}

/// Renames a space in a world where that fails.
async fn rename(world: &World, code: &str, times: u32, at_commit: bool) -> Answer {
    let made = world.space(json!({"title": "Before"})).await;
    fail(world, code, times, at_commit).await;
    world.ada.patch(&format!("/spaces/{made}"), json!({"title": "After"})).await
}

#[rstest]
#[case::disk_full("53100", 507, "no space is left")]
#[case::out_of_memory("53200", 503, "try again")]
#[case::too_many_connections("53300", 503, "try again")]
#[case::starting("57P03", 503, "try again")]
#[case::io_error("58030", 503, "try again")]
#[case::lock_timeout("55P03", 503, "try again")]
#[case::connection("08006", 503, "try again")]
#[actix_web::test]
async fn an_unavailable_database_is_recognized_by_its_code(
    #[case] code: &str,
    #[case] status: u16,
    #[case] words: &str,
    #[values(false, true)] at_commit: bool,
) {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let answer = rename(&world, code, u32::MAX, at_commit).await;
    assert_eq!(answer.header("retry-after"), Some("2"));
    let message = answer.error(status);
    assert!(message.contains(words), "{message}");
}

#[rstest]
#[case::deadlock("40P01")]
#[case::serialization("40001")]
#[actix_web::test]
async fn what_met_another_change_is_run_once_more(#[case] code: &str, #[values(false, true)] at_commit: bool) {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let renamed = rename(&world, code, 1, at_commit).await.ok();
    assert_eq!(renamed["title"], "After", "the body was replayed");
    let events = world.ada.get(&world.org("/audit-events?action=space_updated")).await.ok();
    assert_eq!(events.list("items").len(), 1, "it was executed once");
}

#[rstest]
#[actix_web::test]
async fn what_met_another_change_twice_may_be_sent_again(#[values("40P01", "40001")] code: &str) {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let answer = rename(&world, code, 2, false).await;
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert!(answer.error(503).contains("try again"));
}

#[rstest]
#[actix_web::test]
async fn a_request_with_a_key_is_run_once_more_under_it(#[values(false, true)] at_commit: bool) {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let space = world.space(json!({"title": "Space"})).await;
    fail(&world, "40P01", 1, at_commit).await;
    let path = format!("/spaces/{space}/change-requests");
    let body = json!({"subject": "Once"});
    let send = async || {
        let sent = world.ada.send(actix_web::http::Method::POST, &path, |request| {
            request.insert_header(("Idempotency-Key", "one")).set_json(&body)
        });
        sent.await
    };
    let made = send().await.expect(201);
    assert_eq!((&made["number"], &made["subject"]), (&json!(1), &json!("Once")));
    assert_eq!(send().await.expect(201)["id"], made["id"], "the response is stored");
}

async fn create_space(world: &World) -> Answer {
    let with = |request: actix_web::test::TestRequest| {
        request.insert_header(("Idempotency-Key", "one")).set_json(json!({"title": "Once"}))
    };
    world.ada.send(actix_web::http::Method::POST, &world.org("/spaces"), with).await
}

#[rstest]
#[actix_web::test]
async fn nothing_is_changed_if_the_response_cannot_be_stored(#[values(false, true)] at_commit: bool) {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    fail_in(&world, "idempotency_keys", "53100", 1, at_commit).await;
    create_space(&world).await.error(507);
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 0);
    let made = create_space(&world).await.id();
    assert_eq!(create_space(&world).await.id(), made);
}

#[actix_web::test]
async fn a_request_whose_outcome_is_unknown_is_done_once_under_its_key() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let die = "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON idempotency_keys DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION die()";
    world.database().run(die).await;
    assert!(create_space(&world).await.error(503).contains("the outcome is unknown"));
    world.database().run("DROP TRIGGER die ON idempotency_keys").await;
    let made = create_space(&world).await.id();
    assert_eq!(create_space(&world).await.id(), made);
    assert_eq!(world.ada.get(&world.org("/spaces")).await.ok()["count"], 1);
}

/// The connection breaks during the commit.
#[actix_web::test]
async fn a_change_with_an_unknown_outcome_is_reported_as_such() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let made = world.ada.post(&world.org("/spaces"), json!({"title": "Before"})).await.expect(201);
    let sql = "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON spaces DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION die()";
    world.database().run(sql).await;
    let answer = world.ada.patch(&format!("/spaces/{}", made.id()), json!({"title": "After"})).await;
    assert_eq!(answer.header("retry-after"), Some("2"));
    let message = answer.error(503);
    assert!(message.contains("the outcome is unknown: the change may have been made"), "{message}");
}

#[actix_web::test]
async fn requests_succeed_right_after_the_database_has_ended_its_connections() {
    let Some(world) = World::boot(Backend::Postgres).await else { return };
    let space = format!("/spaces/{}", world.space(json!({"title": "Before"})).await);
    let end = |name: &str| format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    for title in ["One", "Two", "Three"] {
        world.database().run_on_server(end).await;
        assert_eq!(world.ada.patch(&space, json!({"title": title})).await.ok()["title"], title);
        world.database().run_on_server(end).await;
        assert_eq!(world.ada.get(&space).await.ok()["title"], title);
    }
}
