//! E-mails about notifications.
use super::super::change_requests::propose;
use super::{comment, reply, set_level};
use acceptance::{Backend, Fixture, Interleaved, Response, World};
use chrono::TimeDelta;
use domain::access::{Membership, Role};
use domain::actor::Actor;
use domain::job::{MAX_ATTEMPTS, Task};
use domain::notification::{MAIL_DELAY, Notification};
use domain::usecases::accounts::NewUser;
use domain::usecases::jobs::JobResult;
use serde_json::json;

async fn later(world: &World) -> Vec<(Task, JobResult)> {
    world.pass(MAIL_DELAY).await
}

#[acceptance::test]
async fn what_happens_in_a_thread_within_minutes_is_one_email(world: World) {
    let space = format!("/spaces/{}", world.space(json!({ "title": "Guide" })).await);
    let (bob, cora) = (world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await);
    let thread = comment(&bob, &space, "Why <b>?", &[]).await;
    reply(&cora, &thread, "Because & so", &[]).await;
    world.pass(MAIL_DELAY - TimeDelta::minutes(1)).await;
    reply(&world.ada, &thread, "Really", &[&bob]).await;
    assert_eq!(world.mailbox.take(), []);
    world.pass(TimeDelta::minutes(1)).await;
    let mails = world.mailbox.take();
    let of = |name: &str| mails.iter().find(|mail| mail.name.as_str() == name).unwrap();
    let mail = of("bob");
    assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("bob@example.org", "[Guide] Why <b>?"));
    assert!(mail.text.starts_with("cora replied:\n\n  Because & so\n\n"), "{}", mail.text);
    assert!(mail.text.contains(" mentioned you:\n\n  Really"), "{}", mail.text);
    assert!(mail.text.contains(&format!("https://docs.test/v1{thread}\n")), "{}", mail.text);
    assert!(mail.html.contains("Because &amp; so") && !mail.html.contains("<b>"), "{}", mail.html);
    for text in [&mail.text, &mail.html, &mail.subject] {
        assert!(!text.contains("@example.org"), "no address is shown: {text}");
    }
    assert_eq!(mails.len(), 1, "cora is told of the reply later");
    later(&world).await;
    assert_eq!(world.mailbox.take().len(), 1);
    reply(&cora, &thread, "Yes", &[]).await;
    later(&world).await;
    let next = world.mailbox.take();
    let next = next.iter().find(|mail| mail.name.as_str() == "bob").unwrap();
    assert!(next.text.starts_with("cora replied:\n\n  Yes\n") && !next.text.contains("Because"), "{}", next.text);
    let mail = of("bob");
    assert_eq!((&next.thread, &next.subject), (&mail.thread, &mail.subject));
    assert_ne!(next.id, mail.id);
}

#[acceptance::test]
async fn an_email_to_a_user_who_gets_all_notifications_of_a_space_says_so(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let (bob, cora) = (world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await);
    set_level(&cora, &space, json!("all")).await;
    let thread = comment(&bob, &space, "Why?", &[]).await;
    reply(&world.ada, &thread, "Because", &[]).await;
    later(&world).await;
    let mails = world.mailbox.take();
    let mail = mails.iter().find(|mail| mail.name.as_str() == "cora").unwrap();
    assert!(mail.text.contains("get all notifications of its space"), "{}", mail.text);
}

#[acceptance::test]
async fn a_request_for_a_review_is_sent_and_plain_comments_are_not(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Review)).await;
    set_level(&bob, &format!("/spaces/{space}"), json!("all")).await;
    let request = propose(&world.ada, &space, "Fix").await;
    comment(&world.ada, &request, "Fine?", &[]).await;
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [bob.id()] })).await.ok();
    later(&world).await;
    let mails = world.mailbox.take();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].subject.ends_with("#1 Fix") && mails[0].text.contains("asked you for a review"), "{mails:?}");
}

#[acceptance::test]
async fn what_was_read_silenced_or_hidden_before_it_was_due_is_not_sent(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let [reads, refuses, silences, leaves, gets] = [
        world.member("reads", Some(Role::Comment)).await,
        world.member("refuses", Some(Role::Comment)).await,
        world.member("silences", Some(Role::Comment)).await,
        world.member("leaves", Some(Role::Comment)).await,
        world.member("gets", Some(Role::Comment)).await,
    ];
    comment(&world.ada, &space, "Why?", &[&reads, &refuses, &silences, &leaves, &gets]).await;
    reads.post("/user/notifications/read", json!({})).await.expect(204);
    refuses.patch("/user/notification-settings", json!({ "email": false })).await.ok();
    set_level(&silences, &space, json!("none")).await;
    let membership = Membership { role: Some(Role::Read), disabled: false };
    world.set_membership(leaves.user.as_ref().unwrap(), membership).await;
    assert_eq!(later(&world).await.len(), 5);
    let names: Vec<String> = world.mailbox.take().iter().map(|mail| mail.name.to_string()).collect();
    assert_eq!(names, ["gets"]);
    // Nothing of it is sent later.
    let membership = Membership { role: Some(Role::Comment), disabled: false };
    world.set_membership(leaves.user.as_ref().unwrap(), membership).await;
    comment(&world.ada, &space, "Again", &[&refuses]).await;
    assert_eq!(later(&world).await, []);
}

#[acceptance::test]
async fn a_request_for_a_review_that_was_withdrawn_or_fulfilled_is_not_sent(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let [withdrawn, reviews, waits] = [
        world.member("withdrawn", Some(Role::Review)).await,
        world.member("reviews", Some(Role::Review)).await,
        world.member("waits", Some(Role::Review)).await,
    ];
    let request = propose(&world.ada, &space, "Fix").await;
    let asked = format!("{request}/requested-reviewers");
    let users = json!({ "users": [withdrawn.id(), reviews.id(), waits.id()] });
    world.ada.post(&asked, users).await.ok();
    world.ada.delete(&format!("{asked}/{}", withdrawn.id())).await.expect(205);
    reviews.post(&format!("{request}/reviews"), json!({ "status": "approved" })).await.expect(201);
    let ran = later(&world).await;
    let mailing = ran.iter().filter(|(task, ran)| matches!((task, ran), (Task::MailThread { .. }, JobResult::Done)));
    assert_eq!(mailing.count(), 3, "{ran:?}");
    let names: Vec<String> = world.mailbox.take().iter().map(|mail| mail.name.to_string()).collect();
    assert_eq!(names, ["waits"]);
    // A new request is sent.
    world.ada.post(&asked, json!({ "users": [withdrawn.id()] })).await.ok();
    later(&world).await;
    assert_eq!(world.mailbox.take().len(), 1);
}

#[acceptance::test]
async fn an_address_that_is_not_verified_gets_no_email(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let new = NewUser {
        email: "eve@example.org".parse().unwrap(),
        display_name: "eve".parse().unwrap(),
        email_verified: false,
    };
    let joins = Some((world.organization.clone(), Some(Role::Comment)));
    let eve = world.services.accounts.create_user(&Actor::Operator, new, joins).await.unwrap().id;
    let token = domain::token::NewToken::unlimited("test".parse().unwrap());
    let eve = world.with_new_token(&eve, token).await;
    let settings = eve.get("/user/notification-settings").await.ok();
    assert_eq!([&settings["email"], &settings["emailVerified"], &settings["emailAvailable"]], [true, false, true]);
    comment(&world.ada, &space, "Why?", &[&eve]).await;
    later(&world).await;
    assert_eq!(world.mailbox.take(), []);
}

#[acceptance::test]
async fn a_mail_server_that_is_away_gets_the_email_when_it_is_back(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    world.mailbox.respond(Response::Away);
    let thread = comment(&world.ada, &space, "One", &[&bob]).await;
    let ran = later(&world).await;
    assert!(
        matches!(&ran[..], [(Task::MailThread { .. }, JobResult::Failed(reason))] if reason.contains("no route")),
        "{ran:?}"
    );
    reply(&world.ada, &thread, "Two", &[]).await;
    world.mailbox.respond(Response::Accepts);
    world.pass(TimeDelta::hours(1)).await;
    let mails = world.mailbox.take();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].text.contains("One") && mails[0].text.contains("Two"), "{}", mails[0].text);

    // After the last attempt, a new notification starts again.
    world.mailbox.respond(Response::Away);
    reply(&world.ada, &thread, "Three", &[]).await;
    world.pass(TimeDelta::days(4)).await;
    let jobs = world.jobs.list(true, domain::paging::PageRequest::default().into()).await.unwrap();
    assert_eq!(jobs.items[0].0.attempts, MAX_ATTEMPTS);
    world.mailbox.respond(Response::Accepts);
    reply(&world.ada, &thread, "Four", &[]).await;
    later(&world).await;
    let mails = world.mailbox.take();
    assert!(mails[0].text.contains("Three") && mails[0].text.contains("Four"), "{mails:?}");
}

#[acceptance::test]
async fn a_refused_recipient_is_not_retried_and_keeps_the_inbox(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    world.mailbox.respond(Response::Refuses);
    comment(&world.ada, &space, "Why?", &[&bob]).await;
    assert!(matches!(&later(&world).await[..], [(_, JobResult::Done)]));
    world.mailbox.respond(Response::Accepts);
    world.pass(TimeDelta::days(1)).await;
    assert_eq!(world.mailbox.take(), []);
    assert_eq!(bob.get("/user/notifications").await.ok()["count"], 1);
}

#[acceptance::test]
async fn an_interrupted_job_sends_the_same_email_again(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    comment(&world.ada, &space, "Why?", &[&bob]).await;
    world.clock.advance(MAIL_DELAY);
    let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
    world.jobs.perform(&claim, &task).await.unwrap();
    let first = world.mailbox.take();
    // The server stopped before it could store that the e-mail was sent.
    let sql = "UPDATE notifications SET to_mail = TRUE";
    let database = world.database();
    match database.url().starts_with("postgres") {
        true => database.run(sql).await,
        false => acceptance::dump::run_on_file(database.url(), sql),
    }
    let mut tx = world.services.store.write().await.unwrap();
    let now = world.services.clock.now();
    let job = domain::job::Job::new(world.services.ids.make(), task, now, now);
    tx.jobs().add_missing(&[job]).await.unwrap();
    tx.commit().await.unwrap();
    world.work().await;
    assert_eq!((first.len(), world.mailbox.take()), (1, first));
}

#[acceptance::test]
async fn an_email_marks_the_notifications_that_it_shows_and_no_other(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    comment(&world.ada, &space, "Why?", &[&bob]).await;
    let (store, ids) = (world.services.store.clone(), world.services.ids.clone());
    let shown = store.read().await.unwrap().notifications().oldest(None, 1).await.unwrap().remove(0);
    let late = Notification { id: ids.make(), excerpt: "Late".into(), ..shown };
    let arrives = {
        let store = store.clone();
        async move {
            let mut tx = store.write().await.unwrap();
            tx.notifications().insert(&[late]).await.unwrap();
            tx.commit().await.unwrap();
        }
    };
    world.clock.advance(MAIL_DELAY);
    let (claim, task) = world.jobs.claim().await.unwrap().unwrap();
    // The first unit of work that writes marks what was sent.
    let ran = world.jobs_on(Interleaved::new(store, arrives)).perform(&claim, &task).await.unwrap();
    assert!(matches!(ran, JobResult::Later(_)), "{ran:?}");
    later(&world).await;
    let [first, second] = world.mailbox.take().try_into().unwrap_or_else(|all| panic!("{all:?}"));
    assert!(first.text.contains("Why?") && !first.text.contains("Late"), "{}", first.text);
    assert!(second.text.contains("Late") && !second.text.contains("Why?"), "{}", second.text);
    assert_eq!(later(&world).await, []);
}

#[acceptance::test]
async fn what_does_not_fit_into_an_email_is_in_the_next_one(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let thread = comment(&bob, &space, "Why?", &[]).await;
    for number in 0..51 {
        reply(&world.ada, &thread, &format!("Reply {number}."), &[]).await;
    }
    assert!(matches!(&later(&world).await[..], [(Task::MailThread { .. }, JobResult::Later(_))]));
    assert!(matches!(&later(&world).await[..], [(Task::MailThread { .. }, JobResult::Done)]));
    let mails = world.mailbox.take();
    assert!(mails[0].text.contains("Reply 49.") && !mails[0].text.contains("Reply 50."), "{}", mails[0].text);
    assert!(mails[1].text.contains("Reply 50.") && !mails[1].text.contains("Reply 49."), "{}", mails[1].text);
    assert_eq!(mails.len(), 2);
}

#[acceptance::test]
async fn settings_are_the_callers_own_and_recorded(world: World) {
    let bob = world.member("bob", Some(Role::Read)).await;
    let path = "/user/notification-settings";
    let settings = bob.get(path).await.ok();
    assert_eq!([&settings["email"], &settings["emailVerified"], &settings["emailAvailable"]], [true, true, true]);
    assert_eq!(settings["urls"]["location"], "https://docs.test/v1/user/notification-settings");
    let changed = bob.patch(path, json!({ "email": false })).await.ok();
    assert_eq!(changed["email"], false);
    assert_eq!(bob.get(path).await.ok(), changed);
    assert_eq!(world.ada.get(path).await.ok()["email"], true);
    bob.patch(path, json!({})).await.error(400);
    let events = world.dump().await["events"].concat();
    assert!(events.contains("notification_settings_updated"), "{events}");
}

#[actix_web::test]
async fn a_server_without_a_mail_server_reports_it_and_adds_no_jobs() {
    let world = World::without_mail(Backend::Sqlite).await.unwrap();
    let bob = world.member("bob", Some(Role::Comment)).await;
    assert_eq!(bob.get("/user/notification-settings").await.ok()["emailAvailable"], false);
    let space = format!("/spaces/{}", world.space(json!({})).await);
    comment(&world.ada, &space, "Why?", &[&bob]).await;
    assert_eq!(world.dump().await["jobs"].len(), 0);
    assert_eq!(bob.get("/user/notifications").await.ok()["count"], 1);
}
