//! Ids that belong to another site, in every place of a request: the same organization has the other site, or another
//! one that the caller administers, too.
use acceptance::{Fields, World};
use actix_web::http::Method;
use serde_json::{Value, json};

/// A site with one of everything, and the ids of that.
struct Full {
    path: String,
    space: String,
    site_space: String,
    section: String,
    group: String,
    link: String,
    redirect: String,
    share_link: String,
    team: String,
}

impl Full {
    async fn new(world: &World, organization: &str) -> Self {
        let post = async |path: &str, body: Value| world.ada.post(path, body).await.id();
        let space = post(&format!("{organization}/spaces"), json!({"title": "Guide"})).await;
        let more = post(&format!("{organization}/spaces"), json!({"title": "More"})).await;
        let site = post(&format!("{organization}/sites"), json!({"title": "Docs", "spaces": [space]})).await;
        let path = format!("{organization}/sites/{site}");
        let section = post(&format!("{path}/sections"), json!({"spaceId": more})).await;
        let group = post(&format!("{path}/section-groups"), json!({"title": "Group"})).await;
        let link = json!({"title": "Link", "url": "https://example.org/"});
        let to = json!({"kind": "site-section", "siteSectionId": section});
        let structure = world.ada.get(&format!("{path}/structure")).await.ok();
        Self {
            site_space: structure["structure"][0]["siteSpaces"][0].id().to_owned(),
            link: post(&format!("{path}/external-links"), link).await,
            redirect: post(&format!("{path}/redirects"), json!({"source": "/old", "destination": to})).await,
            share_link: post(&format!("{path}/share-links"), json!({"name": "Link"})).await,
            team: world.ada.put(&format!("{organization}/teams"), json!({"title": "Team"})).await.id(),
            space,
            section,
            group,
            path,
        }
    }

    /// All that requests with ids of another site could have changed.
    async fn state(&self, world: &World) -> Vec<Value> {
        let mut found = Vec::new();
        for rest in ["", "/structure", "/redirects", "/share-links", "/permissions/users", "/permissions/teams"] {
            found.push(world.ada.get(&format!("{}{rest}", self.path)).await.ok());
        }
        found
    }
}

/// Requests on `own` with an id of `other` in the path.
fn in_paths(own: &Full, other: &Full) -> Vec<(Method, String, Value)> {
    let path = &own.path;
    let Full { site_space, section, group, link, redirect, share_link, .. } = other;
    let title = json!({"title": "Taken"});
    vec![
        (Method::PATCH, format!("{path}/sections/{section}"), title.clone()),
        (Method::POST, format!("{path}/sections/{section}/move"), json!({})),
        (Method::PATCH, format!("{path}/section-groups/{group}"), title.clone()),
        (Method::POST, format!("{path}/section-groups/{group}/move"), json!({})),
        (Method::POST, format!("{path}/section-groups/{group}/sections"), json!({"sectionId": own.section})),
        (Method::PATCH, format!("{path}/site-spaces/{site_space}"), title.clone()),
        (Method::POST, format!("{path}/site-spaces/{site_space}/move"), json!({})),
        (Method::POST, format!("{path}/site-spaces/{site_space}/duplicate"), json!({})),
        (Method::GET, format!("{path}/site-spaces/{site_space}/customization"), json!(null)),
        (Method::PATCH, format!("{path}/site-spaces/{site_space}/customization"), json!({})),
        (Method::DELETE, format!("{path}/site-spaces/{site_space}/customization"), json!(null)),
        (Method::PATCH, format!("{path}/external-links/{link}"), title),
        (Method::GET, format!("{path}/redirects/{redirect}"), json!(null)),
        (Method::PATCH, format!("{path}/redirects/{redirect}"), json!({"permanent": true})),
        (Method::GET, format!("{path}/share-links/{share_link}"), json!(null)),
        (Method::PATCH, format!("{path}/share-links/{share_link}"), json!({"active": false})),
        (Method::GET, format!("{path}/feedback/nothing"), json!(null)),
        (Method::PATCH, format!("{path}/permissions/teams/{}", other.team), json!({"role": "edit"})),
    ]
}

/// Requests on `own` with an id of `other` in the body, and the field that is refused.
fn in_bodies(own: &Full, other: &Full) -> Vec<(Method, String, Value, &'static str)> {
    let path = &own.path;
    let Full { site_space, section, group, link, .. } = other;
    let part = |kind: &str, id: &str| json!({"type": kind, "id": id});
    let sort = |item: Value, at: &str, beside: Value| json!({"item": item, "position": {at: beside}});
    let to_section = json!({"kind": "site-section", "siteSectionId": section});
    let to_space = json!({"kind": "site-space", "siteSpaceId": site_space});
    let to_page = json!({"kind": "site-page", "siteSpaceId": site_space, "pageId": "page"});
    let redirect = |to: &Value| json!({"source": "/new", "destination": to});
    let redirects = format!("{path}/redirects");
    let sorts = format!("{path}/structure/sort");
    let search = |scope: Value| json!({"query": "guide", "scope": scope});
    vec![
        (Method::PATCH, path.clone(), json!({"title": "T2", "defaultSiteSection": section}), "defaultSiteSection"),
        (Method::PATCH, path.clone(), json!({"title": "T2", "defaultSiteSpace": site_space}), "defaultSiteSpace"),
        (
            Method::POST,
            format!("{path}/sections"),
            json!({"spaceId": null, "siteSectionGroupId": group}),
            "siteSectionGroupId",
        ),
        (
            Method::PATCH,
            format!("{path}/sections/{}", own.section),
            json!({"title": "T2", "defaultSiteSpace": site_space}),
            "defaultSiteSpace",
        ),
        (
            Method::PATCH,
            format!("{path}/sections/{}", own.section),
            json!({"title": "T2", "siteSectionGroupId": group}),
            "siteSectionGroupId",
        ),
        (Method::POST, format!("{path}/section-groups"), json!({"title": "G2", "sections": [section]}), "sections"),
        (Method::POST, format!("{path}/section-groups"), json!({"title": "G2", "parent": group}), "parent"),
        (
            Method::PATCH,
            format!("{path}/section-groups/{}", own.group),
            json!({"title": "T2", "parentSectionGroupId": group}),
            "parentSectionGroupId",
        ),
        (
            Method::POST,
            format!("{path}/section-groups/{}/sections", own.group),
            json!({"sectionId": section}),
            "sectionId",
        ),
        (Method::POST, format!("{path}/site-spaces"), json!({"spaceId": null, "sectionId": section}), "sectionId"),
        (
            Method::POST,
            format!("{path}/external-links"),
            json!({"title": "L2", "url": "https://example.org/", "parent": group}),
            "parent",
        ),
        (
            Method::PATCH,
            format!("{path}/external-links/{}", own.link),
            json!({"title": "T2", "parent": group}),
            "parent",
        ),
        (
            Method::PATCH,
            sorts.clone(),
            sort(part("site-section", &own.section), "before", part("site-section", section)),
            "position.before",
        ),
        (
            Method::PATCH,
            sorts.clone(),
            sort(part("site-section-group", &own.group), "after", part("site-section-group", group)),
            "position.after",
        ),
        (
            Method::PATCH,
            sorts.clone(),
            sort(part("site-external-link", &own.link), "after", part("site-external-link", link)),
            "position.after",
        ),
        (
            Method::PATCH,
            sorts,
            sort(part("site-space", &own.site_space), "before", part("site-space", site_space)),
            "position.before",
        ),
        (
            Method::POST,
            format!("{path}/sections/{}/move", own.section),
            json!({"position": {"after": {"type": "site-section", "siteSection": section}}}),
            "position.after",
        ),
        (
            Method::POST,
            format!("{path}/site-spaces/{}/move", own.site_space),
            json!({"position": {"after": {"type": "site-space", "siteSpace": site_space}}}),
            "position.after",
        ),
        (
            Method::POST,
            format!("{path}/section-groups/{}/move", own.group),
            json!({"position": {"before": {"type": "site-section-group", "id": group}}}),
            "position.before",
        ),
        (Method::POST, redirects.clone(), redirect(&to_section), "destination.siteSectionId"),
        (Method::POST, redirects.clone(), redirect(&to_space), "destination.siteSpaceId"),
        (Method::POST, redirects, redirect(&to_page), "destination.siteSpaceId"),
        (
            Method::PATCH,
            format!("{path}/redirects/{}", own.redirect),
            json!({"permanent": true, "destination": to_space}),
            "destination.siteSpaceId",
        ),
        (
            Method::POST,
            format!("{path}/search"),
            search(json!({"mode": "specific", "siteSpaceIds": [site_space]})),
            "scope.siteSpaceIds",
        ),
        (
            Method::POST,
            format!("{path}/search"),
            search(json!({"mode": "default", "currentSiteSpace": site_space})),
            "scope.currentSiteSpace",
        ),
    ]
}

/// Requests on `own` with an id of another organization in the body, and the field that is refused.
fn of_other_organizations(own: &Full, other: &Full) -> Vec<(Method, String, Value, &'static str)> {
    let (path, space) = (&own.path, &other.space);
    let sites = path.rsplit_once('/').unwrap().0.to_owned();
    vec![
        (Method::POST, sites, json!({"title": "Another", "spaces": [space]}), "spaces"),
        (Method::PATCH, path.clone(), json!({"title": "T2", "styleguide": space}), "styleguide"),
        (Method::POST, format!("{path}/sections"), json!({"spaceId": space}), "spaceId"),
        (Method::POST, format!("{path}/site-spaces"), json!({"spaceId": space}), "spaceId"),
        (
            Method::PATCH,
            format!("{path}/site-spaces/{}", own.site_space),
            json!({"title": "T2", "spaceId": space}),
            "spaceId",
        ),
    ]
}

async fn send(world: &World, method: &Method, path: &str, body: &Value) -> acceptance::Answer {
    world.ada.send(method.clone(), path, |request| if body.is_null() { request } else { request.set_json(body) }).await
}

#[acceptance::test]
async fn an_id_of_another_site_is_refused_wherever_it_is_sent_and_changes_nothing(world: World) {
    let own = Full::new(&world, &world.org("")).await;
    let beside = Full::new(&world, &world.org("")).await;
    let organization = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let elsewhere = Full::new(&world, &format!("/orgs/{organization}")).await;
    let before = own.state(&world).await;
    for (other, foreign) in [(&beside, false), (&elsewhere, true)] {
        let theirs = other.state(&world).await;
        for (method, path, body) in in_paths(&own, other) {
            let status = send(&world, &method, &path, &body).await.status.as_u16();
            let expected = if method == Method::DELETE { [204, 404] } else { [404, 404] };
            assert!(expected.contains(&status), "{method} {path}: {status}");
        }
        let kinds = [
            ("sections", &other.section),
            ("section-groups", &other.group),
            ("site-spaces", &other.site_space),
            ("external-links", &other.link),
            ("redirects", &other.redirect),
            ("share-links", &other.share_link),
            ("permissions/teams", &other.team),
        ];
        for (kind, id) in kinds {
            assert_eq!(world.ada.delete(&format!("{}/{kind}/{id}", own.path)).await.status.as_u16(), 204, "{kind}");
        }
        let mut bodies = in_bodies(&own, other);
        if foreign {
            bodies.extend(of_other_organizations(&own, other));
        }
        for (method, path, body, field) in bodies {
            let answer = send(&world, &method, &path, &body).await;
            assert_eq!(answer.status.as_u16(), 400, "{method} {path} {body}");
            let told = answer.error(400);
            assert!(told.starts_with(field), "{method} {path}: {told}");
        }
        let item = json!({"item": {"type": "site-section", "id": other.section}, "position": {}});
        world.ada.patch(&format!("{}/structure/sort", own.path), item).await.error(404);
        let bulk = json!({"redirects": [{"source": "/new", "destination":
            {"kind": "site-section", "siteSectionId": other.section}}]});
        let results = world.ada.put(&format!("{}/redirects", own.path), bulk).await.ok();
        assert_eq!(results["results"][0].text("status"), "error");
        if foreign {
            let grant = json!({"role": "edit", "teams": [other.team]});
            world.ada.post(&format!("{}/permissions", own.path), grant).await.error(404);
        }
        assert_eq!(own.state(&world).await, before, "nothing changed");
        assert_eq!(other.state(&world).await, theirs, "nothing changed there");
    }
}
