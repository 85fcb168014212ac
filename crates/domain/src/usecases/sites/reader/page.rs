//! A page of a site, as a visitor reads it.
use super::alternates::combined;
use super::page_tree::{Node, PageSettings};
use super::places::VariantPages;
use super::{PageOnSite, Visiting};
use crate::content::computed::computed_page;
use crate::content::document::{BlockType, Document};
use crate::content::evaluate::evaluate_for;
use crate::content::expand::expand;
use crate::content::expression::Variables;
use crate::content::markdown::plain_line;
use crate::content::page::PageKind;
use crate::content::reference::ContentRef;
use crate::content::text_of;
use crate::id::SiteSpaceId;
use crate::site::condition::ConditionScope;
use crate::site::path::FEED;
use crate::site::reader::{PageLink, ReferenceTarget, References, SiteCover, SiteFrame, SitePage};
use crate::site::redirect::{RedirectStatus, below, with_query};
use crate::site::resolve::{Form, Spot};
use crate::site::visitor_query::query_without_visitor;
use crate::usecases::Error;
use crate::usecases::sites::resolve::PathTarget;
use std::collections::BTreeSet;
use std::sync::Arc;
use url::Url;

/// The result for a visitor at a path of a site.
#[derive(Debug)]
pub enum FoundPath {
    /// A page.
    Page(Box<ReadPage>),
    /// Another address.
    Redirect {
        /// The address.
        url: String,
        /// The status of the redirect.
        status: RedirectStatus,
    },
    /// No page; with the site around it, if the site has any content for the visitor.
    Missing(Option<Box<SiteFrame>>),
}

/// A page that was read.
#[derive(Debug)]
pub struct ReadPage {
    /// The site around it.
    pub frame: SiteFrame,
    /// The page.
    pub page: SitePage,
    /// The requested form.
    pub form: Form,
}

impl Visiting<'_> {
    /// Reads the page at a path of the site, without a slash at its start. Redirects keep `query`.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn read(&mut self, path: &str, query: Option<&str>) -> Result<FoundPath, Error> {
        match self.find(path, query).await? {
            Found::At(spotted, form) => Ok(FoundPath::Page(Box::new(self.read_page_on_site(&spotted, form).await?))),
            Found::Redirect { url, status } => Ok(FoundPath::Redirect { url, status }),
            Found::Nothing => Ok(FoundPath::Missing(self.missing(path).await?.map(Box::new))),
        }
    }

    /// The site around a path without a page; `None` if the site has no content for the visitor.
    async fn missing(&mut self, path: &str) -> Result<Option<SiteFrame>, Error> {
        let near = {
            let view = self.addressed.view();
            view.readings(path).first().map(|reading| reading.spot)
        };
        let spot = near.filter(|spot| self.variant(*spot).is_some()).or_else(|| self.first_spot());
        self.frame_at(spot).await
    }

    /// The site around no page in particular.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn around(&mut self) -> Result<Option<SiteFrame>, Error> {
        let spot = self.first_spot();
        self.frame_at(spot).await
    }

    /// The site around a variant, or as [`Self::around`] if the visitor does not see it.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn around_variant(&mut self, id: &SiteSpaceId) -> Result<Option<SiteFrame>, Error> {
        let spot = self.addressed.view().spot(id).filter(|_| self.seen().shows(id));
        self.frame_at(spot.or_else(|| self.first_spot())).await
    }

    async fn frame_at(&mut self, spot: Option<Spot>) -> Result<Option<SiteFrame>, Error> {
        let Some(spot) = spot else { return Ok(None) };
        let Some(pages) = self.pages(spot).await? else { return Ok(None) };
        Ok(Some(self.frame(&pages, None).await?))
    }

    pub(super) async fn find(&mut self, path: &str, query: Option<&str>) -> Result<Found, Error> {
        let public = self.is_indexed();
        let lead = {
            let Self { work, addressed, contents, visit, visible, .. } = self;
            addressed.paths(contents, Some(&visible.seen(visit))).resolve(work, path).await?
        };
        let redirect = |to: Url, query: Option<&str>, permanent: bool| {
            let status = RedirectStatus::of(permanent, public);
            Ok(Found::Redirect { url: with_query(to, query).into(), status })
        };
        match lead {
            PathTarget::Page(page, _) => {
                let spot = self.addressed.view().spot(&page.site_space).ok_or(Error::NotFound("page"))?;
                Ok(Found::At(PageOnSite { spot, page: page.page }, page.form))
            }
            PathTarget::Moved(to) => {
                let to = Url::parse(&self.base.at(&to)).map_err(|_no_address| Error::NotFound("page"))?;
                redirect(to, query, true)
            }
            PathTarget::Redirect { url, permanent } => match self.addressed.within(&url) {
                Some(path) => {
                    let to = below(self.base.as_str(), &path, &url).ok_or(Error::NotFound("page"))?;
                    redirect(to, query, permanent)
                }
                // Others learn neither the tokens nor the claims of a visitor.
                None => redirect(url, query.and_then(query_without_visitor).as_deref(), permanent),
            },
            PathTarget::Nothing => self.start(path).await,
        }
    }

    /// The start page of a variant for this visitor, if the path is that of the variant. It differs from that of others
    /// if a condition hides the first page.
    async fn start(&mut self, path: &str) -> Result<Found, Error> {
        let spot = self.seen().start_at(&self.addressed.view(), path);
        let Some(spot) = spot else { return Ok(Found::Nothing) };
        let pages = self.pages(spot).await?;
        let start = pages.and_then(|pages| pages.start.clone());
        Ok(start.map_or(Found::Nothing, |page| Found::At(PageOnSite { spot, page }, Form::Page)))
    }

    /// Reads a page by its variant and id.
    async fn read_page_on_site(&mut self, spotted: &PageOnSite, form: Form) -> Result<ReadPage, Error> {
        let pages = self.pages(spotted.spot).await?.ok_or(Error::NotFound("page"))?;
        let (node, above) = pages.find(&spotted.page).ok_or(Error::NotFound("page"))?;
        let frame = self.frame(&pages, Some(&node.id)).await?;
        let document = self.document(&pages, node).await?;
        let page = self.site_page(&pages, node, &above, &frame, document).await?;
        Ok(ReadPage { frame, page, form })
    }

    /// A page with a text.
    pub(super) async fn site_page(
        &mut self,
        pages: &Arc<VariantPages>,
        node: &Node,
        above: &[&Node],
        frame: &SiteFrame,
        document: Document,
    ) -> Result<SitePage, Error> {
        let (page, settings) = (&node.page, node.page.settings());
        let mut wanted: BTreeSet<ContentRef> = document.references().into_iter().map(|found| found.target).collect();
        wanted.extend(settings.tags.iter().map(|tag| tag.tag.clone()));
        wanted.extend(settings.cover.iter().flat_map(|cover| cover.source.iter().chain(&cover.source_dark)).cloned());
        wanted.extend(settings.meta_links.canonical.iter().chain(&settings.meta_links.alternates).cloned());
        let targets = self.targets(pages, wanted).await?;
        let openapi = self.openapi_sources(pages, &document).await?;
        let former_anchors = self.former_anchors(pages, node, &document).await?;
        let references = References { targets, ..References::default() };
        let languages = self.alternates(pages.spot.section).await?;
        let named = self.named_alternates(pages, &settings.meta_links.alternates, &references).await?;
        let edit = self.edit_address(pages, node).await?;

        let view = self.addressed.view();
        let base = self.addressed.base();
        let link = |pages: &VariantPages, node: &Node| base.at(&view.address(pages.spot, pages.path(node)));
        let in_languages = languages.links(pages.spot, node, link, VariantPages::at_path);
        let address = view.address(pages.spot, pages.path(node));
        let own = self.addressed.base().at(&address);
        let alternates = combined(named, in_languages, (pages.language, &own));
        let canonical = settings.meta_links.canonical.as_ref().and_then(|one| self.address_of(one, &references));
        let markdown = view.markdown_address(pages.spot, &node.path);
        let (previous, next) = pages.beside(&node.id);
        let has_feed = document.walk().any(|block| block.kind.block_type() == BlockType::Updates);
        let feed = match address.is_empty() {
            true => FEED.to_owned(),
            false => format!("{address}/{FEED}"),
        };
        let tags = settings.tags.iter().filter_map(|tag| match references.get(&tag.tag) {
            Some(ReferenceTarget::Tag(tag)) => Some(tag.clone()),
            _ => None,
        });
        Ok(SitePage {
            id: node.id.clone(),
            title: page.title.to_string(),
            emoji: settings.emoji.clone(),
            icon: settings.icon.clone(),
            description: page.description.as_deref().map(plain_line),
            layout: settings.layout.clone(),
            cover: cover(settings, &references),
            tags: tags.collect(),
            updated_at: page.updated_at,
            href: self.href(&address),
            canonical: canonical.unwrap_or(own),
            markdown: self.href(&markdown),
            feed: has_feed.then(|| self.href(&feed)),
            alternates,
            indexed: frame.indexed && !page.no_robots_index,
            breadcrumbs: above.iter().map(|node| self.page_link(pages, node)).collect(),
            previous: previous.map(|node| self.page_link(pages, node)),
            next: next.map(|node| self.page_link(pages, node)),
            edit,
            document,
            references,
            openapi,
            former_anchors,
        })
    }

    /// The text of a page for the visitor.
    pub(super) async fn document(&mut self, pages: &VariantPages, node: &Node) -> Result<Document, Error> {
        let Self { work, contents, generator, visit, .. } = self;
        let written = match &node.generated {
            Some(generated) => {
                let place = computed_page(&node.id);
                Some(generator.document(work, &generated.source, place.as_ref()).await?.unwrap_or_default())
            }
            None => None,
        };
        let text = match node.page.kind {
            PageKind::Document { document } => document,
            PageKind::Group | PageKind::Link { .. } | PageKind::Computed { .. } => None,
        };
        let Some(opened) = contents.get(work, &pages.space).await? else { return Ok(Document::default()) };
        let read = opened.read(work, |snapshot, objects| {
            let text = match &written {
                Some(written) => written.clone(),
                None => text_of(objects, text)?,
            };
            let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
            Ok((expand(objects, snapshot, text)?, space))
        });
        let (document, space) = read.await?;
        let page = Variables { vars: node.page.settings().variables.clone() };
        Ok(evaluate_for(document, &ConditionScope::new(visit.claims(), &space, &page)))
    }

    pub(super) fn page_link(&self, pages: &VariantPages, node: &Node) -> PageLink {
        let page = &node.page;
        PageLink {
            title: page.title.to_string(),
            emoji: page.settings().emoji.clone(),
            icon: page.settings().icon.clone(),
            href: pages.shown(node).map(|shown| self.page_href(pages, shown)),
        }
    }

    /// The absolute address that a reference leads to, if the visitor can open it.
    pub(super) fn address_of(&self, reference: &ContentRef, references: &References) -> Option<String> {
        match reference {
            ContentRef::Url { url } => Url::parse(url).ok().filter(is_http).map(String::from),
            reference => references.link(reference).map(|link| self.absolute(&link.href)),
        }
    }

    /// The absolute canonical address of a path on the server.
    pub(super) fn absolute(&self, href: &str) -> String {
        match href.strip_prefix(&self.base_path()) {
            Some(rest) => format!("{}{rest}", self.canonical()),
            None => href.to_owned(),
        }
    }
}

/// The target of a path.
pub(super) enum Found {
    At(PageOnSite, Form),
    Redirect { url: String, status: RedirectStatus },
    Nothing,
}

/// Whether browsers can load a page or a picture from an address.
fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The picture at the head of a page.
fn cover(settings: &PageSettings, references: &References) -> Option<SiteCover> {
    let cover = settings.cover.as_ref().filter(|_| settings.layout.cover)?;
    let picture = |reference: &ContentRef| match reference {
        ContentRef::Url { url } => Url::parse(url).ok().filter(is_http).map(String::from),
        reference => references.file(reference).map(|file| file.href.clone()),
    };
    Some(SiteCover {
        image: picture(cover.source.as_ref()?)?,
        dark: cover.source_dark.as_ref().and_then(picture),
        size: settings.layout.cover_size,
        mask: settings.layout.cover_mask,
        y_pos: cover.y_pos,
        height: cover.height,
    })
}
