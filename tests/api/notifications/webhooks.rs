//! Notifications of administrators about webhooks that the server disabled.
use super::super::webhooks::{boot, webhook_for};
use acceptance::{Backend, Caller, Fields, Interleaved, Receiver, World};
use chrono::TimeDelta;
use domain::access::{Membership, Role};
use domain::id::{OrganizationId, UserId};
use domain::job::Task;
use domain::member::Member;
use domain::notification::MAIL_DELAY;
use domain::ports::Store;
use serde_json::{Value, json};
use std::sync::Arc;

const ADMINISTRATOR: Membership = Membership { role: Some(Role::Admin), disabled: false };
const CREATOR: Membership = Membership { role: Some(Role::Create), disabled: false };

/// A webhook to which nothing arrives. Returns its path.
async fn failing(world: &World, receiver: &Receiver) -> String {
    let path = webhook_for(world, receiver, &["space_created"]).await;
    receiver.answer_with(500);
    world.space(json!({})).await;
    path
}

/// A webhook that was disabled just now, because nothing arrived. Returns its path.
async fn disabled(world: &World, receiver: &Receiver) -> String {
    let path = failing(world, receiver).await;
    for _half_hour in 0..200 {
        world.pass(TimeDelta::minutes(30)).await;
        if world.ada.get(&path).await.ok()["disabledReason"] == "failures" {
            return path;
        }
    }
    panic!("{path} is still enabled");
}

async fn inbox(caller: &Caller) -> Vec<Value> {
    caller.get("/user/notifications").await.ok().list("items").to_vec()
}

fn account(caller: &Caller) -> &UserId {
    caller.user.as_ref().unwrap()
}

#[acceptance::test]
async fn each_administrator_and_no_other_member_is_notified_once_of_a_disabled_webhook(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let bob = world.member("bob", Some(Role::Admin)).await;
    let cora = world.member("cora", Some(Role::Create)).await;
    let dora = world.member("dora", Some(Role::Admin)).await;
    world.set_membership(account(&dora), Membership { disabled: true, ..ADMINISTRATOR }).await;
    let path = disabled(&world, &receiver).await;
    for administrator in [&world.ada, &bob] {
        let [one] = inbox(administrator).await.try_into().unwrap_or_else(|all| panic!("{all:?}"));
        assert_eq!((one.text("kind"), one.text("excerpt")), ("webhook-disabled", "https://hooks.example.org"));
        assert_eq!(one.text("organization"), world.organization.as_str());
        assert!(path.ends_with(one.text("webhook")), "{one}");
        assert_eq!(one["urls"].text("target"), format!("https://docs.test/v1{path}"));
        for absent in ["actor", "space", "changeRequest", "comment", "reply", "review", "readAt"] {
            assert_eq!(one.get(absent), None, "{absent}");
        }
        let location = format!("/user/notifications/{}", one.id());
        assert_eq!(administrator.get(&location).await.ok(), one);
    }
    world.set_membership(account(&dora), ADMINISTRATOR).await;
    for other in [&cora, &dora] {
        assert_eq!(inbox(other).await, Vec::<Value>::new());
    }
}

#[acceptance::test]
async fn a_notification_about_a_webhook_is_marked_like_any_other(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    disabled(&world, &receiver).await;
    let unread = async || world.ada.get("/user/notifications?read=false").await.ok()["count"].clone();
    let id = inbox(&world.ada).await[0].id().to_owned();
    assert_eq!(unread().await, 1);
    world.ada.post("/user/notifications/read", json!({ "until": id })).await.expect(204);
    assert_eq!(unread().await, 0);
    let path = format!("/user/notifications/{id}");
    assert!(world.ada.patch(&path, json!({ "read": false })).await.ok().get("readAt").is_none());
    assert_eq!(unread().await, 1);
    world.ada.post("/user/notifications/read", json!({})).await.expect(204);
    assert_eq!(unread().await, 0);
}

#[acceptance::test]
async fn a_former_administrator_sees_no_notification_about_a_webhook(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let bob = world.member("bob", Some(Role::Admin)).await;
    disabled(&world, &receiver).await;
    let id = inbox(&bob).await[0].id().to_owned();
    world.set_membership(account(&bob), CREATOR).await;
    let list = bob.get("/user/notifications").await.ok();
    assert_eq!((&list["count"], list.list("items").len()), (&json!(0), 0));
    let path = format!("/user/notifications/{id}");
    bob.get(&path).await.error(404);
    bob.patch(&path, json!({ "read": true })).await.error(404);
    let message = bob.post("/user/notifications/read", json!({ "until": id })).await.error(400);
    assert!(message.starts_with("until: must be a notification of the caller"), "{message}");
    world.set_membership(account(&bob), ADMINISTRATOR).await;
    assert_eq!(inbox(&bob).await.len(), 1, "it appears again");
}

#[acceptance::test]
async fn a_notification_about_a_webhook_is_listed_beside_those_of_spaces(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let bob = world.member("bob", Some(Role::Admin)).await;
    disabled(&world, &receiver).await;
    let space = format!("/spaces/{}", world.space(json!({})).await);
    super::comment(&world.ada, &space, "Why?", &[&bob]).await;
    let kinds = async || -> Vec<String> { inbox(&bob).await.iter().map(|item| item.text("kind").to_owned()).collect() };
    assert_eq!(kinds().await, ["mention", "webhook-disabled"]);
    world.set_membership(account(&bob), CREATOR).await;
    assert_eq!(kinds().await, ["mention"]);
}

#[acceptance::test]
async fn an_administrator_gets_an_email_about_a_disabled_webhook(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    world.member("bob", Some(Role::Admin)).await;
    let path = disabled(&world, &receiver).await;
    assert_eq!(world.mailbox.take(), []);
    world.pass(MAIL_DELAY).await;
    let mails = world.mailbox.take();
    let mut of_bob = mails.iter().filter(|mail| mail.name.as_str() == "bob");
    let mail = of_bob.next().unwrap();
    assert!(of_bob.next().is_none(), "{mails:?}");
    assert_eq!(mail.subject, "[Analytical Engines] Webhook disabled: https://hooks.example.org");
    let told = "The server disabled a webhook, because nothing arrived for two days:\n\n  https://hooks.example.org\n";
    assert!(mail.text.starts_with(told), "{}", mail.text);
    assert!(mail.text.contains(&format!("https://docs.test/v1{path}\n")), "{}", mail.text);
    for text in [&mail.text, &mail.html, &mail.subject] {
        assert!(!text.contains("hooks.example.org/"), "the path can be a secret: {text}");
    }
}

#[acceptance::test]
#[case::of_a_former_administrator(false)]
#[case::about_a_webhook_that_is_enabled_again(true)]
async fn an_email_about_a_webhook_that_no_longer_applies_is_not_sent(backend: Backend, #[case] enabled: bool) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let bob = world.member("bob", Some(Role::Admin)).await;
    let path = disabled(&world, &receiver).await;
    match enabled {
        true => drop(world.ada.patch(&path, json!({ "enabled": true })).await.ok()),
        false => world.set_membership(account(&bob), CREATOR).await,
    }
    let ran = world.pass(MAIL_DELAY).await;
    let of_bob = |task: &Task| matches!(task, Task::MailThread { user, .. } if user == account(&bob));
    assert!(ran.iter().any(|(task, _)| of_bob(task)), "{ran:?}");
    let mails = world.mailbox.take();
    assert!(mails.iter().all(|mail| mail.name.as_str() != "bob"), "{mails:?}");
}

#[acceptance::test]
async fn a_deleted_webhook_takes_its_notifications_with_it(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let path = disabled(&world, &receiver).await;
    assert_eq!(inbox(&world.ada).await.len(), 1);
    world.ada.delete(&path).await.expect(205);
    assert_eq!(inbox(&world.ada).await, Vec::<Value>::new());
    assert_eq!(world.dump().await["notifications"].len(), 0);
    world.pass(MAIL_DELAY).await;
    assert_eq!(world.mailbox.take(), []);
}

/// Makes a member an administrator.
async fn promote(store: Arc<dyn Store>, organization: OrganizationId, user: UserId) {
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&organization).into()]).await.unwrap();
    let member = tx.members().find(&organization, &user).await.unwrap().unwrap();
    tx.members().save(&Member { membership: ADMINISTRATOR, ..member }).await.unwrap();
    tx.commit().await.unwrap();
}

#[acceptance::test]
async fn a_member_who_becomes_an_administrator_during_the_last_attempt_is_notified_too(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let bob = world.member("bob", Some(Role::Create)).await;
    let path = failing(&world, &receiver).await;
    for _half_hour in 0..200 {
        world.set_membership(account(&bob), CREATOR).await;
        world.clock.advance(TimeDelta::minutes(30));
        while let Some((claim, task)) = world.jobs.claim().await.unwrap() {
            // The administrators were read, and the result of the attempt is not stored yet.
            let store = world.services.store.clone();
            let during = promote(store.clone(), world.organization.clone(), account(&bob).clone());
            let jobs = match task {
                Task::SendWebhook { .. } => world.jobs_on(Interleaved::new(store, during)),
                _ => world.jobs.clone(),
            };
            jobs.perform(&claim, &task).await.unwrap();
        }
        if world.ada.get(&path).await.ok()["disabledReason"] == "failures" {
            assert_eq!(inbox(&bob).await.len(), 1);
            world.pass(MAIL_DELAY).await;
            assert!(world.mailbox.take().iter().any(|mail| mail.name.as_str() == "bob"));
            return;
        }
    }
    panic!("{path} is still enabled");
}
