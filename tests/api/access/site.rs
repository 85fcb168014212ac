//! The site of an operation.
use crate::sites::feedback;
use acceptance::{Fields, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// A site with one part of each kind.
pub(super) struct Site {
    pub(super) id: String,
    section: String,
    group: String,
    space: String,
    link: String,
    redirect: String,
    share_link: String,
    feedback: String,
}

impl Site {
    pub(super) async fn build(world: &World, shown: &SpaceId) -> Self {
        let sites = world.org("/sites");
        let id = world.ada.post(&sites, json!({"title": "Site"})).await.id();
        let part =
            async |kind: &str, body: Value| world.ada.post(&format!("{sites}/{id}/{kind}"), body).await.expect(201);
        let section = part("sections", json!({"spaceId": shown.as_str()})).await;
        let group = part("section-groups", json!({"title": "Guides"})).await;
        let link = part("external-links", json!({"title": "Status", "url": "https://example.org/"})).await;
        let destination = json!({"kind": "external", "url": "https://example.org/"});
        let redirect = part("redirects", json!({"source": "/gone", "destination": destination})).await;
        let share_link = part("share-links", json!({"name": "Partners"})).await;
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let path = format!("{sites}/{id}/adaptive-schema");
        world.ada.put(&path, json!({"jsonSchema": schema})).await.ok();
        let customization = format!("{sites}/{id}/site-spaces/{}/customization", section["siteSpaces"][0].id());
        world.ada.patch(&customization, json!({"title": "Manual"})).await.ok();
        let space = section["siteSpaces"][0].id();
        let feedback = feedback(world, &format!("{sites}/{id}"), (space, shown.as_str()), "page", "good").await;
        Self {
            feedback,
            redirect: redirect.id().to_owned(),
            section: section.id().to_owned(),
            group: group.id().to_owned(),
            space: space.to_owned(),
            link: link.id().to_owned(),
            share_link: share_link.id().to_owned(),
            id,
        }
    }

    /// A path or a body with the ids of this site.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{siteId}", &self.id)
            .replace("{siteSectionId}", &self.section)
            .replace("{siteSectionGroupId}", &self.group)
            .replace("{siteSpaceId}", &self.space)
            .replace("{siteExternalLinkId}", &self.link)
            .replace("{siteRedirectId}", &self.redirect)
            .replace("{shareLinkId}", &self.share_link)
            .replace("{feedbackId}", &self.feedback)
    }
}
