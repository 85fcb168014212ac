//! Long lists: the number of database statements does not grow with the list.
use crate::conversations::Talks;
use acceptance::{Backend, Caller, Fields, Fixture, World};
use domain::access::Role;
use domain::comment::{Comment, Discussion};
use domain::conversation::IssueCluster;
use domain::id::{SiteId, SpaceId};
use domain::member::Member;
use domain::paging::PageRequest;
use domain::place::{Grantee, PlaceId};
use domain::site::structure::{Item, Section, SectionSettings, SiteSpace, SiteTitle, Structure};
use domain::space::{NewSpace, Space};
use domain::team::Team;
use domain::token::NewToken;
use domain::user::User;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MEMBERS: usize = 5_000;
const TEAMS: usize = 500;
const SPACES: usize = 2_000;
const COMMENTS: usize = 10_000;

/// Adds members and teams: ten members in every team, and a grant for every team and every tenth member. Returns the
/// space with the grants.
async fn crowd(world: &World) -> SpaceId {
    let (services, organization) = (&world.services, &world.organization);
    let granted = world.space(json!({"title": "Space"})).await;
    let place = PlaceId::Space(granted.clone());
    let now = services.clock.now();
    let mut tx = services.store.write().await.unwrap();
    tx.lock(&[organization.into(), (&place).into()]).await.unwrap();
    let mut users = Vec::with_capacity(MEMBERS);
    for number in 0..MEMBERS {
        let user = User {
            id: services.ids.make(),
            display_name: format!("Member {number}").parse().unwrap(),
            email: format!("member{number}@example.org").parse().unwrap(),
            email_verified: true,
            photo_url: None,
            created_at: now,
        };
        tx.users().save(&user).await.unwrap();
        let member = Member::new(organization.clone(), user.id.clone(), Some(Role::Read), now);
        tx.members().save(&Member { last_seen_at: Some(now), ..member }).await.unwrap();
        users.push(user.id);
    }
    let mut subjects: Vec<Grantee> = users.iter().step_by(10).cloned().map(Grantee::User).collect();
    for number in 0..TEAMS {
        let title = format!("Team {number}").parse().unwrap();
        let team = Team { id: services.ids.make(), organization: organization.clone(), title, created_at: now };
        tx.teams().save(&team).await.unwrap();
        let first = number * 10 % MEMBERS;
        tx.teams().add_members(&team.id, &users[first..first + 10], now).await.unwrap();
        subjects.push(Grantee::Team(team.id));
    }
    tx.grants().save(organization, &place.into(), &subjects, Some(Role::Read), now).await.unwrap();
    for number in 1..SPACES {
        let new = NewSpace { title: format!("Space {number}").parse().ok(), ..NewSpace::default() };
        let space = Space::new(services.ids.make(), organization.clone(), services.ids.make(), new, now);
        tx.spaces().save(&space).await.unwrap();
    }
    tx.commit().await.unwrap();
    // A server in use does so by itself. Before, PostgreSQL takes a hundred times as long: it plans for a few members.
    if world.database().url().starts_with("postgres") {
        world.database().run("ANALYZE").await;
    }
    granted
}

/// Reads with a new token, since the caller of a known token is cached, and counts the statements.
async fn counted(world: &World, caller: &Caller, path: &str) -> (Value, u64) {
    let new = NewToken::unlimited("another".parse().unwrap());
    let caller = world.with_new_token(caller.user.as_ref().unwrap(), new).await;
    let (answer, statements) = world.counted(caller.get(path)).await;
    (answer.ok(), statements)
}

/// Follows a list to its end, with `limit` items per page. Returns the items, the number of pages, and the maximum
/// number of statements per page.
async fn follow(world: &World, caller: &Caller, path: &str, limit: usize) -> (Vec<Value>, usize, u64) {
    let (mut items, mut pages, mut most, mut next) = (Vec::new(), 0, 0, String::new());
    loop {
        let path = format!("{path}limit={limit}{next}");
        let (page, statements) = counted(world, caller, &path).await;
        items.extend(page.list("items").to_vec());
        (pages, most) = (pages + 1, statements.max(most));
        match page["next"]["page"].as_str() {
            Some(token) => next = format!("&page={token}"),
            None => return (items, pages, most),
        }
    }
}

#[acceptance::test]
async fn long_lists_take_as_many_statements_as_short_ones(world: World) {
    let space = crowd(&world).await;
    let rita = world.member("rita", Some(Role::Read)).await;
    for (path, length, few) in [
        ("/members?", MEMBERS + 2, 10),
        ("/members?sort=name&", MEMBERS + 2, 10),
        ("/members?sort=lastSeenAt&", MEMBERS, 10),
        ("/members?search=member&", MEMBERS, 10),
        ("/teams?", TEAMS, 10),
        ("/teams?title=team&", TEAMS, 10),
        ("/spaces?", SPACES, 11),
    ] {
        for caller in [&world.ada, &rita] {
            let path = world.org(path);
            // Not 1: for more spaces than a page has by default, the numbers of comments are one more statement.
            let short = counted(&world, caller, &format!("{path}limit=200")).await.1;
            let (items, pages, most) = follow(&world, caller, &path, 1000).await;
            assert_eq!((items.len(), pages), (length, length.div_ceil(1000)), "{path}");
            assert!(most <= short, "{path}: a page of 1000 takes {most} statements, one of 200 takes {short}");
            assert!(most <= few, "{path}: {most} statements");
        }
    }
    // Everyone has a grant to read, but Rita, who inherits that, and Ada, who is an administrator.
    for (query, length) in [
        ("", MEMBERS + 2),
        ("sort=name&order=asc&", MEMBERS + 2),
        ("sort=lastSeenAt&", MEMBERS + 2),
        ("role=read&", MEMBERS + 1),
        ("search=member&", MEMBERS),
    ] {
        let path = format!("/spaces/{space}/permissions/aggregate?{query}");
        let one = counted(&world, &world.ada, &format!("{path}limit=1")).await.1;
        let (items, _, most) = follow(&world, &world.ada, &path, 1000).await;
        let ids: BTreeSet<&str> = items.iter().map(|item| item["user"].id()).collect();
        assert_eq!((items.len(), ids.len()), (length, length), "{path}");
        assert!(most <= one, "{path}: a page of 1000 takes {most} statements, one of 1 takes {one}");
        assert!(most <= 20, "{path}: {most} statements");
    }
    let (members, ..) = follow(&world, &world.ada, &world.org("/members?order=asc&"), 1000).await;
    let counts = |at: usize| (members[at]["spaces"].clone(), members[at]["teams"].clone());
    // The first is Ada. The next one has a grant of her own, and each is in one team with the same grant.
    assert_eq!([counts(0), counts(1), counts(2)], [(json!(0), json!(0)), (json!(1), json!(1)), (json!(1), json!(1))]);
    let (teams, ..) = follow(&world, &world.ada, &world.org("/teams?"), 1000).await;
    assert!(teams.iter().all(|team| (&team["members"], &team["spaces"]) == (&json!(10), &json!(1))));
    let team = teams[0].id();
    let add: Vec<&str> = members[1..1000].iter().map(|member| member.id()).collect();
    let (added, statements) =
        world.counted(world.ada.put(&world.org(&format!("/teams/{team}/members")), json!({"add": add}))).await;
    added.expect(204);
    assert!(statements < 20, "{statements}");
    let path = world.org(&format!("/teams/{team}/members?"));
    let one = counted(&world, &world.ada, &format!("{path}limit=1")).await.1;
    let (items, _, most) = follow(&world, &world.ada, &path, 1000).await;
    assert_eq!(items.len(), 999);
    assert!(most <= one, "{most} statements, {one} for a page of 1");
}

#[acceptance::test]
async fn another_page_of_a_version_is_read_without_opening_it_again_until_a_commit(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let mut pages = Vec::new();
    for path in ["install", "install/linux", "install/macos"] {
        pages.push(format!("/spaces/{space}/content/page/{}", world.page(&space, path).await));
    }
    world.space(json!({})).await;
    let read = async |page: &str| {
        let (answer, statements) = world.counted(world.ada.get(page)).await;
        answer.ok();
        statements
    };
    assert!(read(&pages[0]).await > 0);
    assert_eq!(read(&pages[1]).await, 0, "the text is in memory since the import");
    let reader = world.member("rita", Some(Role::Read)).await;
    reader.get(&pages[0]).await.ok();
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    reader.get(&pages[1]).await.expect(404);
    assert!(read(&pages[2]).await > 0, "there was a commit");
}

/// Adds copies of a comment until there are this many.
async fn fill(world: &World, space: &SpaceId, authors: &[&Caller], length: usize) {
    let discussion = Discussion { space: space.clone(), change_request: None };
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[space.into()]).await.unwrap();
    let page = PageRequest { limit: 1, ..PageRequest::default() };
    let there = tx.comments().list(&discussion, &Default::default(), &page).await.unwrap();
    let comment = &there.items[0];
    for number in there.total..length {
        let posted_by = authors[number % authors.len()].user.clone().unwrap();
        let copy = Comment { id: world.services.ids.make(), posted_by, ..comment.clone() };
        tx.comments().insert(&copy).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[acceptance::test]
async fn a_page_of_ten_thousand_comments_takes_as_many_statements_as_one_of_a_few(world: World) {
    let space = world.space(json!({})).await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    let path = format!("/spaces/{space}/comments");
    world.ada.post(&path, json!({"body": {"markdown": "Why?"}})).await.ok();
    let page = format!("{path}?limit=100");
    // More than a page: a list that ends with its first page needs no statement that counts it.
    fill(&world, &space, &[&world.ada, &bob], 101).await;
    let (few, statements) = counted(&world, &world.ada, &page).await;
    fill(&world, &space, &[&world.ada, &bob], COMMENTS).await;
    let (many, same) = counted(&world, &world.ada, &page).await;
    assert_eq!((few.list("items").len(), many.list("items").len()), (100, 100));
    assert_eq!((&few["count"], &many["count"]), (&json!(101), &json!(COMMENTS)));
    assert_eq!(statements, same);
}

#[acceptance::test]
async fn posting_a_comment_takes_few_statements(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let path = format!("/spaces/{space}/comments");
    let comment = json!({"body": {"markdown": "Why?"}});
    world.ada.post(&path, comment.clone()).await.ok();
    let (answer, statements) = world.counted(world.ada.post(&path, comment)).await;
    answer.ok();
    // The token, the token with its user, and the space; the comment, the counter, the event and the count of events.
    assert!(statements <= 7, "{statements} statements");
}

#[acceptance::test]
async fn creating_a_space_takes_few_statements(world: World) {
    let path = world.org("/spaces");
    world.ada.post(&path, json!({"title": "First"})).await.id();
    let (answer, statements) = world.counted(world.ada.post(&path, json!({"title": "Second"}))).await;
    answer.id();
    // The token, the token with its user, the organization, and the last position; the space, what is condemned of its
    // objects, the objects, and the revision; the ids of its sections, a part of the index, the space in the index, the
    // section, its terms, and its words; the space with the access of the caller, the event, and the count of events.
    // PostgreSQL also locks.
    assert!(statements <= 18, "{statements} statements");
}

#[acceptance::test]
async fn an_edit_of_a_change_request_takes_few_statements(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let page = world.page(&space, "install/linux").await;
    let path = format!("{}/content", world.change_request(&space, json!({})).await);
    // The first edit is of the revision that the change request began with.
    for text in ["One.", "Two."] {
        let change = json!({"operation": "update_page", "page": page, "document": {"markdown": text}});
        let (answer, statements) = world.counted(world.ada.post(&path, json!({"changes": [change]}))).await;
        answer.ok();
        // The token; the space, the change request, and the revisions; the token with its user, the space, the change
        // request, and its conflicts; what is condemned of the objects, the objects, the revision, its document, the
        // change request, the contribution, the event, and the count of events. PostgreSQL also locks.
        assert!(statements <= 17, "{text} {statements} statements");
    }
}

#[acceptance::test]
async fn a_mention_takes_few_more_statements(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Comment)).await;
    let mention = json!({"body": {"markdown": format!("[bob](/users/{} \"mention\")", bob.id())}});
    let (answer, statements) =
        world.counted(world.ada.post(&format!("/spaces/{space}/comments"), mention.clone())).await;
    answer.ok();
    // Those of a comment; the access of the user in three, the name, the setting for e-mails, the notification and the
    // job, which PostgreSQL locks.
    assert!(statements <= 17, "{statements} statements");
    let comments = format!("{}/comments", world.change_request(&space, json!({})).await);
    let comment = world.ada.post(&comments, json!({"body": {"markdown": "Why?"}})).await.ok().id().to_owned();
    let (answer, statements) = world.counted(world.ada.post(&format!("{comments}/{comment}/replies"), mention)).await;
    answer.ok();
    // No counter, but the change request, the comment, the contribution, and who takes part in the thread.
    assert!(statements <= 20, "{statements} statements");
}

#[acceptance::test]
async fn on_sqlite_a_write_after_a_read_of_its_caller_looks_up_the_token_once(world: World) {
    let space = world.space(json!({})).await;
    let path = format!("/spaces/{space}/comments");
    let post = async || {
        let (answer, statements) = world.counted(world.ada.post(&path, json!({"body": {"markdown": "Why?"}}))).await;
        answer.ok();
        statements
    };
    let after_a_write = post().await;
    world.ada.get("/user").await.ok();
    let after_a_read = post().await;
    let saved = u64::from(!world.database().url().starts_with("postgres"));
    assert_eq!(after_a_read + saved, after_a_write);
}

/// Replaces the structure of a site by sections with three new spaces each.
async fn fill_site(world: &World, path: &str, sections: usize) {
    let (services, organization) = (&world.services, &world.organization);
    let site: SiteId = path.rsplit('/').next().unwrap().parse().unwrap();
    let now = services.clock.now();
    let mut tx = services.store.write().await.unwrap();
    tx.lock(&[organization.into(), (&site).into()]).await.unwrap();
    let mut items = Vec::with_capacity(sections);
    for number in 0..sections {
        let mut spaces = Vec::with_capacity(3);
        for variant in 0..3 {
            let new = NewSpace { title: format!("Space {number}-{variant}").parse().ok(), ..NewSpace::default() };
            let space = Space::new(services.ids.make(), organization.clone(), services.ids.make(), new, now);
            tx.spaces().save(&space).await.unwrap();
            spaces.push(SiteSpace::new(services.ids.make(), space.id, format!("v{variant}").parse().unwrap()));
        }
        let title = SiteTitle::fitted(&format!("Section {number}"), "Section");
        let settings = SectionSettings::new(title, format!("section-{number}").parse().unwrap());
        items.push(Item::Section(Section { id: services.ids.make(), settings, spaces }));
    }
    tx.sites().save_structure(&site, &Structure::Sections(items)).await.unwrap();
    tx.commit().await.unwrap();
}

#[acceptance::test]
async fn a_site_of_a_hundred_sections_takes_as_many_statements_as_a_small_one(world: World) {
    let id = world.ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
    let path = world.org(&format!("/sites/{id}"));
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let eve = world.stranger("eve").await;
    let reads = [
        (&world.ada, format!("{path}/published"), 14),
        (&rita, format!("{path}/published"), 14),
        (&eve, format!("{path}/published"), 15),
        (&world.ada, format!("{path}/structure?shareKey=x"), 10),
        (&world.ada, format!("{path}/sections?limit=1000"), 10),
        (&world.ada, format!("{path}/site-spaces?limit=1000"), 10),
        (&world.ada, world.org("/spaces?limit=1000"), 8),
    ];
    let mut few = Vec::new();
    fill_site(&world, &path, 1).await;
    for (caller, path, _) in &reads {
        few.push(counted(&world, caller, path).await.1);
    }
    fill_site(&world, &path, 100).await;
    for ((caller, path, most), few) in reads.iter().zip(few) {
        let (answer, statements) = counted(&world, caller, path).await;
        assert_eq!(statements, few, "{path}");
        assert!(statements <= *most, "{path}: {statements} statements");
        if path.ends_with("/published") {
            let sections = answer["structure"].list("structure");
            let spaces: Vec<&Value> = sections.iter().flat_map(|section| section.list("siteSpaces")).collect();
            assert_eq!((sections.len(), spaces.len()), (100, 300));
            let last = spaces[299]["urls"].text("published");
            assert_eq!(last, "https://docs.test/s/docs/section-99/v2");
            assert_eq!(spaces[299]["space"]["urls"]["published"], last);
        }
        if path.contains("/spaces?") {
            let shown = answer.list("items").iter().filter(|space| space["urls"]["published"].is_string());
            assert_eq!(shown.count(), 300, "long lists have the addresses of all their spaces");
        }
    }
}

#[acceptance::test]
async fn where_a_page_is_published_takes_one_statement_after_a_commit_and_none_before(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let space = world.import(&Fixture::guide()).await;
    let mut pages = Vec::new();
    for path in ["install", "install/linux", "install/macos"] {
        pages.push(format!("/spaces/{space}/content/page/{}", world.page(&space, path).await));
    }
    let read = async |page: &str| {
        let (answer, statements) = world.counted(world.ada.get(page)).await;
        (answer.ok()["urls"].get("published").is_some(), statements)
    };
    world.ada.get("/user").await.ok();
    let new = json!({"title": "Docs", "spaces": [space.as_str()]});
    let site = world.ada.post(&world.org("/sites"), new).await.id();
    world.ada.post(&world.org(&format!("/sites/{site}/publish")), json!({})).await.ok();
    let (published, first) = read(&pages[0]).await;
    // The token, the space, its revision, and the sites that show it.
    assert!(published && (1..=5).contains(&first), "{first} statements");
    assert_eq!([read(&pages[1]).await, read(&pages[0]).await], [(true, 0); 2]);
}

/// Publishes a site of new spaces with one page each. Returns its address.
async fn publish_spaces(world: &World, title: &str, length: usize) -> String {
    let mut spaces = Vec::with_capacity(length);
    for _ in 0..length {
        spaces.push(world.space(json!({})).await);
    }
    let ids: Vec<&str> = spaces.iter().map(SpaceId::as_str).collect();
    let site = world.ada.post(&world.org("/sites"), json!({"title": title, "spaces": ids})).await.id();
    world.ada.post(&world.org(&format!("/sites/{site}/publish")), json!({})).await.ok();
    format!("https://docs.test/s/{}", title.to_lowercase())
}

#[acceptance::test]
async fn what_reads_all_spaces_of_a_site_takes_about_as_many_statements_for_many_as_for_a_few(world: World) {
    let sites = [publish_spaces(&world, "Few", 8).await, publish_spaces(&world, "Many", 96).await];
    for path in ["sitemap.xml", "llms.txt", "~/search?q=nothing", "no/such/page"] {
        let status = if path.ends_with("page") { 404 } else { 200 };
        let mut counts = Vec::new();
        for site in &sites {
            let url = format!("{site}/{path}");
            // The page trees are cached, and the commit drops the response.
            world.browse(&url).await;
            world.space(json!({})).await;
            let (answer, statements) = world.counted(world.browse(&url)).await;
            assert_eq!(answer.status.as_u16(), status, "{url}");
            counts.push(statements);
        }
        // Each statement loads twice as many spaces as the one before.
        assert!(counts[1] <= counts[0] + 16, "{path}: {counts:?} statements");
    }
}

#[acceptance::test]
async fn a_step_of_a_chain_of_redirects_loads_no_space_again(world: World) {
    let space = world.space(json!({})).await;
    let new = json!({"title": "Docs", "spaces": [space.as_str()]});
    let site = world.org(&format!("/sites/{}", world.ada.post(&world.org("/sites"), new).await.id()));
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    let (base, end) = ("https://docs.test/s/docs", "https://example.org/");
    for step in 0..8 {
        let to = if step == 0 { end.to_owned() } else { format!("{base}/r{}", step - 1) };
        let redirect = json!({"source": format!("/r{step}"), "destination": {"kind": "external", "url": to}});
        world.ada.post(&format!("{site}/redirects"), redirect).await.expect(201);
    }
    let mut counts = Vec::new();
    for step in [1, 7] {
        let url = format!("{base}/r{step}");
        // The commit drops the response.
        world.browse(&url).await;
        world.space(json!({})).await;
        let (answer, statements) = world.counted(world.browse(&url)).await;
        assert_eq!(answer.header("location"), Some(end), "{url}");
        counts.push(statements);
    }
    // A step loads the redirects and the former pages of a path. With the space and its revision, it would be four.
    assert!(counts[1] <= counts[0] + 6 * 3, "{counts:?} statements");
}

#[acceptance::test]
async fn a_search_that_finds_pages_in_many_spaces_takes_about_as_many_statements_as_in_a_few(world: World) {
    let path = world.org("/search?query=algebraic");
    let (mut counts, mut there) = (Vec::new(), 0);
    for spaces in [2, 12] {
        for _ in there..spaces {
            world.import(&Fixture::guide()).await;
        }
        there = spaces;
        // The page trees are cached after the first search.
        counted(&world, &world.ada, &path).await;
        let (found, statements) = counted(&world, &world.ada, &path).await;
        assert_eq!(found.list("items").len(), spaces);
        assert!(found.list("items").iter().all(|space| space["pages"][0]["title"] == "Engine Guide"));
        counts.push(statements);
    }
    // The index is read in statements for more and more spaces each.
    assert!(counts[1] <= counts[0] + 2, "{counts:?} statements");
}

#[acceptance::test]
async fn the_links_of_a_version_are_collected_once_and_a_text_is_read_once_for_all_versions(backend: Backend) {
    // Without room for content in memory, each text is read from the database.
    let Some(world) = World::with_object_cache(backend, 1).await else { return };
    let import = async |pages: usize| {
        let text = |page: usize| format!("# Page {page}\n\n[x](page-0.md) [y](#page-{page}) ![z](z.png)\n\n{page}.\n");
        let mut files: Vec<(String, String)> = (0..pages).map(|page| (format!("page-{page}.md"), text(page))).collect();
        files.push(("z.png".to_owned(), "PNG".to_owned()));
        let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let space = world.import(&Fixture::new("handbook", files)).await;
        let file = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok()["items"][0].id().to_owned();
        let places = format!("/spaces/{space}/content/files/{file}/backlinks?limit=1");
        (format!("/spaces/{space}/links?limit=1"), places, space)
    };
    let read = async |path: &str| counted(&world, &world.ada, path).await.1;
    let ((few, few_places, _), (many, many_places, space)) = (import(3).await, import(600).await);
    let (first_of_few, first_of_many) = (read(&few).await, read(&many).await);
    assert!(first_of_few < first_of_many, "one statement reads 500 texts: {first_of_few}, {first_of_many}");
    let again = [read(&few).await, read(&few_places).await];
    assert_eq!([read(&many).await, read(&many_places).await], again, "no page is read");

    let request = world.change_request(&space, json!({})).await;
    let page = world.page(&space, "page-1").await;
    let document = json!({"markdown": "# Page 1\n\nWithout links.\n"});
    let change = json!({"operation": "update_page", "page": page, "document": document});
    world.ada.post(&format!("{request}/content"), json!({"changes": [change]})).await.ok();
    world.ada.post(&format!("{request}/merge"), json!({})).await.ok();
    let edited = read(&many).await;
    assert!(again[0] < edited && edited < first_of_many, "{edited} statements: the pages are read, and one text");
    assert_eq!(counted(&world, &world.ada, &many_places).await.0["count"], 599);
}

#[acceptance::test]
async fn a_page_of_clusters_reads_no_issue_except_of_clusters_of_an_earlier_version(world: World) {
    let Talks { cluster, .. } = Talks::ingest(&world).await;
    let path = world.org("/conversations-clusters");
    let (stored, statements) = counted(&world, &world.ada, &path).await;
    assert_eq!((stored["items"][0].id(), &stored["items"][0]["stats"]["issues"]), (cluster.as_str(), &json!(2)));
    let organization = &world.organization;
    let mut tx = world.services.store.write().await.unwrap();
    tx.lock(&[organization.into()]).await.unwrap();
    let found = tx.conversations().cluster(organization, &cluster.parse().unwrap()).await.unwrap().unwrap();
    tx.conversations().save_cluster(&IssueCluster { counts: None, ..found }).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(counted(&world, &world.ada, &path).await, (stored, statements + 1));
}
