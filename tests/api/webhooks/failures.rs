use super::{boot, deliveries, each, webhook, webhook_for};
use acceptance::{Backend, Fields, Receiver, World};
use chrono::{DateTime, TimeDelta, Utc};
use domain::job::Task;
use domain::ports::{FetchError, PostRequest, Posted};
use domain::usecases::jobs::JobResult;
use domain::webhook::RETRY_PERIOD;
use serde_json::{Value, json};

fn kind_of(request: &PostRequest) -> String {
    serde_json::from_slice::<Value>(&request.body).unwrap().text("type").to_owned()
}

fn id_of(request: &PostRequest) -> String {
    request.headers.iter().find(|(name, _)| *name == "Octavo-Webhook-Id").unwrap().1.clone()
}

fn time(delivery: &Value, field: &str) -> DateTime<Utc> {
    delivery.text(field).parse().unwrap()
}

/// Fails requests of this type.
fn fail_only(receiver: &Receiver, kind: &'static str) {
    receiver.answer(move |request| {
        let status = if kind_of(request) == kind { 503 } else { 200 };
        Ok(Posted { status, body: "".into() })
    });
}

async fn logged(world: &World, action: &str) -> Vec<Value> {
    world.ada.get(&world.org(&format!("/audit-events?action={action}"))).await.ok().list("items").to_vec()
}

#[acceptance::test]
async fn a_failed_delivery_is_retried_under_the_same_id_until_it_arrives(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    receiver.answer(|_| Ok(Posted { status: 500, body: "x".repeat(5000).into() }));
    world.space(json!({})).await;
    world.clock.set(world.services.clock.now());
    world.work().await;
    let first = deliveries(&world, &path).await.remove(0);
    assert_eq!((&first["state"], &first["attempts"]), (&json!("pending"), &json!(1)));
    assert_eq!(first["lastResponse"], json!({"status": 500, "body": "x".repeat(1024)}));
    let wait = time(&first, "nextAttemptAt") - time(&first, "lastAttemptAt");
    assert!((TimeDelta::seconds(7)..TimeDelta::seconds(13)).contains(&wait), "{wait}");

    world.clock.set(time(&first, "nextAttemptAt") - TimeDelta::microseconds(1));
    world.work().await;
    assert_eq!(receiver.take().len(), 1, "not before its time");
    receiver.answer(|_| Err(FetchError::Timeout));
    world.clock.set(time(&first, "nextAttemptAt"));
    world.work().await;
    let second = deliveries(&world, &path).await.remove(0);
    assert_eq!(second["lastResponse"], json!({"error": "the host took too long to respond"}));
    let longer = time(&second, "nextAttemptAt") - time(&second, "lastAttemptAt");
    assert!((TimeDelta::seconds(15)..TimeDelta::seconds(26)).contains(&longer), "{longer}");

    receiver.answer_with(200);
    world.clock.set(time(&second, "nextAttemptAt"));
    world.work().await;
    let third = deliveries(&world, &path).await.remove(0);
    assert_eq!((&third["state"], &third["attempts"]), (&json!("delivered"), &json!(3)));
    let sent = receiver.take();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|request| id_of(request) == first.id()));
    assert_eq!(sent[0].body, sent[1].body);
    world.pass(TimeDelta::days(1)).await;
    assert!(receiver.take().is_empty(), "it arrived, and is not sent again");
}

#[acceptance::test]
#[case::a_redirect(302)]
#[case::gone(410)]
#[case::an_error(500)]
async fn any_status_but_2xx_is_a_failure(backend: Backend, #[case] status: u16) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    receiver.answer_with(status);
    world.space(json!({})).await;
    world.work().await;
    let delivery = deliveries(&world, &path).await.remove(0);
    assert_eq!((&delivery["state"], &delivery["lastResponse"]["status"]), (&json!("pending"), &json!(status)));
}

#[acceptance::test]
async fn a_private_address_is_refused_when_a_request_is_sent(world: World) {
    let (path, _) = webhook(&world, json!({"url": "http://127.0.0.1:1/", "events": ["space_created"]})).await;
    world.space(json!({})).await;
    world.work().await;
    let delivery = deliveries(&world, &path).await.remove(0);
    let error = delivery["lastResponse"].text("error");
    assert_eq!(error, FetchError::Private.to_string());
    assert_eq!((&delivery["state"], delivery["lastResponse"].get("status")), (&json!("pending"), None));
}

#[acceptance::test]
async fn a_later_event_of_an_object_waits_for_the_earlier_one(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created", "space_updated"]).await;
    receiver.answer_with(503);
    let space = world.space(json!({"title": "One"})).await;
    world.work().await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"title": "Two"})).await.ok();
    let other = world.space(json!({"title": "Other"})).await;
    world.work().await;
    let targets = |receiver: &Receiver| -> Vec<String> {
        receiver.bodies().iter().map(|body| format!("{} {}", body.text("type"), body["target"].id())).collect()
    };
    let (created, updated) = (format!("space_created {space}"), format!("space_updated {space}"));
    assert_eq!(
        targets(&receiver),
        [created.clone(), format!("space_created {other}")],
        "only the other object is sent"
    );

    receiver.answer_with(200);
    world.pass(TimeDelta::hours(2)).await;
    let sent = targets(&receiver);
    let at = |wanted: &str| sent.iter().position(|one| one == wanted).unwrap();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(at(&created) < at(&updated), "{sent:?}");
    assert!(each(&deliveries(&world, &path).await, "state").iter().all(|state| *state == "delivered"));
}

#[acceptance::test]
async fn events_that_waited_are_sent_one_after_the_other_as_soon_as_the_first_arrives(backend: Backend) {
    const LATER: usize = 12;
    let Some((world, receiver)) = boot(backend).await else { return };
    webhook_for(&world, &receiver, &["space_created", "space_updated"]).await;
    receiver.answer_with(503);
    let space = world.space(json!({"title": "One"})).await;
    world.work().await;
    for number in 0..LATER {
        world.ada.patch(&format!("/spaces/{space}"), json!({"title": format!("Title {number}")})).await.ok();
    }
    assert_eq!(sends(&world.work().await), LATER, "each looks once and waits");
    receiver.take();
    receiver.answer_with(200);
    let ran = world.pass(TimeDelta::minutes(1)).await;
    assert_eq!(sends(&ran), LATER + 1, "none looks twice");
    let titles: Vec<String> = receiver.bodies().iter().map(Value::to_string).collect();
    assert_eq!(titles.len(), LATER + 1, "{titles:?}");
    let in_order = (0..LATER).all(|number| titles[number + 1].contains(&format!("Title {number}")));
    assert!(in_order, "{titles:?}");
}

#[acceptance::test]
async fn events_of_a_comment_and_its_replies_arrive_in_their_order(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let events = ["comment_posted", "comment_reply_posted", "comment_resolved", "comment_deleted"];
    webhook_for(&world, &receiver, &events).await;
    receiver.answer_with(503);
    let comments = format!("/spaces/{}/comments", world.space(json!({})).await);
    let text = json!({"body": {"markdown": "Why?"}});
    let first = world.ada.post(&comments, text.clone()).await.ok().id().to_owned();
    world.work().await;
    let path = format!("{comments}/{first}");
    world.ada.post(&format!("{path}/replies"), text.clone()).await.ok();
    world.ada.put(&path, json!({"resolved": true})).await.ok();
    world.ada.delete(&path).await.expect(205);
    let second = world.ada.post(&comments, text).await.ok().id().to_owned();
    world.work().await;
    let tried: Vec<String> = receiver.bodies().iter().map(|event| event["target"].id().to_owned()).collect();
    assert_eq!(tried, [first.clone(), second.clone()], "later events of the first comment wait");
    receiver.answer_with(200);
    world.pass(TimeDelta::hours(1)).await;
    let sent = receiver.bodies();
    let of = |id: &str| -> Vec<&str> {
        sent.iter().filter(|event| event["target"].id() == id).map(|event| event.text("type")).collect()
    };
    assert_eq!((of(&first), of(&second)), (events.to_vec(), vec!["comment_posted"]));
}

/// The number of jobs that looked after a delivery.
fn sends(ran: &[(Task, JobResult)]) -> usize {
    ran.iter().filter(|(task, _)| matches!(task, Task::SendWebhook { .. })).count()
}

#[acceptance::test]
async fn a_later_event_is_sent_when_the_earlier_one_is_given_up(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created", "space_updated"]).await;
    fail_only(&receiver, "space_created");
    let space = world.space(json!({})).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"title": "Two"})).await.ok();
    world.pass(TimeDelta::days(1)).await;
    // The webhook stays enabled, since something arrived.
    world.ada.post(&format!("{path}/ping"), json!({})).await.expect(201);
    world.pass(TimeDelta::days(2)).await;
    let states: Vec<String> = deliveries(&world, &path)
        .await
        .iter()
        .map(|one| format!("{} {}", one.text("type"), one.text("state")))
        .collect();
    assert_eq!(states, ["ping delivered", "space_updated delivered", "space_created failed"]);
    assert_eq!(world.ada.get(&path).await.ok()["enabled"], true);
    assert!(logged(&world, "webhook_disabled").await.is_empty());
}

#[acceptance::test]
async fn a_webhook_to_which_nothing_arrives_for_two_days_is_disabled(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    let witness = webhook_for(&world, &receiver, &["webhook_disabled"]).await;
    receiver.answer(|request| {
        let status = if kind_of(request) == "space_created" { 500 } else { 200 };
        Ok(Posted { status, body: "".into() })
    });
    world.space(json!({})).await;
    world.pass(TimeDelta::days(1)).await;
    world.space(json!({})).await;
    world.pass(RETRY_PERIOD - TimeDelta::days(1) - TimeDelta::hours(1)).await;
    assert_eq!(world.ada.get(&path).await.ok()["enabled"], true, "not before two days are over");
    // Each attempt is up to an hour late, and only the planned waits count.
    world.pass(TimeDelta::days(1)).await;
    let disabled = world.ada.get(&path).await.ok();
    assert_eq!((&disabled["enabled"], &disabled["disabledReason"]), (&json!(false), &json!("failures")));
    assert!(disabled["disabledAt"].is_string());
    let [newer, older] = deliveries(&world, &path).await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!((&older["state"], &newer["state"]), (&json!("failed"), &json!("stopped")));
    let attempts = older["attempts"].as_u64().unwrap();
    assert!((15..40).contains(&attempts), "{attempts}");
    let lasted = time(&older, "finishedAt") - time(&older, "createdAt");
    assert!(lasted >= RETRY_PERIOD && lasted < RETRY_PERIOD + TimeDelta::days(1), "{lasted}");

    let [event] = logged(&world, "webhook_disabled").await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!((&event["actor"]["type"], &event["target"]["id"]), (&json!("server"), &disabled["id"]));
    assert_eq!(each(&deliveries(&world, &witness).await, "state"), ["delivered"], "other webhooks are told");
    receiver.take();
    world.space(json!({})).await;
    world.pass(TimeDelta::days(1)).await;
    assert!(receiver.take().is_empty(), "nothing is sent to a disabled webhook");
    let enabled = world.ada.patch(&path, json!({"enabled": true})).await.ok();
    assert_eq!((&enabled["enabled"], enabled.get("disabledReason")), (&json!(true), None));
    world.space(json!({})).await;
    world.work().await;
    assert_eq!(receiver.take().len(), 1);
}

#[acceptance::test]
async fn a_webhook_stays_enabled_if_any_delivery_arrives_within_the_two_days(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    fail_only(&receiver, "space_created");
    world.space(json!({})).await;
    world.pass(TimeDelta::hours(1)).await;
    world.ada.post(&format!("{path}/ping"), json!({})).await.expect(201);
    world.pass(TimeDelta::days(3)).await;
    assert_eq!(each(&deliveries(&world, &path).await, "state"), ["delivered", "failed"]);
    assert_eq!(world.ada.get(&path).await.ok()["enabled"], true);
}

#[acceptance::test]
async fn time_in_which_no_server_ran_disables_no_webhook(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    receiver.answer_with(503);
    world.space(json!({})).await;
    world.work().await;
    world.clock.advance(RETRY_PERIOD + TimeDelta::days(1));
    world.work().await;
    let delivery = deliveries(&world, &path).await.remove(0);
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("pending"), &json!(2)));
    assert_eq!(world.ada.get(&path).await.ok()["enabled"], true);
    receiver.answer_with(200);
    world.pass(TimeDelta::hours(1)).await;
    assert_eq!(each(&deliveries(&world, &path).await, "state"), ["delivered"]);
}

#[acceptance::test]
async fn disabling_a_webhook_stops_its_pending_deliveries(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    receiver.answer_with(500);
    world.space(json!({})).await;
    world.work().await;
    world.space(json!({})).await;
    world.ada.patch(&path, json!({"enabled": false})).await.ok();
    receiver.take();
    world.pass(TimeDelta::days(1)).await;
    assert!(receiver.take().is_empty());
    let found = deliveries(&world, &path).await;
    assert_eq!(each(&found, "state"), ["stopped", "stopped"]);
    assert!(found.iter().all(|one| one.get("nextAttemptAt").is_none() && one["finishedAt"].is_string()));
    world.ada.patch(&path, json!({"enabled": true})).await.ok();
    world.pass(TimeDelta::days(1)).await;
    assert!(receiver.take().is_empty(), "they stay stopped, and can be sent on request");
    receiver.answer_with(200);
    world.ada.post(&format!("{path}/deliveries/{}/redeliver", found[0].id()), json!({})).await.expect(201);
    world.work().await;
    assert_eq!(receiver.take().len(), 1);
}
