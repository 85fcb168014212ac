//! The site around a page.
use super::Visiting;
use super::page_tree::Node;
use super::places::{VariantPages, is_text};
use crate::content::page::PageKind;
use crate::content::reference::ContentRef;
use crate::id::{PageId, SiteSectionId};
use crate::site::AgentsContext;
use crate::site::customization::{Customization, PageAction};
use crate::site::reader::{
    NavigationEntry, ReferenceTarget, References, SectionEntry, SectionLink, SiteFrame, VariantEntry,
};
use crate::site::resolve::{Spot, View};
use crate::site::structure::{Item, Section, Structure};
use crate::text::Language;
use crate::usecases::Error;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The most entries of a table of contents that is shown whole. For a longer one, only the branches above and around
/// the page are shown.
const WHOLE_NAVIGATION: usize = 400;

impl Visiting<'_> {
    /// The site around a page of a variant, or around no page.
    pub(super) async fn frame(
        &mut self,
        pages: &Arc<VariantPages>,
        current: Option<&PageId>,
    ) -> Result<SiteFrame, Error> {
        let customization = self.customization(pages).await?;
        let mut wanted = references_of(&customization);
        wanted.extend(pages.links.iter().cloned());
        let targets = self.targets(pages, wanted).await?;
        let path: HashSet<&PageId> = match current.and_then(|id| pages.find(id)) {
            Some((node, above)) => above.into_iter().map(|node| &node.id).chain([&node.id]).collect(),
            None => HashSet::new(),
        };
        let whole = pages.count() <= WHOLE_NAVIGATION;
        let view = self.addressed.view();
        let navigation =
            Entries { visiting: self, view, pages, targets: &targets, current, path, whole }.of(&pages.tree.roots);
        let variants = self.variant_entries(pages, current).await?;
        let variant = self.addressed.view().at(pages.spot).map(|(_, one)| one.id.clone());
        let previewed = self.previewed(pages, current).await?;
        let title = customization.title.as_ref().unwrap_or(&self.site.title).to_string();
        Ok(SiteFrame {
            id: self.site.id.clone(),
            title,
            icon: customization.favicon.0.clone().or_else(|| self.site.icon.clone()),
            language: pages.language,
            base: self.base_path(),
            canonical: self.canonical(),
            indexed: self.is_indexed(),
            preview: self.visit.is_preview(),
            exported: false,
            previewed,
            sections: self.section_entries(pages),
            variant: variant.ok_or(Error::NotFound("site space"))?,
            variants,
            navigation,
            references: References { targets, ..References::default() },
            customization: (*customization).clone(),
        })
    }

    /// The customization of a variant, with the links that the visitor sees and the actions that the site has.
    pub(super) async fn customization(&mut self, pages: &VariantPages) -> Result<Arc<Customization>, Error> {
        let id = self.addressed.view().at(pages.spot).map(|(_, one)| one.id.clone());
        let id = id.ok_or(Error::NotFound("site space"))?;
        if let Some(known) = self.customizations.get(&id) {
            return Ok(known.clone());
        }
        let known = self.lookup.as_ref().and_then(|lookup| lookup.known.customization(&id));
        let known = match known {
            Some(known) => known,
            None => {
                let stored =
                    self.work.site_customizations().load(&self.site.id, Some(std::slice::from_ref(&id))).await?;
                let loaded = Arc::new(stored.of_space(&id).customization);
                self.loaded_customizations.insert(id.clone(), loaded.clone());
                loaded
            }
        };
        let mut customization = Customization::clone(&known);
        customization.hide_links(self.visit.claims());
        if self.site.agents_context == AgentsContext::Excluded {
            customization.page_actions.items.remove(PageAction::Mcp);
        }
        let customization = Arc::new(customization);
        self.customizations.insert(id, customization.clone());
        Ok(customization)
    }

    fn section_entries(&self, pages: &VariantPages) -> Vec<SectionEntry> {
        let seen = self.seen();
        let view = self.addressed.view();
        let current = view.at(pages.spot).and_then(|(section, _)| section.id.cloned());
        match &*seen.structure {
            Structure::Spaces(_) => Vec::new(),
            Structure::Sections(items) => self.entries_of(&view, items, current.as_ref(), pages.language),
        }
    }

    fn entries_of(
        &self,
        view: &View<'_>,
        items: &[Item],
        current: Option<&SiteSectionId>,
        language: Option<Language>,
    ) -> Vec<SectionEntry> {
        let entry = |item: &Item| match item {
            Item::Section(section) => self.section_link(view, section, current, language).map(SectionEntry::Section),
            Item::Group(group) => {
                let entries = self.entries_of(view, &group.items, current, language);
                let settings = &group.settings;
                let localized = settings.localized_title.get(language);
                (!entries.is_empty()).then(|| SectionEntry::Group {
                    title: localized.unwrap_or(&settings.title).to_string(),
                    icon: settings.icon.as_ref().map(ToString::to_string),
                    entries,
                })
            }
            Item::Link(link) => {
                let settings = &link.settings;
                let localized = settings.localized_title.get(language);
                Some(SectionEntry::Link {
                    title: localized.unwrap_or(&settings.title).to_string(),
                    description: settings.description.as_ref().map(ToString::to_string),
                    icon: settings.icon.as_ref().map(ToString::to_string),
                    href: settings.url.as_str().to_owned(),
                })
            }
        };
        items.iter().filter_map(entry).collect()
    }

    fn section_link(
        &self,
        view: &View<'_>,
        section: &Section,
        current: Option<&SiteSectionId>,
        language: Option<Language>,
    ) -> Option<SectionLink> {
        let by_default = section.spaces.iter().find(|one| one.settings.default);
        let first = by_default.or(section.spaces.first())?;
        let settings = &section.settings;
        let title = settings.localized_title.get(language).unwrap_or(&settings.title);
        let description = settings.localized_description.get(language);
        Some(SectionLink {
            id: section.id.clone(),
            title: title.to_string(),
            description: description.or(settings.description.as_ref()).map(ToString::to_string),
            icon: settings.icon.as_ref().map(ToString::to_string),
            href: self.href(&view.address(view.spot(&first.id)?, "")),
            current: current == Some(&section.id),
        })
    }

    /// The variants of the section of a page; empty if there is only one.
    async fn variant_entries(
        &mut self,
        pages: &Arc<VariantPages>,
        current: Option<&PageId>,
    ) -> Result<Vec<VariantEntry>, Error> {
        let spots: Vec<Spot> = {
            let (seen, view) = (self.seen(), self.addressed.view());
            let Some(section) = view.sections.get(pages.spot.section) else { return Ok(Vec::new()) };
            let spots = (0..section.variants.len()).map(|variant| Spot { section: pages.spot.section, variant });
            let shown = |spot: &Spot| {
                let one = view.at(*spot).and_then(|(_, one)| seen.structure.space(one.id));
                *spot == pages.spot || one.is_some_and(|(_, one)| !one.settings.hidden)
            };
            let there = |spot: &Spot| view.at(*spot).is_some_and(|(_, one)| seen.shows(one.id));
            spots.filter(there).filter(shown).collect()
        };
        if spots.len() < 2 {
            return Ok(Vec::new());
        }
        let here = current.and_then(|id| pages.get(id));
        let mut entries = Vec::new();
        for spot in spots {
            let Some(other) = self.pages(spot).await? else { continue };
            let view = self.addressed.view();
            let Some((_, variant)) = view.at(spot) else { continue };
            let same = here.and_then(|here| pages.same_in(here, &other, is_text, VariantPages::at_path));
            let href = match same {
                Some(node) => self.page_href(&other, node),
                None => self.href(&view.address(spot, "")),
            };
            entries.push(VariantEntry {
                id: variant.id.clone(),
                title: other.title.clone(),
                language: other.language,
                href,
                same_page: same.is_some(),
                current: spot == pages.spot,
            });
        }
        Ok(entries)
    }
}

/// Builds the table of contents.
struct Entries<'v, 'w> {
    visiting: &'v Visiting<'w>,
    view: View<'v>,
    pages: &'v VariantPages,
    targets: &'v BTreeMap<ContentRef, ReferenceTarget>,
    current: Option<&'v PageId>,
    /// The page and those above it.
    path: HashSet<&'v PageId>,
    whole: bool,
}

impl Entries<'_, '_> {
    fn of(&self, nodes: &[Node]) -> Vec<NavigationEntry> {
        nodes.iter().filter(|node| !node.page.hidden).filter_map(|node| self.entry(node)).collect()
    }

    fn entry(&self, node: &Node) -> Option<NavigationEntry> {
        let (page, settings) = (&node.page, node.page.settings());
        let shown = self.whole || self.path.contains(&node.id) || page.kind == PageKind::Group;
        let children = if shown { self.of(&node.children) } else { Vec::new() };
        let (href, external) = match &page.kind {
            PageKind::Document { .. } => (Some(self.visiting.page_href_in(&self.view, self.pages, node)), false),
            PageKind::Link { target } => {
                let (href, external) = match (target, self.targets.get(target)) {
                    (ContentRef::Url { url }, _) => (url.clone(), true),
                    (_, Some(ReferenceTarget::Link(link))) => (link.href.clone(), false),
                    (_, Some(ReferenceTarget::File(file))) => (file.href.clone(), false),
                    _ => return None,
                };
                (Some(href), external)
            }
            PageKind::Group if children.is_empty() => return None,
            PageKind::Group => (None, false),
            PageKind::Computed { .. } => return None,
        };
        Some(NavigationEntry {
            id: node.id.clone(),
            title: settings.link_title.clone().unwrap_or_else(|| page.title.to_string()),
            emoji: settings.emoji.clone(),
            icon: settings.icon.clone(),
            href,
            external,
            group: page.kind == PageKind::Group,
            current: self.current == Some(&node.id),
            children,
        })
    }
}

/// The references in a customization.
pub(super) fn references_of(customization: &Customization) -> BTreeSet<ContentRef> {
    let header = &customization.header;
    let menus = header.links.iter().flat_map(|link| link.links.iter().map(|link| &link.to).chain(link.to.iter()));
    let footer = customization.footer.groups.iter().flat_map(|group| group.links.iter().map(|link| &link.to));
    let announcement = customization.announcement.iter().flat_map(|one| one.link.iter().map(|link| &link.to));
    let all = menus.chain(footer).chain(announcement).chain(header.primary_link.iter());
    all.map(|to| to.reference().clone()).collect()
}
