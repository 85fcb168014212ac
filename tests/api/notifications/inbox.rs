//! The inbox of a caller, and the settings of spaces.
use super::super::change_requests::propose;
use super::{comment, mentioning, news, reply, set_level};
use acceptance::dump::run_on_file;
use acceptance::{Caller, Editor, Fields, Fixture, Interleaved, World};
use actix_web::http::Method;
use chrono::{DurationRound, TimeDelta};
use domain::access::{Membership, Role};
use domain::id::{NotificationId, OrganizationId};
use domain::job::Task;
use domain::member::Member;
use domain::notification::Notification;
use serde_json::{Value, json};

async fn inbox(caller: &Caller, query: &str) -> (Value, Vec<Value>) {
    let list = caller.get(&format!("/user/notifications{query}")).await.ok();
    (list["count"].clone(), list.list("items").to_vec())
}

#[acceptance::test]
async fn a_notification_has_the_actor_the_action_and_the_place(world: World) {
    let space = world.space(json!({})).await;
    let path = format!("/spaces/{space}");
    let bob = world.member("bob", Some(Role::Comment)).await;
    let thread = comment(&world.ada, &path, "Why  not", &[&bob]).await;
    let answer = reply(&world.ada, &thread, "Because", &[&bob]).await;
    let (count, items) = inbox(&bob, "").await;
    assert_eq!((count, items.len()), (json!(2), 2));
    let [newest, oldest] = [&items[0], &items[1]];
    assert_eq!((newest.text("object"), newest.text("kind")), ("notification", "mention"));
    assert_eq!((newest.text("space"), newest.text("organization")), (space.as_str(), world.organization.as_str()));
    assert_eq!((newest.text("reply"), oldest.get("reply")), (answer.id(), None));
    assert!(thread.ends_with(newest.text("comment")) && newest.get("changeRequest").is_none());
    assert_eq!(newest["actor"].id(), world.ada.id());
    assert!(oldest.text("excerpt").starts_with("Why not"), "{oldest}");
    let url = |path: &str| format!("https://docs.test/v1{path}");
    assert_eq!(newest["urls"].text("target"), url(&format!("{thread}/replies/{}", answer.id())));
    assert_eq!(oldest["urls"].text("target"), url(&thread));
    let location = newest["urls"].text("location").strip_prefix("https://docs.test/v1").unwrap();
    assert_eq!(bob.get(location).await.ok(), *newest);
    world.ada.get(location).await.error(404);
}

#[acceptance::test]
async fn guests_see_no_address_of_the_actor(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let gus = world.member("gus", None).await;
    let grant = json!({ "role": "comment", "users": [gus.id()] });
    world.ada.post(&format!("{space}/permissions"), grant).await.expect(204);
    comment(&world.ada, &space, "Why?", &[&gus]).await;
    let (_, items) = inbox(&gus, "").await;
    assert!(items[0]["actor"]["displayName"].is_string() && items[0]["actor"].get("email").is_none(), "{items:?}");
}

#[acceptance::test]
async fn notifications_are_marked_as_read_and_unread(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    for text in ["one", "two", "three"] {
        comment(&world.ada, &space, text, &[&bob]).await;
    }
    let (_, items) = inbox(&bob, "").await;
    let path = |at: usize| format!("/user/notifications/{}", items[at].id());
    let read = bob.patch(&path(1), json!({ "read": true })).await.ok();
    assert!(read["readAt"].is_string(), "{read}");
    world.clock.advance(TimeDelta::hours(1));
    assert_eq!(bob.patch(&path(1), json!({ "read": true })).await.ok(), read, "it keeps its time");
    assert_eq!(inbox(&bob, "?read=true").await, (json!(1), vec![read]));
    assert_eq!(inbox(&bob, "?read=false").await.0, 2);
    assert_eq!(inbox(&bob, "").await.0, 3);
    bob.post("/user/notifications/read", json!({ "until": items[1].id() })).await.expect(204);
    let (count, unread) = inbox(&bob, "?read=false").await;
    assert_eq!((count, unread[0].id()), (json!(1), items[0].id()));
    let unread = bob.patch(&path(2), json!({ "read": false })).await.ok();
    assert!(unread.get("readAt").is_none());
    bob.post("/user/notifications/read", json!({})).await.expect(204);
    assert_eq!(inbox(&bob, "?read=false").await.0, 0);
    bob.patch(&path(2), json!({ "read": false })).await.ok();
    bob.send(Method::POST, "/user/notifications/read", |request| request).await.expect(204);
    assert_eq!(inbox(&bob, "?read=false").await.0, 0, "a body is not required");
    bob.patch(&path(0), json!({})).await.error(400);
    world.ada.patch(&path(0), json!({ "read": false })).await.error(404);
    bob.post("/user/notifications/read", json!({ "until": "a/b" })).await.error(400);
}

#[acceptance::test]
async fn reading_until_a_notification_that_the_caller_does_not_have_is_refused(world: World) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let (bob, cora) = (world.member("bob", Some(Role::Comment)).await, world.member("cora", Some(Role::Comment)).await);
    comment(&world.ada, &space, "Why?", &[&bob, &cora]).await;
    let gone = comment(&world.ada, &space, "Soon gone", &[&bob]).await;
    let deleted = inbox(&bob, "").await.1[0].id().to_owned();
    world.ada.delete(&gone).await.expect(205);
    let foreign = inbox(&cora, "").await.1[0].id().to_owned();
    for until in [foreign.as_str(), deleted.as_str(), "zzzz"] {
        let message = bob.post("/user/notifications/read", json!({ "until": until })).await.error(400);
        assert!(message.starts_with("until: must be a notification of the caller"), "{message}");
    }
    assert_eq!(inbox(&bob, "?read=false").await.0, 1, "nothing is marked");
}

#[acceptance::test]
async fn withdrawn_access_hides_notifications_and_the_count_agrees(world: World) {
    let hidden = format!("/spaces/{}", world.space(json!({})).await);
    let open = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    for space in [&hidden, &open, &hidden] {
        comment(&world.ada, space, "Why?", &[&bob]).await;
    }
    let (count, items) = inbox(&bob, "").await;
    assert_eq!((count, items.len()), (json!(3), 3));
    let of_hidden = format!("/user/notifications/{}", items[0].id());
    let only_open = async || {
        let (count, items) = inbox(&bob, "").await;
        assert_eq!((count, items.len()), (json!(1), 1));
        bob.get(&of_hidden).await.error(404);
        bob.patch(&of_hidden, json!({ "read": true })).await.error(404);
    };
    world.ada.patch(&hidden, json!({ "defaultLevel": "read" })).await.ok();
    only_open().await;
    world.ada.patch(&hidden, json!({ "defaultLevel": "comment" })).await.ok();
    assert_eq!(inbox(&bob, "").await.0, 3);
    world.ada.delete(&hidden).await.expect(205);
    only_open().await;
    let disabled = Membership { role: Some(Role::Comment), disabled: true };
    world.set_membership(bob.user.as_ref().unwrap(), disabled).await;
    assert_eq!(inbox(&bob, "").await, (json!(0), vec![]));
}

#[acceptance::test]
async fn the_inbox_takes_as_many_statements_in_many_organizations_as_in_a_few(world: World) {
    let bob = world.member("bob", Some(Role::Comment)).await;
    let user = bob.user.clone().unwrap();
    let (mut all, mut sees_email) = (Vec::new(), Vec::new());
    for number in 1..=5 {
        // Members see the email addresses of other members, and guests do not.
        let role = (number % 2 == 1).then_some(Role::Comment);
        let title = json!({ "title": format!("Organization {number}") });
        let organization: OrganizationId = world.ada.post("/orgs", title).await.id().parse().unwrap();
        let mut tx = world.services.store.write().await.unwrap();
        tx.lock(&[(&organization).into()]).await.unwrap();
        let member = Member::new(organization.clone(), user.clone(), role, world.services.clock.now());
        tx.members().save(&member).await.unwrap();
        tx.commit().await.unwrap();
        let space = world.ada.post(&format!("/orgs/{organization}/spaces"), json!({})).await.id();
        let grant = json!({ "role": "comment", "users": [bob.id()] });
        world.ada.post(&format!("/spaces/{space}/permissions"), grant).await.expect(204);
        comment(&world.ada, &format!("/spaces/{space}"), "Why?", &[&bob]).await;
        sees_email.insert(0, role.is_some());
        let ((count, items), statements) = world.counted(inbox(&bob, "")).await;
        assert_eq!((count, items[0].text("organization")), (json!(number), organization.as_str()));
        let emails: Vec<bool> = items.iter().map(|item| item["actor"].get("email").is_some()).collect();
        assert_eq!(emails, sees_email);
        all.push(statements);
    }
    assert_eq!(all[1], all[4], "{all:?}");
}

#[acceptance::test]
async fn marking_all_as_read_leaves_out_what_the_caller_may_not_see(world: World) {
    let hidden = format!("/spaces/{}", world.space(json!({})).await);
    let open = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    for until in [false, true] {
        comment(&world.ada, &hidden, "Hidden", &[&bob]).await;
        comment(&world.ada, &open, "Open", &[&bob]).await;
        world.ada.patch(&hidden, json!({ "defaultLevel": "read" })).await.ok();
        let (count, items) = inbox(&bob, "?read=false").await;
        assert_eq!(count, 1);
        let body = if until { json!({ "until": items[0].id() }) } else { json!({}) };
        bob.post("/user/notifications/read", body).await.expect(204);
        assert_eq!(inbox(&bob, "?read=false").await.0, 0);
        world.ada.patch(&hidden, json!({ "defaultLevel": "comment" })).await.ok();
        let (count, items) = inbox(&bob, "?read=false").await;
        assert_eq!((count, items[0].text("excerpt")), (json!(1), "Hidden@bob"));
        bob.post("/user/notifications/read", json!({})).await.expect(204);
    }
}

#[acceptance::test]
async fn marking_all_as_read_looks_at_the_access_of_the_caller_before_it_writes(world: World) {
    let space = world.space(json!({})).await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    comment(&world.ada, &format!("/spaces/{space}"), "Why?", &[&bob]).await;
    let actor = Editor::of(&world, &bob, &space).await.actor;
    let all = None::<NotificationId>;
    let stopped = Interleaved::new(world.services.store.clone(), std::future::pending());
    let mut notifications = world.services.notifications.clone();
    notifications.units = notifications.units.on(stopped.clone());
    let reads = stopped.ends_before_event(notifications.read_all(&actor, all.clone().into()));
    let (ended, reads) = world.counted(reads).await;
    assert!(!ended && inbox(&bob, "?read=false").await.0 == 1);
    let (marked, statements) = world.counted(world.services.notifications.read_all(&actor, all.into())).await;
    marked.unwrap();
    assert_eq!(inbox(&bob, "?read=false").await.0, 0);
    // The token and the notifications. PostgreSQL also locks the user.
    assert!(statements - reads <= 3, "{statements} statements, {reads} of them before it writes");
}

#[acceptance::test]
async fn a_purged_space_takes_its_notifications_with_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let (bob, path) = (world.member("bob", Some(Role::Review)).await, format!("/spaces/{space}"));
    comment(&world.ada, &path, "Why?", &[&bob]).await;
    let request = propose(&world.ada, &space, "Fix").await;
    world.ada.post(&format!("{request}/requested-reviewers"), json!({ "users": [bob.id()] })).await.ok();
    set_level(&bob, &path, json!("all")).await;
    assert_eq!(inbox(&bob, "").await.0, 2);
    world.ada.delete(&path).await.expect(205);
    world.pass(TimeDelta::days(9)).await;
    world.ada.get(&path).await.error(404);
    let dump = world.dump().await;
    assert_eq!((dump["notifications"].len(), dump["notification_levels"].len()), (0, 0));
}

#[acceptance::test]
async fn a_level_has_a_source_and_is_the_callers_own(world: World) {
    let space = format!("/spaces/{}/notification-settings", world.space(json!({})).await);
    let level = |level: &str, source: &str| (json!(level), json!(source));
    let current = async |caller: &Caller| {
        let settings = caller.get(&space).await.ok();
        (settings["level"].clone(), settings["source"].clone())
    };
    let bob = world.member("bob", Some(Role::Read)).await;
    assert_eq!(current(&bob).await, level("participating", "default"));
    for word in ["all", "participating", "none"] {
        let set = bob.put(&space, json!({ "level": word })).await.ok();
        assert_eq!((set["level"].clone(), set["source"].clone()), level(word, "space"));
        assert_eq!(current(&bob).await, level(word, "space"));
    }
    assert_eq!(current(&world.ada).await, level("participating", "default"));
    bob.put(&space, json!({ "level": null })).await.ok();
    assert_eq!(current(&bob).await, level("participating", "default"));
    assert!(bob.put(&space, json!({})).await.error(400).starts_with("level:"));
    bob.put(&space, json!({ "level": "loud" })).await.error(400);
    let events = world.ada.get(&world.org("/audit-events?action=notification_level_updated")).await.ok();
    assert_eq!(events["count"], 4);
}

/// Makes every insert into a table fail.
async fn break_table(world: &World, table: &str) {
    let database = world.database();
    match database.url().starts_with("postgres") {
        true => {
            let function = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '58030'; END $$";
            let trigger = format!("CREATE TRIGGER fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail()");
            database.run(&format!("{function}; {trigger}")).await;
        }
        false => {
            let trigger =
                format!("CREATE TRIGGER fail BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'broken'); END");
            run_on_file(database.url(), &trigger);
        }
    }
}

#[acceptance::test]
#[case::without_the_notification("notifications")]
#[case::without_the_event("events")]
async fn a_comment_and_its_notifications_are_stored_together_or_not_at_all(world: World, #[case] table: &str) {
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    let thread = comment(&world.ada, &space, "Why?", &[&bob]).await;
    break_table(&world, table).await;
    let before = world.dump().await;
    for path in [format!("{space}/comments"), format!("{thread}/replies")] {
        let body = json!({ "body": mentioning("Again", &[&bob]) });
        assert!(world.ada.post(&path, body).await.status.is_server_error());
    }
    assert!(world.dump().await == before);
    assert_eq!(news(&bob).await, ["mention"]);
}

#[acceptance::test]
async fn notifications_are_removed_90_days_after_they_were_read_or_after_a_year(world: World) {
    /// More than one step of the job removes.
    const COPIES: usize = 600;
    // The job runs once a day, and what follows takes ten hours of a day.
    let now = domain::ports::Clock::now(&*world.clock);
    world.clock.advance((now + TimeDelta::days(1)).duration_trunc(TimeDelta::days(1)).unwrap() - now);
    let space = format!("/spaces/{}", world.space(json!({})).await);
    let bob = world.member("bob", Some(Role::Comment)).await;
    for text in ["read", "unread"] {
        comment(&world.ada, &space, text, &[&bob]).await;
    }
    let (_, items) = inbox(&bob, "").await;
    bob.patch(&format!("/user/notifications/{}", items[1].id()), json!({ "read": true })).await.ok();
    let mut tx = world.services.store.write().await.unwrap();
    let read = tx.notifications().oldest(None, 1).await.unwrap().remove(0);
    assert!(read.read_at.is_some());
    let copies: Vec<Notification> =
        (0..COPIES).map(|_| Notification { id: world.services.ids.make(), ..read.clone() }).collect();
    tx.notifications().insert(&copies).await.unwrap();
    tx.commit().await.unwrap();
    world.work().await;
    let later = async |days: i64| {
        world.clock.advance(TimeDelta::days(days));
        // The clock is trusted after an hour.
        let ran = world.pass(TimeDelta::hours(2)).await;
        let removals = ran.iter().filter(|(task, _)| *task == Task::RemoveNotifications).count();
        (removals, inbox(&bob, "").await.0)
    };
    assert_eq!(later(89).await, (0, json!(COPIES + 2)), "nothing is old enough");
    assert_eq!(later(1).await, (1, json!(1)));
    assert_eq!(inbox(&bob, "").await.1[0].id(), items[0].id());
    assert_eq!(later(274).await, (1, json!(1)));
    assert_eq!(later(1).await, (1, json!(0)));
    assert_eq!(later(1).await, (0, json!(0)), "nothing is left to look at");
}
