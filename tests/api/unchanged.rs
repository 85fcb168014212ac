//! What is sent back as it was read changes nothing, and is no event.
use super::access::{Place, instructions, send};
use acceptance::World;
use domain::actor::Actor;
use domain::paging::PageRequest;
use domain::ports::store::events::EventFilter;
use serde_json::{Map, Value, json};

/// Changes of single objects, with fields that their `GET` returns.
const CHANGES: &[(&str, &str, &[&str])] = &[
    ("patch", "/users/{callerId}", &["displayName"]),
    ("patch", "/orgs/{organizationId}", &["title", "emailDomains", "defaultRole", "mergeRules"]),
    ("patch", "/orgs/{organizationId}/members/{userId}", &["role"]),
    ("patch", "/orgs/{organizationId}/teams/{teamId}", &["title"]),
    ("patch", "/orgs/{organizationId}/webhooks/{webhookId}", &["url", "events", "enabled"]),
    ("put", "/orgs/{organizationId}/agent-instructions", &["instructions"]),
    ("put", "/orgs/{organizationId}/translations/{translationId}", &["instructions"]),
    ("patch", "/orgs/{organizationId}/openapi/{specSlug}", &["visibility"]),
    ("patch", "/collections/{collectionId}", &["title", "defaultLevel"]),
    ("patch", "/spaces/{spaceId}", &["title", "emoji", "editMode", "defaultLevel", "mergeRules"]),
    ("patch", "/spaces/{spaceId}/change-requests/{changeRequestId}", &["subject", "status"]),
    ("patch", "/orgs/{organizationId}/sites/{siteId}", &["title", "basename", "visibility"]),
    (
        "patch",
        "/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}",
        &["source", "destination", "captureWildcard", "permanent", "draft"],
    ),
    ("patch", "/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", &["name", "active"]),
    ("patch", "/orgs/{organizationId}/sites/{siteId}/publishing/auth", &["backend"]),
    ("put", "/orgs/{organizationId}/sites/{siteId}/adaptive-schema", &["jsonSchema"]),
];

/// The number of events, also of those that belong to no organization.
async fn events(world: &World) -> usize {
    let page = PageRequest::default();
    world.services.audit.everything(&Actor::Operator, &EventFilter::default(), &page).await.unwrap().total
}

#[acceptance::test]
async fn what_is_sent_back_as_it_was_read_stays_as_it_is(world: World) {
    let place = Place::build(world).await;
    let (world, ada) = (&place.world, &place.world.ada);
    ada.put(&world.org("/agent-instructions"), json!({"instructions": instructions()})).await.ok();
    for (method, pattern, fields) in CHANGES {
        let pattern = pattern.replace("{callerId}", ada.id()).replace("{teamId}", &place.team);
        let path = place.fill(&pattern, &place.proposed, "none");
        let read = ada.get(&path).await.ok();
        let field = |name: &&str| ((*name).to_owned(), read[*name].clone());
        let sent: Map<String, Value> = fields.iter().map(field).collect();
        assert!(sent.values().all(|value| !value.is_null()), "{path}: {read}");
        let before = events(world).await;
        let status = send(ada, method, &format!("/v1{path}"), Some(sent.into()), "request").await.status;
        assert_eq!(status.as_u16(), 200, "{method} {path}");
        assert_eq!(ada.get(&path).await.ok(), read, "{method} {path}");
        assert_eq!(events(world).await, before, "{method} {path}");
    }
}

#[acceptance::test]
async fn the_parts_of_a_site_stay_as_they_are(world: World) {
    let site = world.ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
    let path = world.org(&format!("/sites/{site}"));
    let part = async |kind: &str, body: Value| {
        let made = world.ada.post(&format!("{path}/{kind}"), body).await.expect(201);
        (made["id"].as_str().unwrap().to_owned(), made)
    };
    let space = world.space(json!({"title": "Guide"})).await;
    let (section, made) = part("sections", json!({"spaceId": space.as_str(), "title": "Guides"})).await;
    let variant = made["siteSpaces"][0]["id"].as_str().unwrap().to_owned();
    let (group, _) = part("section-groups", json!({"title": "More"})).await;
    let (link, _) = part("external-links", json!({"title": "Status", "url": "https://example.org/"})).await;
    let read = async || (world.ada.get(&path).await.ok(), world.ada.get(&format!("{path}/structure")).await.ok());
    let (before, count) = (read().await, events(&world).await);
    let last = json!({"item": {"type": "site-external-link", "id": link}, "position": {}});
    for (end, body) in [
        (String::new(), json!({"defaultSiteSection": section, "title": "Docs"})),
        (format!("/sections/{section}"), json!({"title": "Guides", "siteSectionGroupId": null})),
        (format!("/section-groups/{group}"), json!({"title": "More", "parentSectionGroupId": null})),
        (format!("/external-links/{link}"), json!({"title": "Status", "url": "https://example.org/"})),
        (format!("/site-spaces/{variant}"), json!({"hidden": false, "spaceId": space.as_str()})),
        ("/structure/sort".to_owned(), last),
    ] {
        world.ada.patch(&format!("{path}{end}"), body).await.ok();
        assert_eq!(read().await, before, "{end}");
        assert_eq!(events(&world).await, count, "{end}");
    }
    let redirects = json!({"redirects": [{"source": "/nothing", "destination": null}]});
    world.ada.put(&format!("{path}/redirects"), redirects).await.ok();
    assert_eq!((read().await, events(&world).await), (before, count));
}
