//! Workers that stop, changes during a request, and servers that do not send.
use super::{boot, deliveries, each, webhook_for};
use acceptance::{Backend, Fields, Interleaved};
use chrono::TimeDelta;
use domain::job::Task;
use domain::ports::Posted;
use domain::usecases::Jobs;
use domain::usecases::jobs::JobResult;
use serde_json::json;
use std::sync::{Arc, Mutex};

#[acceptance::test]
async fn a_delivery_is_sent_again_if_its_worker_stops_anywhere(backend: Backend) {
    for units in 0.. {
        let Some((world, receiver)) = boot(backend).await else { return };
        let path = webhook_for(&world, &receiver, &["space_created"]).await;
        world.space(json!({})).await;
        let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
        assert!(matches!(task, Task::SendWebhook { .. }), "{task:?}");
        // The worker has failed: its next unit of work never comes.
        let store = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let jobs = world.jobs_on(store.clone());
        if store.ends_before_event(jobs.perform(&claim, &task)).await {
            assert!(units > 1, "only {units} units of work");
            break;
        }
        let before = receiver.take().len();
        world.pass(TimeDelta::minutes(10)).await;
        let after = receiver.take().len();
        assert_eq!(each(&deliveries(&world, &path).await, "state"), ["delivered"], "{units}");
        assert!((1..=2).contains(&(before + after)), "{units}: {before} and {after}");
        let left = world.services.store.read().await.unwrap().jobs().list(false, &Default::default()).await.unwrap();
        assert!(left.items.iter().all(|job| !matches!(job.task, Task::SendWebhook { .. })), "{units}: {left:?}");
    }
}

#[acceptance::test]
async fn a_worker_whose_lease_has_ended_does_not_store_its_result(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
    world.clock.advance(domain::job::LEASE + TimeDelta::seconds(1));
    receiver.answer_with(200);
    world.work().await;
    receiver.answer_with(500);
    assert_eq!(world.jobs.perform(&claim, &task).await.unwrap(), JobResult::Lost);
    let delivery = deliveries(&world, &path).await.remove(0);
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("delivered"), &json!(1)));
}

/// Runs `during` while a request is on its way.
async fn during_a_request(backend: Backend, during: &'static str, status: u16) -> Option<(serde_json::Value, usize)> {
    let (world, receiver) = boot(backend).await?;
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
    let arrived = Arc::new(Mutex::new(false));
    receiver.answer({
        let arrived = arrived.clone();
        move |_| {
            *arrived.lock().unwrap() = true;
            Ok(Posted { status, body: "".into() })
        }
    });
    let store = world.services.store.clone();
    let (organization, id) = (world.organization.clone(), path.rsplit('/').next().unwrap().parse().unwrap());
    let webhooks = world.services.webhooks.clone();
    let change = async move {
        assert!(*arrived.lock().unwrap(), "the request was sent before");
        let actor = domain::actor::Actor::Operator;
        let none = domain::usecases::Precondition::none();
        match during {
            "delete" => drop(webhooks.remove(&actor, &organization, &id, none).await.unwrap()),
            _ => {
                let patch = domain::webhook::WebhookPatch { enabled: Some(false), ..Default::default() };
                drop(webhooks.update(&actor, &organization, &id, none, patch.into()).await.unwrap());
            }
        }
    };
    // The first unit of work that writes stores the result of the request.
    let jobs = world.jobs_on(Interleaved::new(store, change));
    jobs.perform(&claim, &task).await.unwrap();
    world.pass(TimeDelta::days(1)).await;
    let found = match during {
        "delete" => serde_json::Value::Null,
        _ => deliveries(&world, &path).await.remove(0),
    };
    Some((found, receiver.take().len()))
}

#[acceptance::test]
async fn a_webhook_that_is_disabled_during_a_request_gets_no_other(backend: Backend) {
    let Some((failed, sent)) = during_a_request(backend, "disable", 500).await else { return };
    assert_eq!((&failed["state"], &failed["attempts"], sent), (&json!("stopped"), &json!(1), 1));
    let Some((arrived, sent)) = during_a_request(backend, "disable", 200).await else { return };
    assert_eq!((&arrived["state"], sent), (&json!("delivered"), 1));
}

#[acceptance::test]
async fn a_webhook_that_is_deleted_during_a_request_gets_no_other(backend: Backend) {
    let Some((_, sent)) = during_a_request(backend, "delete", 500).await else { return };
    assert_eq!(sent, 1);
}

/// An event that is committed after the webhook was deleted: its writer had found the webhook.
#[acceptance::test]
async fn a_delivery_for_a_deleted_webhook_is_removed(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    let id = deliveries(&world, &path).await[0].id().parse().unwrap();
    let late = world.services.store.read().await.unwrap().webhooks().delivery(&id).await.unwrap().unwrap();
    world.ada.delete(&path).await;
    world.pass(TimeDelta::hours(2)).await;
    assert!(world.dump().await["webhook_deliveries"].is_empty());
    let now = world.services.clock.now();
    let job = domain::job::Job::new(world.services.ids.make(), Task::SendWebhook { delivery: id }, now, now);
    let mut tx = world.services.store.write().await.unwrap();
    tx.webhooks().add_deliveries(&[late]).await.unwrap();
    tx.jobs().add_new(&[job]).await.unwrap();
    tx.commit().await.unwrap();
    world.work().await;
    assert!(world.dump().await["webhook_deliveries"].is_empty());
    assert!(receiver.take().is_empty());
}

#[acceptance::test]
async fn a_command_that_cannot_sign_leaves_deliveries_to_the_server(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    webhook_for(&world, &receiver, &["space_created"]).await;
    world.space(json!({})).await;
    let command = Jobs { sender: None, ..world.jobs.clone() };
    assert_eq!(command.claim().await.unwrap(), None);
    world.work().await;
    assert_eq!(receiver.take().len(), 1);
}
