//! The composition root: all use cases, built from the ports in one place.
use super::accounts::LastUse;
use super::change_requests::Drafter;
use super::jobs::{Analyst, Engines, Outbox, Sender, SpecReader};
use super::search::Search;
use super::{
    Accounts, AdaptiveSchemas, Audit, ChangeRequests, Collections, Comments, Content, Conversations, Explain,
    ExternalImages, Glossary, Idempotency, Instructions, Invites, Jobs, Members, Notifications, OpenapiSpecs,
    Organizations, Permissions, PublishingAuths, ShareLinks, SiteFeedbacks, SiteReader, Sites, Spaces, Teams,
    Translations, Units, Urls, Webhooks,
};
use crate::conversation::KEPT;
use crate::invite::InviteSigner;
use crate::openapi_spec::REFRESH;
use crate::ports::{Chat, Clock, Embedder, Fetcher, Files, Ids, LongWork, Secrets, Store};
use crate::site::address::Hosting;
use crate::site::external_image::ImageSigner;
use crate::site::publishing_auth::VisitorKeyDeriver;
use crate::site::share_link::ShareLinkKeyDeriver;
use crate::webhook::WebhookSecretDeriver;
use std::sync::Arc;

/// The ports that the use cases need.
#[derive(Clone)]
#[expect(missing_docs, reason = "one port each")]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub fetcher: Arc<dyn Fetcher>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub secrets: Arc<dyn Secrets>,
    pub long_work: Arc<dyn LongWork>,
    /// Absent on servers that send no e-mail.
    pub outbox: Option<Outbox>,
    /// Absent on servers without translations.
    pub engines: Option<Engines>,
    /// Absent on servers without a language model.
    pub chat: Option<Arc<dyn Chat>>,
    /// Absent on servers that compare issues by the built-in vectors only.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// All use cases, and the ports that drivers such as an HTTP server use themselves.
#[derive(Clone)]
#[expect(missing_docs, reason = "use cases and ports by their names")]
pub struct UseCases {
    pub accounts: Accounts,
    pub audit: Audit,
    pub organizations: Organizations,
    pub members: Members,
    pub teams: Teams,
    pub invites: Invites,
    pub instructions: Instructions,
    pub spaces: Spaces,
    pub collections: Collections,
    pub permissions: Permissions,
    pub explain: Explain,
    pub content: Content,
    pub change_requests: ChangeRequests,
    pub comments: Comments,
    pub conversations: Conversations,
    pub notifications: Notifications,
    pub openapi_specs: OpenapiSpecs,
    pub search: Search,
    pub sites: Sites,
    pub site_reader: SiteReader,
    pub external_images: ExternalImages,
    pub site_feedback: SiteFeedbacks,
    pub share_links: ShareLinks,
    pub publishing_auths: PublishingAuths,
    pub adaptive_schemas: AdaptiveSchemas,
    pub urls: Urls,
    pub webhooks: Webhooks,
    pub translations: Translations,
    pub glossary: Glossary,
    pub jobs: Jobs,
    pub idempotency: Idempotency,
    pub store: Arc<dyn Store>,
    pub files: Arc<dyn Files>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

impl UseCases {
    /// Builds the use cases. Links to the product start with `public_url`, with or without a slash at its end; `hosting`
    /// determines links to sites. For callers that create no links, the first may be empty and the second the default.
    /// The codes of invites, the secrets of webhooks, the keys of share links and the private keys of sites are computed
    /// from the instance's `secret`, so it must stay the same.
    ///
    /// Settings of an operator have their defaults: how often specs are fetched (`jobs.specs`), and how long
    /// conversations are kept and whether they are redacted (`jobs.analyst`, `conversations`). Change the fields of the
    /// result for other values. The uses of tokens are stored by [`Accounts::write_uses`]: call it from time to time.
    pub fn new(ports: &Ports, public_url: &str, hosting: Hosting, secret: &[u8; 32]) -> Self {
        let Ports { store, files, fetcher, clock, ids, secrets, long_work, outbox, engines, chat, embedder } =
            ports.clone();
        let public_url: Arc<str> = public_url.trim_end_matches('/').into();
        let units = Units { mails: outbox.is_some(), ..Units::new(store.clone(), clock.clone(), ids.clone()) };
        let (u, f) = (|| units.clone(), || files.clone());
        let deriver = WebhookSecretDeriver::new(secret);
        let sites = Sites { units: u(), hosting: hosting.into(), deriver: VisitorKeyDeriver::new(secret) };
        let (keep, long) = (Some(KEPT), long_work.clone());
        let analyst = Some(Analyst { long_work: long, keep, redact: true, chat: chat.clone(), embedder });
        let specs = Some(SpecReader { fetcher: fetcher.clone(), long_work, refresh: Some(REFRESH) });
        let sender = Some(Sender { fetcher: fetcher.clone(), deriver: deriver.clone() });
        let content = Content { units: u(), files: f(), public_url: public_url.clone() };
        let drafts = chat.is_some();
        let change_requests = ChangeRequests { units: u(), files: f(), fetcher: fetcher.clone(), drafts };
        let drafter =
            chat.map(|chat| Drafter { change_requests: change_requests.clone(), content: content.clone(), chat });
        Self {
            accounts: Accounts { units: u(), secrets: secrets.clone(), uses: LastUse::default() },
            audit: Audit { units: u() },
            organizations: Organizations { units: u(), hosting: sites.hosting.clone() },
            members: Members { units: u() },
            teams: Teams { units: u() },
            invites: Invites { units: u(), signer: InviteSigner::new(secret) },
            instructions: Instructions { units: u() },
            spaces: Spaces { units: u() },
            collections: Collections { units: u() },
            permissions: Permissions { units: u() },
            explain: Explain { units: u() },
            content,
            external_images: ExternalImages { fetcher, signer: ImageSigner::new(secret) },
            change_requests,
            comments: Comments { units: u() },
            conversations: Conversations { units: u(), redact: true },
            notifications: Notifications { units: u() },
            openapi_specs: OpenapiSpecs { units: u() },
            search: Search { units: u() },
            urls: Urls { sites: sites.clone(), public_url },
            site_reader: SiteReader { sites: sites.clone(), files: f(), cache: Arc::default() },
            site_feedback: SiteFeedbacks { units: u() },
            sites,
            share_links: ShareLinks { units: u(), deriver: ShareLinkKeyDeriver::new(secret) },
            publishing_auths: PublishingAuths { units: u(), deriver: VisitorKeyDeriver::new(secret) },
            adaptive_schemas: AdaptiveSchemas { units: u() },
            webhooks: Webhooks { units: u(), secrets, deriver },
            translations: Translations { units: u(), translates: engines.is_some() },
            glossary: Glossary { units: u() },
            jobs: Jobs { units: u(), files: f(), sender, outbox, specs, analyst, engines, drafter },
            idempotency: Idempotency { units: u() },
            store,
            files,
            clock,
            ids,
        }
    }
}
