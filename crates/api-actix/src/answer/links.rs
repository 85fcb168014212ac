//! All URLs in responses. They start with the configured public URL, and never use the `Host` of the request.
use crate::answer::signature::Signer;
use chrono::{DateTime, Utc};
use domain::change_request::ChangeRequestRef;
use domain::comment::Discussion;
use domain::content::page::FileEntry;
use domain::id::{
    ChangeRequestId, CollectionId, CommentId, CommentReplyId, ConversationId, ConversationIssueId, EventId,
    GlossaryEntryId, IssueClusterId, NotificationId, OpenapiVersionId, OrganizationId, PageId, ReviewId, RevisionId,
    ShareLinkId, SiteFeedbackId, SiteId, SiteRedirectId, SpaceId, TeamId, TokenId, TranslationId, UserId, WebhookId,
};
use domain::notification::NotificationSubject;
use domain::openapi_spec::{OpenapiVersion, SpecSlug};
use domain::ports::MailLinks;
use domain::site::Site;
use domain::site::address::Hosting;
use domain::site::publication::{PageAddresses, PartAddresses, Publication, SiteAddress, SpacePublication};
use domain::site::structure::ItemId;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Display;
use std::sync::Arc;
use url::Url;

/// The characters allowed unescaped in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The version of a space's content that a page is shown in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// The primary content.
    Primary,
    Revision(&'a RevisionId),
    /// A change request, by id or number as in the request.
    ChangeRequest(&'a ChangeRequestRef),
}

/// Builds URLs.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    base: String,
    signer: Signer,
    sites: Hosting,
}

impl Links {
    /// Builds URLs below `public_url`.
    pub(crate) fn new(public_url: &Url, signer: Signer) -> Self {
        let sites = Hosting::new(public_url, public_url, None, None);
        Self { base: public_url.as_str().trim_end_matches('/').to_owned(), signer, sites }
    }

    /// The same, with the addresses of sites from `sites`.
    pub(crate) fn with_sites(self, sites: &Hosting) -> Self {
        Self { sites: sites.clone(), ..self }
    }

    pub(crate) fn user(&self, id: &UserId) -> String {
        format!("{}/v1/users/{id}", self.base)
    }

    pub(crate) fn token(&self, id: &TokenId) -> String {
        format!("{}/v1/user/tokens/{id}", self.base)
    }

    pub(crate) fn notification(&self, id: &NotificationId) -> String {
        format!("{}/v1/user/notifications/{id}", self.base)
    }

    pub(crate) fn notification_settings(&self) -> String {
        format!("{}/v1/user/notification-settings", self.base)
    }

    pub(crate) fn notification_level(&self, space: &SpaceId) -> String {
        format!("{}/notification-settings", self.space(space))
    }

    pub(crate) fn audit_event(&self, organization: &OrganizationId, id: &EventId) -> String {
        format!("{}/audit-events/{id}", self.organization(organization))
    }

    pub(crate) fn organization(&self, id: &OrganizationId) -> String {
        format!("{}/v1/orgs/{id}", self.base)
    }

    pub(crate) fn team(&self, organization: &OrganizationId, id: &TeamId) -> String {
        format!("{}/teams/{id}", self.organization(organization))
    }

    /// The URL of an invite link.
    pub(crate) fn invite(&self, organization: &OrganizationId, code: &str) -> String {
        format!("{}/link-invites/{code}", self.organization(organization))
    }

    pub(crate) fn webhook(&self, organization: &OrganizationId, id: &WebhookId) -> String {
        format!("{}/webhooks/{id}", self.organization(organization))
    }

    pub(crate) fn conversation(&self, organization: &OrganizationId, id: &ConversationId) -> String {
        format!("{}/conversations/{id}", self.organization(organization))
    }

    pub(crate) fn conversation_issue(&self, organization: &OrganizationId, id: &ConversationIssueId) -> String {
        format!("{}/conversations-issues/{id}", self.organization(organization))
    }

    pub(crate) fn issue_cluster(&self, organization: &OrganizationId, id: &IssueClusterId) -> String {
        format!("{}/conversations-clusters/{id}", self.organization(organization))
    }

    pub(crate) fn translation(&self, organization: &OrganizationId, id: &TranslationId) -> String {
        format!("{}/translations/{id}", self.organization(organization))
    }

    pub(crate) fn glossary_entry(&self, organization: &OrganizationId, id: &GlossaryEntryId) -> String {
        format!("{}/translations-glossary/{id}", self.organization(organization))
    }

    pub(crate) fn openapi_spec(&self, organization: &OrganizationId, slug: &SpecSlug) -> String {
        format!("{}/openapi/{slug}", self.organization(organization))
    }

    pub(crate) fn openapi_version(
        &self,
        organization: &OrganizationId,
        slug: &SpecSlug,
        version: &OpenapiVersionId,
    ) -> String {
        format!("{}/versions/{version}", self.openapi_spec(organization, slug))
    }

    /// The URL of the newest version of a public OpenAPI spec. It needs no token.
    pub(crate) fn published_openapi_spec(&self, organization: &OrganizationId, slug: &SpecSlug) -> String {
        format!("{}/files/openapi/{organization}/specs/{slug}.json", self.base)
    }

    /// A URL of the source of an OpenAPI version that needs no token and is valid for one to two days.
    pub(crate) fn openapi_source(&self, version: &OpenapiVersion, now: DateTime<Utc>) -> String {
        let OpenapiVersion { id, spec, .. } = version;
        let expires = Signer::expiry(now);
        let signature = self.signer.sign_source(spec, id, expires);
        format!("{}/files/openapi/{spec}/versions/{id}?expires={expires}&signature={signature}", self.base)
    }

    pub(crate) fn site(&self, organization: &OrganizationId, id: &SiteId) -> String {
        format!("{}/sites/{id}", self.organization(organization))
    }

    pub(crate) fn site_part(&self, organization: &OrganizationId, site: &SiteId, id: &ItemId) -> String {
        let parts = match id {
            ItemId::Space(_) => "site-spaces",
            ItemId::Section(_) => "sections",
            ItemId::Group(_) => "section-groups",
            ItemId::Link(_) => "external-links",
        };
        format!("{}/{parts}/{}", self.site(organization, site), id.as_str())
    }

    pub(crate) fn site_redirect(&self, organization: &OrganizationId, site: &SiteId, id: &SiteRedirectId) -> String {
        format!("{}/redirects/{id}", self.site(organization, site))
    }

    pub(crate) fn share_link(&self, site: &Site, id: &ShareLinkId) -> String {
        format!("{}/share-links/{id}", self.site(&site.organization, &site.id))
    }

    pub(crate) fn site_feedback(&self, site: &Site, id: &SiteFeedbackId) -> String {
        format!("{}/feedback/{id}", self.site(&site.organization, &site.id))
    }

    /// The URL of a site with its drafts.
    pub(crate) fn site_preview(&self, id: &SiteId) -> String {
        self.sites.preview(id).to_string()
    }

    /// The target that the proxy of a site's owner forwards requests to.
    pub(crate) fn proxy_target(&self, id: &SiteId) -> String {
        self.sites.proxy_target(id).to_string()
    }

    /// The URL of a site for visitors.
    pub(crate) fn published_site(&self, address: &SiteAddress) -> String {
        address.at(&self.sites, "")
    }

    /// The URLs of the parts of a site for visitors.
    pub(crate) fn published_parts<'a>(&self, published: &'a Publication) -> &'a PartAddresses {
        published.parts(&self.sites)
    }

    /// The URL of a space for visitors.
    pub(crate) fn published_space(&self, published: &SpacePublication) -> Option<String> {
        published.address(&self.sites).map(ToOwned::to_owned)
    }

    /// The URLs of the pages of a space for visitors. `start` is the page that it starts with.
    pub(crate) fn published_pages<'a>(
        &self,
        published: &'a SpacePublication,
        start: Option<PageId>,
    ) -> Option<PageAddresses<'a>> {
        published.pages(&self.sites, start)
    }

    pub(crate) fn collection(&self, id: &CollectionId) -> String {
        format!("{}/v1/collections/{id}", self.base)
    }

    /// The URL of a space. It is also used for `urls.app` until there is an application for people: that way the URL at
    /// least works.
    pub(crate) fn space(&self, id: &SpaceId) -> String {
        format!("{}/v1/spaces/{id}", self.base)
    }

    pub(crate) fn page(&self, space: &SpaceId, place: Place<'_>, page: &PageId) -> String {
        let space = self.space(space);
        match place {
            Place::Primary => format!("{space}/content/page/{page}"),
            Place::Revision(revision) => format!("{space}/revisions/{revision}/page/{page}"),
            Place::ChangeRequest(id) => format!("{space}/change-requests/{id}/content/page/{page}"),
        }
    }

    /// The URL of a section of a page.
    pub(crate) fn section(&self, space: &SpaceId, place: Place<'_>, page: &PageId, anchor: Option<&str>) -> String {
        let page = self.page(space, place, page);
        match anchor {
            Some(anchor) => format!("{page}#{}", utf8_percent_encode(anchor, SEGMENT)),
            None => page,
        }
    }

    pub(crate) fn change_request(&self, space: &SpaceId, id: impl Display) -> String {
        format!("{}/change-requests/{id}", self.space(space))
    }

    pub(crate) fn review(&self, space: &SpaceId, change_request: &ChangeRequestId, id: &ReviewId) -> String {
        format!("{}/reviews/{id}", self.change_request(space, change_request))
    }

    pub(crate) fn comment(&self, discussion: &Discussion, id: &CommentId) -> String {
        let place = match &discussion.change_request {
            Some(change_request) => self.change_request(&discussion.space, change_request),
            None => self.space(&discussion.space),
        };
        format!("{place}/comments/{id}")
    }

    pub(crate) fn comment_reply(&self, discussion: &Discussion, comment: &CommentId, id: &CommentReplyId) -> String {
        format!("{}/replies/{id}", self.comment(discussion, comment))
    }

    pub(crate) fn revision(&self, space: &SpaceId, revision: &RevisionId) -> String {
        format!("{}/v1/spaces/{space}/revisions/{revision}", self.base)
    }

    /// A URL of a file's bytes that needs no token and is valid for one to two days.
    pub(crate) fn download(&self, space: &SpaceId, file: &FileEntry, now: DateTime<Utc>) -> String {
        let expires = Signer::expiry(now);
        let signature = self.signer.sign(space, &file.blob, &file.name, &file.content_type, expires);
        let name = utf8_percent_encode(&file.name, SEGMENT);
        let media = utf8_percent_encode(&file.content_type, SEGMENT);
        let (base, blob) = (&self.base, file.blob);
        format!("{base}/files/{space}/{blob}/{name}?type={media}&expires={expires}&signature={signature}")
    }
}

impl MailLinks for Links {
    fn thread(&self, subject: &NotificationSubject) -> String {
        match subject {
            NotificationSubject::Discussion { space, change_request, comment: Some(comment), .. } => {
                let discussion = Discussion { space: space.clone(), change_request: change_request.clone() };
                self.comment(&discussion, comment)
            }
            NotificationSubject::Discussion { space, change_request: Some(change_request), .. } => {
                self.change_request(space, change_request)
            }
            NotificationSubject::Discussion { space, .. } => self.space(space),
            NotificationSubject::Webhook { organization, webhook } => self.webhook(organization, webhook),
        }
    }

    fn settings(&self) -> String {
        self.notification_settings()
    }
}

/// The addresses in e-mails of a server with this public URL and secret.
pub fn mail_links(public_url: &Url, secret: &[u8; 32]) -> Arc<dyn MailLinks> {
    Arc::new(Links::new(public_url, Signer::new(secret)))
}
