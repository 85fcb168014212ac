//! The data of a page for a visitor: the page, and the site around it. It contains nothing that is hidden from the
//! visitor.
//!
//! All addresses are ready to use: the path on the server for the same site (`/s/guide/install`), absolute addresses
//! for other sites.
mod references;

pub use references::{
    FileTarget, OpenapiBlock, OpenapiKey, OpenapiSource, OpenapiSources, PlaceTarget, ReferenceTarget, References,
    TagTarget,
};

use super::SiteIcon;
use super::customization::Customization;
use crate::content::changes::FormerAnchor;
use crate::content::document::Document;
use crate::content::page::{CoverMask, CoverSize, Layout};
use crate::id::{PageId, RevisionId, SiteId, SiteSectionId, SiteSpaceId};
use crate::text::Language;
use chrono::{DateTime, Utc};
use serde::Serialize;

/// The site around a page.
#[derive(Clone, Debug, Serialize)]
pub struct SiteFrame {
    /// The site.
    pub id: SiteId,
    /// The title for visitors.
    pub title: String,
    /// The icon; that of the customization takes precedence.
    pub icon: Option<SiteIcon>,
    /// The customization of the variant, with only the links that the visitor sees.
    pub customization: Customization,
    /// The language of the content of the variant.
    pub language: Option<Language>,
    /// The path of the site on the server, with a slash at both ends.
    pub base: String,
    /// The absolute canonical address of the site, with a slash at its end.
    pub canonical: String,
    /// Whether search engines may index the site.
    pub indexed: bool,
    /// Whether it is a preview.
    pub preview: bool,
    /// Whether its pages are exported as files, which are read without a server.
    pub exported: bool,
    /// The version that the preview shows; absent if it shows the primary content.
    pub previewed: Option<Previewed>,
    /// The tabs of the site; empty without sections.
    pub sections: Vec<SectionEntry>,
    /// The variant that is shown.
    pub variant: SiteSpaceId,
    /// The variants of the section, if there are several.
    pub variants: Vec<VariantEntry>,
    /// The table of contents of the variant.
    pub navigation: Vec<NavigationEntry>,
    /// The targets of the links in the customization.
    pub references: References,
}

/// A version of a space that a preview shows instead of its primary content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Previewed {
    /// The version.
    pub version: PreviewOf,
    /// The path of the primary content in the preview: of the same page, or else of the start of its variant.
    pub published: String,
}

/// The version that a preview shows, with its details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum PreviewOf {
    /// The content of a change request.
    ChangeRequest {
        /// Its number in its space.
        number: u32,
        /// Its subject; it can be empty.
        subject: String,
        /// The pages that it adds, edits or moves, as far as the visitor sees them.
        pages: Vec<PageLink>,
        /// Whether there are more changes than were examined.
        more: bool,
    },
    /// A revision.
    Revision {
        /// The revision.
        id: RevisionId,
        /// When it was made.
        created_at: DateTime<Utc>,
    },
}

/// An entry among the tabs of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum SectionEntry {
    /// A section.
    Section(SectionLink),
    /// A menu.
    Group {
        /// Its title.
        title: String,
        /// Its icon.
        icon: Option<String>,
        /// What is in it.
        entries: Vec<SectionEntry>,
    },
    /// A link to another site.
    Link {
        /// Its title.
        title: String,
        /// What it is for.
        description: Option<String>,
        /// Its icon.
        icon: Option<String>,
        /// Its address.
        href: String,
    },
}

/// A section of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionLink {
    /// The section.
    pub id: SiteSectionId,
    /// Its title.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its icon.
    pub icon: Option<String>,
    /// Where it starts.
    pub href: String,
    /// Whether the page is in it.
    pub current: bool,
}

/// A variant of the content of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariantEntry {
    /// The site space.
    pub id: SiteSpaceId,
    /// Its title.
    pub title: String,
    /// The language of its content.
    pub language: Option<Language>,
    /// The same page there, or its start.
    pub href: String,
    /// Whether the page is the same one there.
    pub same_page: bool,
    /// Whether the page is in it.
    pub current: bool,
}

/// An entry of the table of contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NavigationEntry {
    /// The page.
    pub id: PageId,
    /// Its title there.
    pub title: String,
    /// An emoji before the title.
    pub emoji: Option<String>,
    /// An icon before the title.
    pub icon: Option<String>,
    /// Where it leads; absent for a group.
    pub href: Option<String>,
    /// Whether it leads to another site.
    pub external: bool,
    /// Whether it is a group.
    pub group: bool,
    /// Whether it is the page.
    pub current: bool,
    /// The entries below it.
    pub children: Vec<NavigationEntry>,
}

/// A page.
#[derive(Clone, Debug, Serialize)]
pub struct SitePage {
    /// The page.
    pub id: PageId,
    /// Its title.
    pub title: String,
    /// An emoji before the title.
    pub emoji: Option<String>,
    /// An icon before the title.
    pub icon: Option<String>,
    /// A line under the title.
    pub description: Option<String>,
    /// The parts that are shown.
    pub layout: Layout,
    /// The picture at its head.
    pub cover: Option<SiteCover>,
    /// Its tags.
    pub tags: Vec<TagTarget>,
    /// When it was last edited; if never, when it was created.
    pub updated_at: DateTime<Utc>,
    /// The path of the page on the server.
    pub href: String,
    /// Its absolute canonical address.
    pub canonical: String,
    /// The path of the page as Markdown.
    pub markdown: String,
    /// The path of the feed of its updates; absent if it has none.
    pub feed: Option<String>,
    /// Its alternates: those that its author set, and the same page in other languages.
    pub alternates: Vec<AlternateLink>,
    /// Whether search engines may index it.
    pub indexed: bool,
    /// The pages above it, from the first one down, with section and variant left out.
    pub breadcrumbs: Vec<PageLink>,
    /// The page before it.
    pub previous: Option<PageLink>,
    /// The page after it.
    pub next: Option<PageLink>,
    /// Where its file can be edited.
    pub edit: Option<String>,
    /// The text, with reusable contents, and without what a condition hides.
    pub document: Document,
    /// The targets of the references in the text. The content of its OpenAPI blocks is loaded when it is rendered.
    pub references: References,
    /// The documents that its OpenAPI blocks show.
    pub openapi: OpenapiSources,
    /// The anchors that headings of the text had, the newest first. Another element of the page can have one of them
    /// now.
    pub former_anchors: Vec<FormerAnchor>,
}

/// An alternate of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlternateLink {
    /// Its language, or `x-default` for readers of all other languages; absent if it is not known.
    pub language: Option<String>,
    /// Its absolute address.
    pub href: String,
}

/// The picture at the head of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteCover {
    /// The picture.
    pub image: String,
    /// The picture in dark mode.
    pub dark: Option<String>,
    /// How it is placed.
    pub size: CoverSize,
    /// The mask that fades it out.
    pub mask: CoverMask,
    /// The vertical offset of the picture, in pixels.
    pub y_pos: i32,
    /// Its height in pixels.
    pub height: Option<u16>,
}

/// A link to a page of the site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageLink {
    /// Its title.
    pub title: String,
    /// An emoji before the title.
    pub emoji: Option<String>,
    /// An icon before the title.
    pub icon: Option<String>,
    /// Where it leads; absent for a group without pages.
    pub href: Option<String>,
}
