//! Deliveries to webhooks, next to other writers.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::OrganizationId;
use domain::job::{Job, Task};
use domain::ports::Store;
use domain::webhook::{Delivery, DeliveryState, Full, Response, Webhook};
use rstest::rstest;
use tokio::time::timeout;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn webhook() -> Webhook {
    Webhook::sample("w", 1)
}

/// A pending delivery for an object.
fn delivery(id: &str, target: &str) -> Delivery {
    let target = target.to_owned();
    Delivery { target, ..Delivery::ping(id.parse().unwrap(), &webhook(), at(10)) }
}

fn job(delivery: &Delivery) -> Job {
    let task = Task::SendWebhook { delivery: delivery.id.clone() };
    Job::new(format!("job-{}", delivery.id).parse().unwrap(), task, at(10), at(10))
}

/// A store with an organization and its webhook.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    let organization = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
         VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')";
    conn.run(diesel::sql_query(organization)).await.unwrap();
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    let organization: OrganizationId = "o".parse().unwrap();
    tx.lock(&[(&organization).into()]).await.unwrap();
    tx.webhooks().save(&webhook()).await.unwrap();
    tx.commit().await.unwrap();
    Some((world, store))
}

/// SQLite has one writer at a time anyway.
#[tokio::test]
async fn writers_that_add_deliveries_do_not_wait_for_each_other_nor_for_the_webhook() {
    let Some((_world, store)) = store(Backend::Postgres).await else { return };
    let organization: OrganizationId = "o".parse().unwrap();
    let mut first = store.write().await.unwrap();
    let one = delivery("1", "s");
    first.webhooks().add_deliveries(std::slice::from_ref(&one)).await.unwrap();
    first.jobs().add_new(&[job(&one)]).await.unwrap();
    let others = async {
        let mut second = store.write().await.unwrap();
        let two = delivery("2", "s");
        second.webhooks().add_deliveries(std::slice::from_ref(&two)).await.unwrap();
        second.jobs().add_new(&[job(&two)]).await.unwrap();
        second.commit().await.unwrap();
        let mut third = store.write().await.unwrap();
        third.lock(&[(&organization).into()]).await.unwrap();
        third.webhooks().remove(&organization, &webhook().id).await.unwrap();
        third.commit().await.unwrap();
    };
    timeout(HANG / 2, others).await.expect("nobody waits for the first");
    first.commit().await.unwrap();
    let deliveries = store.read().await.unwrap().webhooks().deliveries(&webhook().id, None, &Default::default()).await;
    assert_eq!(deliveries.unwrap().items.len(), 2);
}

#[rstest]
#[tokio::test]
async fn the_first_pending_delivery_is_of_the_same_webhook_and_object(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (one, two, other) = (delivery("1", "s"), delivery("2", "s"), delivery("0", "t"));
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(&[one.clone(), two.clone(), other]).await.unwrap();
    assert_eq!(tx.webhooks().first_pending(&two).await.unwrap(), Some(one.clone()));
    assert_eq!(tx.webhooks().first_pending(&one).await.unwrap(), Some(one.clone()));
    let mut stopped = one.clone();
    stopped.stop(at(20));
    assert!(tx.webhooks().save_delivery(&stopped, DeliveryState::Pending).await.unwrap());
    assert_eq!(tx.webhooks().first_pending(&two).await.unwrap(), Some(two.clone()));
    assert_eq!(tx.webhooks().first_pending(&one).await.unwrap(), Some(two.clone()));
    assert_eq!(tx.webhooks().delivery(&one.id).await.unwrap(), Some(stopped));
    tx.webhooks().stop_deliveries(&webhook().id, at(30)).await.unwrap();
    let states = tx.webhooks().deliveries(&webhook().id, Some(DeliveryState::Stopped), &Default::default()).await;
    let ends: Vec<_> = states.unwrap().items.into_iter().map(|one| one.finished_at.unwrap()).collect();
    assert_eq!(ends, [at(30), at(20), at(30)], "what had ended before keeps its time");
    assert_eq!(tx.webhooks().remove_deliveries(&webhook().id, Some(at(10)), 10).await.unwrap(), 0);
    assert_eq!(tx.webhooks().remove_deliveries(&webhook().id, Some(at(11)), 2).await.unwrap(), 2);
    assert_eq!(tx.webhooks().remove_deliveries(&webhook().id, None, 2).await.unwrap(), 1);
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_success_counts_from_the_time_of_the_response(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut delivered = delivery("1", "s");
    delivered.record(Response::new(204, b""), at(50));
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(&[delivered, delivery("2", "s")]).await.unwrap();
    assert!(tx.webhooks().delivered_since(&webhook().id, at(50)).await.unwrap());
    assert!(!tx.webhooks().delivered_since(&webhook().id, at(51)).await.unwrap());
    tx.commit().await.unwrap();
}

/// A store with a pending delivery.
async fn with_a_delivery(backend: Backend) -> Option<(World, DieselStore, Delivery)> {
    let (world, store) = store(backend).await?;
    let one = delivery("1", "s");
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(std::slice::from_ref(&one)).await.unwrap();
    tx.commit().await.unwrap();
    Some((world, store, one))
}

#[rstest]
#[tokio::test]
async fn a_result_does_not_replace_a_state_that_another_server_has_stored(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store, one)) = with_a_delivery(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.webhooks().stop_deliveries(&webhook().id, at(20)).await.unwrap();
    tx.commit().await.unwrap();
    let mut failed = one.clone();
    failed.record(Response::new(500, b""), at(21));
    let mut tx = store.write().await.unwrap();
    assert!(!tx.webhooks().save_delivery(&failed, DeliveryState::Pending).await.unwrap());
    let mut stopped = tx.webhooks().delivery(&one.id).await.unwrap().unwrap();
    assert_eq!(stopped.state, DeliveryState::Stopped);
    stopped.record(Response::new(500, b""), at(21));
    assert!(tx.webhooks().save_delivery(&stopped, DeliveryState::Stopped).await.unwrap());
    tx.webhooks().remove_delivery(&one.id).await.unwrap();
    assert!(!tx.webhooks().save_delivery(&stopped, DeliveryState::Stopped).await.unwrap(), "it is gone");
    tx.commit().await.unwrap();
}

/// SQLite has one writer at a time.
#[tokio::test]
async fn a_result_that_waits_for_a_server_that_stops_the_delivery_is_not_stored_over_it() {
    let Some((_world, store, one)) = with_a_delivery(Backend::Postgres).await else { return };
    let mut sender = store.write().await.unwrap();
    let mut failed = sender.webhooks().delivery(&one.id).await.unwrap().unwrap();
    let mut other = store.write().await.unwrap();
    other.webhooks().stop_deliveries(&webhook().id, at(20)).await.unwrap();
    failed.record(Response::new(500, b""), at(21));
    // The sender waits for the commit, or comes after it.
    let (stored, committed) =
        tokio::join!(sender.webhooks().save_delivery(&failed, DeliveryState::Pending), other.commit());
    committed.unwrap();
    assert!(!stored.unwrap());
    let now = sender.webhooks().delivery(&one.id).await.unwrap().unwrap();
    assert_eq!((now.state, now.next_attempt_at), (DeliveryState::Stopped, None));
    sender.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn pending_deliveries_of_a_webhook_that_exists_are_never_removed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store, pending)) = with_a_delivery(backend).await else { return };
    let mut delivered = delivery("2", "s");
    delivered.record(Response::new(200, b""), at(20));
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(std::slice::from_ref(&delivered)).await.unwrap();
    assert_eq!(tx.webhooks().remove_deliveries(&webhook().id, Some(at(1_000_000)), 10).await.unwrap(), 1);
    assert_eq!(tx.webhooks().delivery(&pending.id).await.unwrap(), Some(pending));
    assert_eq!(tx.webhooks().delivery(&delivered.id).await.unwrap(), None);
    assert_eq!(tx.webhooks().remove_deliveries(&webhook().id, None, 10).await.unwrap(), 1, "the webhook is deleted");
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn requests_to_full_webhooks_and_organizations_are_not_next(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store, one)) = with_a_delivery(backend).await else { return };
    let other = Delivery { webhook: "v".parse().unwrap(), ..delivery("2", "s") };
    let index = Job::new("index".parse().unwrap(), Task::index_space("s".parse().unwrap(), None), at(30), at(10));
    let mut later = job(&other);
    later.due_at = at(20);
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(std::slice::from_ref(&other)).await.unwrap();
    tx.jobs().add_new(&[job(&one), later, index]).await.unwrap();
    tx.commit().await.unwrap();
    let next = async |full: &Full| {
        let kinds = ["send-webhook", "index-space"];
        let found = store.read().await.unwrap().jobs().next(&kinds, full, at(100)).await.unwrap();
        // The same with the locks of a writing unit of work.
        let mut tx = store.write().await.unwrap();
        assert_eq!(tx.jobs().next(&kinds, full, at(100)).await.unwrap(), found);
        found.unwrap().task
    };
    let sends = |delivery: &Delivery| Task::SendWebhook { delivery: delivery.id.clone() };
    assert_eq!(next(&Full::default()).await, sends(&one));
    let webhooks = [webhook().id].into();
    assert_eq!(next(&Full { webhooks, ..Full::default() }).await, sends(&other));
    let organizations = ["o".parse().unwrap()].into();
    assert!(matches!(next(&Full { organizations, ..Full::default() }).await, Task::IndexSpace { .. }));
}

#[rstest]
#[tokio::test]
async fn make_due_changes_only_pending_jobs_of_its_tasks(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store, one)) = with_a_delivery(backend).await else { return };
    let (two, gone) = (delivery("2", "s"), delivery("3", "s"));
    let (mut waits, due) = (job(&one), job(&two));
    waits.due_at = at(500);
    let mut tx = store.write().await.unwrap();
    tx.jobs().add_new(&[waits, due.clone()]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    for delivery in [&one, &two, &gone] {
        tx.jobs().make_due(&Task::SendWebhook { delivery: delivery.id.clone() }, at(100)).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let found = tx.jobs().list(false, &Default::default()).await.unwrap().items;
    let due_at = |of: &Delivery| found.iter().find(|one| one.task == job(of).task).map(|one| one.due_at);
    assert_eq!(due_at(&one), Some(at(100)));
    assert_eq!(due_at(&two), Some(due.due_at), "it was due before");
    assert_eq!(due_at(&gone), None);
}
