//! Feedback on pages of sites.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::id::{PageId, SiteId, SpaceId};
use domain::paging::{Order, PageRequest};
use domain::ports::store::site_feedback::{FeedbackFilter, FeedbackTally};
use domain::ports::{Store, StoreError, StoreResult};
use domain::site::feedback::{FeedbackRating, SiteFeedback};
use domain::site::structure::Structure;
use domain::site::{NewSite, Site};
use rstest::rstest;
use tokio::time::timeout;

/// An organization with the sites `a` and `b`, and the spaces `s` and `t`: both are on `a` as `as` and `at`.
const ROWS: [&str; 5] = [
    "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
     VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')",
    "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, position, \
     revision_id, change_requests, change_requests_open, change_requests_draft, created_at, updated_at) \
     SELECT space.id, 'o', '', '', 'private', 'live', 'inherit', '[]', space.id, 'r', 0, 0, 0, \
     organizations.created_at, organizations.created_at \
     FROM organizations, (SELECT 's' AS id UNION ALL SELECT 't') AS space",
    "INSERT INTO sites (id, organization_id, kind, title, basename, visibility, default_level, adaptive_content, \
     agents_context, version, created_at, updated_at) \
     SELECT site.id, 'o', 'basic', '', site.id, 'public', 'inherit', false, 'included', 1, organizations.created_at, \
     organizations.created_at FROM organizations, (SELECT 'a' AS id UNION ALL SELECT 'b') AS site",
    "INSERT INTO site_items (id, site_id, kind, position, space_id, settings) \
     VALUES ('as', 'a', 'site-space', 0, 's', '{}')",
    "INSERT INTO site_items (id, site_id, kind, position, space_id, settings) \
     VALUES ('at', 'a', 'site-space', 1, 't', '{}')",
];

async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    for sql in ROWS {
        conn.run(diesel::sql_query(sql)).await.expect(sql);
    }
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn site(id: &str) -> SiteId {
    id.parse().unwrap()
}

/// Feedback on a page of a space of the site `a`.
fn feedback(id: &str, space: &str, page: &str, rating: FeedbackRating) -> SiteFeedback {
    SiteFeedback {
        id: id.parse().unwrap(),
        site: site("a"),
        site_space: Some(format!("a{space}").parse().unwrap()),
        space: space.parse().unwrap(),
        page: page.parse().unwrap(),
        rating,
        comment: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

#[rstest]
#[tokio::test]
async fn the_oldest_feedback_of_a_site_is_replaced(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let all = ["1", "2", "3", "4"].map(|id| feedback(id, "s", "p", FeedbackRating::Ok));
    add(&store, &all).await;
    for (most, left) in [(9, 4), (4, 4), (2, 2), (0, 0)] {
        let mut tx = store.write().await.unwrap();
        tx.site_feedback().trim(&site("b"), 0).await.unwrap();
        tx.site_feedback().trim(&site("a"), most).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = store.read().await.unwrap();
        let newest = PageRequest { order: Order::Desc, ..PageRequest::default() };
        let found = tx.site_feedback().list(&site("a"), None, &FeedbackFilter::default(), &newest).await.unwrap();
        let ids: Vec<&str> = found.items.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["4", "3", "2", "1"][..left], "{most}");
    }
}

#[rstest]
#[tokio::test]
async fn the_newest_feedback_of_a_site_has_a_time(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let at = |seconds| DateTime::from_timestamp(seconds, 5000).unwrap();
    let all = [("1", 60), ("2", 120)]
        .map(|(id, time)| SiteFeedback { created_at: at(time), ..feedback(id, "s", "p", FeedbackRating::Ok) });
    add(&store, &all).await;
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.site_feedback().newest(&site("a")).await.unwrap(), Some(at(120)));
    assert_eq!(tx.site_feedback().newest(&site("b")).await.unwrap(), None);
}

/// Stores feedback on the site `a`.
async fn add(store: &DieselStore, all: &[SiteFeedback]) {
    let mut tx = store.write().await.unwrap();
    for one in all {
        tx.site_feedback().add(one).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn feedback_is_found_on_its_site_and_removed_under_the_lock_of_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let comment = "Line\n</textarea><script>alert('é')</script> \u{202e}\u{1f600}".parse().ok();
    let one = SiteFeedback { comment, ..feedback("1", "s", "p", FeedbackRating::Bad) };
    add(&store, std::slice::from_ref(&one)).await;
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.site_feedback().find(&site("a"), &one.id).await.unwrap(), Some(one.clone()));
    assert_eq!(tx.site_feedback().find(&site("b"), &one.id).await.unwrap(), None);
    assert!(tx.site_feedback().remove(&site("a"), &one.id).await.is_err(), "the site is not locked");
    drop(tx);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&site("a")).into(), (&site("b")).into()]).await.unwrap();
    tx.site_feedback().remove(&site("b"), &one.id).await.unwrap();
    assert!(tx.site_feedback().find(&site("a"), &one.id).await.unwrap().is_some(), "it is of another site");
    tx.site_feedback().remove(&site("a"), &one.id).await.unwrap();
    assert_eq!(tx.site_feedback().find(&site("a"), &one.id).await.unwrap(), None);
    tx.commit().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn feedback_is_filtered_counted_and_read_a_page_at_a_time(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let all = [
        feedback("1", "s", "p", FeedbackRating::Good),
        feedback("2", "s", "p", FeedbackRating::Bad),
        feedback("3", "s", "q", FeedbackRating::Good),
        feedback("4", "t", "p", FeedbackRating::Good),
        feedback("5", "t", "p", FeedbackRating::Ok),
    ];
    add(&store, &all).await;
    let mut tx = store.read().await.unwrap();
    let newest = PageRequest { order: Order::Desc, ..PageRequest::default() };
    let (page, other): (PageId, SpaceId) = ("p".parse().unwrap(), "t".parse().unwrap());
    let good = Some(FeedbackRating::Good);
    let on_page = FeedbackFilter { page: Some(page.clone()), rating: None };
    let both = FeedbackFilter { page: Some(page.clone()), rating: good };
    let none: &[SpaceId] = &[];
    for (spaces, filter, expected) in [
        (None, FeedbackFilter::default(), "5 4 3 2 1"),
        (None, FeedbackFilter { rating: good, page: None }, "4 3 1"),
        (None, on_page, "5 4 2 1"),
        (None, both.clone(), "4 1"),
        (Some(std::slice::from_ref(&other)), both, "4"),
        (Some(none), FeedbackFilter::default(), ""),
    ] {
        let found = tx.site_feedback().list(&site("a"), spaces, &filter, &newest).await.unwrap();
        let ids: Vec<&str> = found.items.iter().map(|one| one.id.as_str()).collect();
        assert_eq!((ids.join(" ").as_str(), found.total), (expected, ids.len()), "{filter:?}");
    }
    let two = PageRequest { limit: 2, ..newest };
    let first = tx.site_feedback().list(&site("a"), None, &FeedbackFilter::default(), &two).await.unwrap();
    assert_eq!((first.total, first.next.as_deref()), (5, Some("4")));
    let rest = PageRequest { after: first.next, ..two };
    let second = tx.site_feedback().list(&site("a"), None, &FeedbackFilter::default(), &rest).await.unwrap();
    assert_eq!(second.items, [all[2].clone(), all[1].clone()]);
    assert!(
        tx.site_feedback().list(&site("b"), None, &FeedbackFilter::default(), &rest).await.unwrap().items.is_empty()
    );

    let mut tally = tx.site_feedback().tally(&site("a"), Some(&page)).await.unwrap();
    tally.sort_by_key(|one| (one.space.clone(), one.rating.as_str()));
    let count = |space: &str, rating| FeedbackTally { space: space.parse().unwrap(), rating, count: 1 };
    let [bad, good, ok] = [FeedbackRating::Bad, FeedbackRating::Good, FeedbackRating::Ok];
    assert_eq!(tally, [count("s", bad), count("s", good), count("t", good), count("t", ok)]);
    let whole = tx.site_feedback().tally(&site("a"), None).await.unwrap();
    assert!(whole.contains(&FeedbackTally { count: 2, ..count("s", good) }) && whole.len() == 4, "{whole:?}");
    assert_eq!(tx.site_feedback().tally(&site("b"), None).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn feedback_is_removed_with_its_space_or_site_but_not_by_unlinking(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    add(&store, &[feedback("1", "s", "p", FeedbackRating::Ok), feedback("2", "t", "p", FeedbackRating::Ok)]).await;
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&site("a")).into()]).await.unwrap();
    tx.sites().save_structure(&site("a"), &Structure::default()).await.unwrap();
    tx.commit().await.unwrap();
    let left = async || {
        let mut tx = store.read().await.unwrap();
        let (site, all, page) = (site("a"), FeedbackFilter::default(), PageRequest::default());
        tx.site_feedback().list(&site, None, &all, &page).await.unwrap().items
    };
    let gone = |one: SiteFeedback| SiteFeedback { site_space: None, ..one };
    let second = gone(feedback("2", "t", "p", FeedbackRating::Ok));
    assert_eq!(left().await, [gone(feedback("1", "s", "p", FeedbackRating::Ok)), second.clone()]);
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query("DELETE FROM spaces WHERE id = 's'")).await.unwrap();
    conn.commit().await.unwrap();
    assert_eq!(left().await, [second]);
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&site("a")).into()]).await.unwrap();
    tx.sites().remove(&site("a")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(left().await, []);
}

/// The ids of the feedback on the site `a`.
async fn ids(store: &DieselStore) -> Vec<String> {
    let mut tx = store.read().await.unwrap();
    let found = tx.site_feedback().list(&site("a"), None, &FeedbackFilter::default(), &PageRequest::default()).await;
    found.unwrap().items.iter().map(|one| one.id.to_string()).collect()
}

/// The site `a` with another title, offline.
fn plain() -> Site {
    let (id, organization, basename) = (site("a"), "o".parse().unwrap(), "a".parse().unwrap());
    Site::new(id, organization, basename, &NewSite::default(), DateTime::UNIX_EPOCH)
}

fn is_refused(added: &StoreResult<()>) -> bool {
    matches!(added, Err(StoreError::Conflict(name)) if name == "page")
}

#[rstest]
#[tokio::test]
async fn only_a_published_site_shows_its_spaces(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&site("a")).into()]).await.unwrap();
    let mut changed = plain();
    for (published, of, id, expected) in [
        (false, "a", "as", None),
        (true, "a", "as", Some("s")),
        (true, "a", "at", Some("t")),
        (true, "a", "s", None),
        (true, "b", "as", None),
        (false, "a", "as", None),
    ] {
        changed.published_at = published.then_some(DateTime::UNIX_EPOCH);
        tx.sites().save(&changed).await.unwrap();
        let shown = tx.sites().published_space(&site(of), &id.parse().unwrap()).await.unwrap();
        assert_eq!(shown.as_ref().map(SpaceId::as_str), expected, "{published} {of} {id}");
    }
}

#[rstest]
#[tokio::test]
async fn the_published_sites_of_an_organization_are_found_with_their_spaces(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    for sql in [
        "INSERT INTO site_items (id, site_id, kind, position, space_id, settings) \
         VALUES ('bt', 'b', 'site-space', 0, 't', '{}')",
        "UPDATE site_items SET settings = '{\"path\": \"x\"}'",
        "UPDATE sites SET published_at = created_at",
    ] {
        conn.run(diesel::sql_query(sql)).await.expect(sql);
    }
    conn.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    // Each site with the number of its spaces.
    for (organization, expected) in [("o", "a2 b1"), ("p", "")] {
        let found = tx.sites().published_of(&organization.parse().unwrap()).await.unwrap();
        let found: Vec<String> =
            found.iter().map(|(site, structure)| format!("{}{}", site.site, structure.spaces().len())).collect();
        assert_eq!(found.join(" "), expected, "{organization}");
    }
}

#[rstest]
#[case::the_site("DELETE FROM sites WHERE id = 'a'")]
#[case::the_space_on_it("DELETE FROM site_items WHERE id = 'as'")]
#[case::the_space("DELETE FROM spaces WHERE id = 's'")]
#[tokio::test]
async fn feedback_is_refused_after_the_end_of(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] end: &'static str,
) {
    let Some((world, store)) = store(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query(end)).await.unwrap();
    conn.commit().await.unwrap();
    let mut tx = store.write().await.unwrap();
    let added = tx.site_feedback().add(&feedback("1", "s", "p", FeedbackRating::Ok)).await;
    assert!(is_refused(&added), "{added:?}");
}

/// On SQLite, there is one writer.
#[tokio::test]
async fn feedback_does_not_wait_for_a_change_of_its_site() {
    let Some((_world, store)) = store(Backend::Postgres).await else { return };
    let mut changing = store.write().await.unwrap();
    changing.lock(&[(&site("a")).into()]).await.unwrap();
    changing.sites().save(&plain()).await.unwrap();
    let all = ["1", "2"].map(|id| feedback(id, "s", "p", FeedbackRating::Ok));
    timeout(HANG, add(&store, &all)).await.expect("the site is changed, but stays");
    // Nor does a change of the site wait for feedback.
    let mut sending = store.write().await.unwrap();
    sending.site_feedback().add(&feedback("3", "s", "p", FeedbackRating::Ok)).await.unwrap();
    let again = timeout(HANG, changing.sites().save(&plain())).await.expect("feedback keeps only the site");
    again.unwrap();
    changing.commit().await.unwrap();
    sending.commit().await.unwrap();
    assert_eq!(ids(&store).await, ["1", "2", "3"]);
}

/// On SQLite, there is one writer.
#[rstest]
#[case::is_committed(true)]
#[case::is_rolled_back(false)]
#[tokio::test]
async fn feedback_waits_for_the_removal_of_its_site_until_it(#[case] commits: bool) {
    let Some((world, store)) = store(Backend::Postgres).await else { return };
    let mut removing = store.write().await.unwrap();
    removing.lock(&[(&site("a")).into()]).await.unwrap();
    removing.sites().remove(&site("a")).await.unwrap();
    assert!(removing.sites().structure(&site("a")).await.unwrap().space_ids().is_empty());
    let mut tx = store.write().await.unwrap();
    let one = feedback("1", "s", "p", FeedbackRating::Ok);
    let end = async {
        world.place.wait_for_blocked_statement().await;
        if commits {
            removing.commit().await.unwrap();
        } else {
            drop(removing);
        }
    };
    let (added, ()) = tokio::join!(tx.site_feedback().add(&one), end);
    assert_eq!(is_refused(&added), commits, "{added:?}");
    assert_eq!(added.is_ok(), !commits, "{added:?}");
}

/// On SQLite, there is one writer.
#[tokio::test]
async fn feedback_that_another_unit_of_work_removes_is_left_when_the_oldest_is_removed() {
    let Some((_world, store)) = store(Backend::Postgres).await else { return };
    add(&store, &["1", "2", "3"].map(|id| feedback(id, "s", "p", FeedbackRating::Ok))).await;
    let mut removing = store.write().await.unwrap();
    removing.lock(&[(&site("a")).into()]).await.unwrap();
    removing.site_feedback().remove(&site("a"), &"2".parse().unwrap()).await.unwrap();
    assert!(removing.site_feedback().find(&site("a"), &"2".parse().unwrap()).await.unwrap().is_none());
    let mut tx = store.write().await.unwrap();
    timeout(HANG, tx.site_feedback().trim(&site("a"), 0)).await.expect("it waits for nothing").unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ids(&store).await, ["2"]);
    removing.commit().await.unwrap();
    assert_eq!(ids(&store).await, Vec::<String>::new());
}
