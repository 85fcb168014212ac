//! The attributes of an object that differ between two revisions.
use super::PageType;
use crate::computed::ComputedSource;
use crate::document::Color;
use crate::object::Hash;
use crate::page::{
    Cover, Dimensions, FileEntry, Layout, MetaLinks, PageEntry, PageKind, PageTag, ReusableContent, Tag, Variable,
};
use crate::reference::ContentRef;
use serde::Serialize;
use std::collections::BTreeMap;

/// A value before and after; absent if there was or is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference<T> {
    /// Before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<T>,
    /// After.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<T>,
}

impl<T: PartialEq> Difference<T> {
    fn of(before: Option<T>, after: Option<T>) -> Option<Self> {
        (before != after).then_some(Self { before, after })
    }
}

/// The attributes that differ. Equal ones are absent, in the struct and on the wire.
macro_rules! attributes {
    ($($(#[$doc:meta])* $name:ident: $of:ty { $($(#[$fdoc:meta])* $field:ident: $type:ty = $read:expr),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                $(#[$fdoc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<Difference<$type>>,
            )*
        }

        impl $name {
            /// The attributes that differ; `None` if all are equal.
            pub(super) fn of(before: $of, after: $of) -> Option<Self> {
                $(
                    let read: fn(&$of) -> Option<$type> = $read;
                    let $field = Difference::of(read(&before), read(&after));
                )*
                let any = [$($field.is_some()),*].contains(&true);
                any.then_some(Self { $($field),* })
            }
        }
    )*};
}

attributes! {
    /// The attributes of a page that differ. Its source file and the time of its last edit do not count.
    PageAttributes: PageEntry {
        /// Its kind.
        kind: PageType = |page| Some(match page.kind {
            PageKind::Document { .. } => PageType::Document,
            PageKind::Group => PageType::Group,
            PageKind::Link { .. } => PageType::Link,
            PageKind::Computed { .. } => PageType::Computed,
        }),
        /// Its title.
        title: String = |page| Some(page.title.clone()),
        /// Its title in the table of contents.
        link_title: String = |page| page.link_title.clone(),
        /// The line under its title.
        description: String = |page| page.description.clone(),
        /// Its part of the path.
        slug: String = |page| Some(page.slug.clone()),
        /// The id of its text.
        document: Hash = PageEntry::document,
        /// The target of a link.
        target: ContentRef = |page| match &page.kind {
            PageKind::Link { target } => Some(target.clone()),
            PageKind::Document { .. } | PageKind::Group | PageKind::Computed { .. } => None,
        },
        /// The source of generated pages.
        computed: ComputedSource = |page| match &page.kind {
            PageKind::Computed { computed } => Some((**computed).clone()),
            PageKind::Document { .. } | PageKind::Group | PageKind::Link { .. } => None,
        },
        /// Its picture.
        cover: Cover = |page| page.cover.as_deref().cloned(),
        /// Its emoji.
        emoji: String = |page| page.emoji.clone(),
        /// Its icon.
        icon: String = |page| page.icon.clone(),
        /// The parts of it that are shown.
        layout: Layout = |page| Some(page.layout.clone()),
        /// Its variables.
        variables: BTreeMap<String, Variable> = |page| Some(page.variables.clone()),
        /// Its tags.
        tags: Vec<PageTag> = |page| Some(page.tags.clone()),
        /// Other places with the same content.
        meta_links: MetaLinks = |page| Some(page.meta_links.clone()),
        /// Whether it is left out of the table of contents.
        hidden: bool = |page| Some(page.hidden),
        /// Whether it is left out of search.
        no_index: bool = |page| Some(page.no_index),
        /// Whether external search engines are asked to leave it out.
        no_robots_index: bool = |page| Some(page.no_robots_index),
        /// Who sees it.
        condition: String = |page| page.condition.clone(),
    }
    /// The attributes of a file that differ.
    FileAttributes: FileEntry {
        /// Its name.
        name: String = |file| Some(file.name.clone()),
        /// The hash of its bytes; on the wire, their address.
        blob: Hash = |file| Some(file.blob),
        /// Its size in bytes.
        size: u64 = |file| Some(file.size),
        /// Its media type.
        content_type: String = |file| Some(file.content_type.clone()),
        /// Its width and height.
        dimensions: Dimensions = |file| file.dimensions,
    }
    /// The attributes of a reusable content that differ.
    ReusableContentAttributes: ReusableContent {
        /// Its title.
        title: String = |content| Some(content.title.clone()),
        /// The id of its text.
        document: Hash = |content| content.document,
    }
    /// The attributes of a tag that differ.
    TagAttributes: Tag {
        /// Its label.
        label: String = |tag| Some(tag.label.clone()),
        /// Its colour.
        color: Color = |tag| Some(tag.color),
        /// Its emoji.
        emoji: String = |tag| tag.emoji.clone(),
        /// Its icon.
        icon: String = |tag| tag.icon.clone(),
    }
}
