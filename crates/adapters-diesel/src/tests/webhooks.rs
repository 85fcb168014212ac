//! Deliveries to webhooks, next to other writers.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::OrganizationId;
use domain::job::{Job, Task};
use domain::ports::Store;
use domain::webhook::{Delivery, DeliveryState, Webhook};
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
async fn only_pending_deliveries_for_the_same_object_come_before_another(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (one, two, other) = (delivery("1", "s"), delivery("2", "s"), delivery("0", "t"));
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(&[one.clone(), two.clone(), other]).await.unwrap();
    assert_eq!(tx.webhooks().earlier(&two).await.unwrap().map(|earlier| earlier.id), Some(one.id.clone()));
    assert_eq!(tx.webhooks().earlier(&one).await.unwrap(), None);
    let mut stopped = one.clone();
    stopped.stop(at(20));
    tx.webhooks().save_delivery(&stopped).await.unwrap();
    assert_eq!(tx.webhooks().earlier(&two).await.unwrap(), None);
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
async fn a_success_counts_from_the_moment_it_arrived(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut delivered = delivery("1", "s");
    delivered.record(domain::webhook::Response::new(204, b""), at(50));
    let mut tx = store.write().await.unwrap();
    tx.webhooks().add_deliveries(&[delivered, delivery("2", "s")]).await.unwrap();
    assert!(tx.webhooks().delivered_since(&webhook().id, at(50)).await.unwrap());
    assert!(!tx.webhooks().delivered_since(&webhook().id, at(51)).await.unwrap());
    tx.commit().await.unwrap();
}
