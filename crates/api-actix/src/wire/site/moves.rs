//! Moves of the parts of a structure.
use crate::request::Wire;
use domain::id::{SiteLinkId, SiteSectionGroupId, SiteSectionId, SiteSpaceId};
use domain::site::structure::{ItemId, SiblingPosition};
use domain::text::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

/// A part of a structure, by type and id.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "type")]
#[schema(as = SiteStructureItemReference)]
pub(crate) enum PartReference {
    #[serde(rename = "site-space")]
    Space {
        #[schema(value_type = String)]
        id: SiteSpaceId,
    },
    #[serde(rename = "site-section")]
    Section {
        #[schema(value_type = String)]
        id: SiteSectionId,
    },
    #[serde(rename = "site-section-group")]
    Group {
        #[schema(value_type = String)]
        id: SiteSectionGroupId,
    },
    #[serde(rename = "site-external-link")]
    Link {
        #[schema(value_type = String)]
        id: SiteLinkId,
    },
}

impl From<PartReference> for ItemId {
    fn from(part: PartReference) -> Self {
        match part {
            PartReference::Space { id } => Self::Space(id),
            PartReference::Section { id } => Self::Section(id),
            PartReference::Group { id } => Self::Group(id),
            PartReference::Link { id } => Self::Link(id),
        }
    }
}

/// The siblings to move next to; the last position if both are absent. If both are given, they must be neighbours.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = SiteStructurePosition)]
pub(crate) struct PartPosition {
    before: Option<PartReference>,
    after: Option<PartReference>,
}

/// A move of a part among its siblings.
#[derive(Deserialize, ToSchema)]
pub(crate) struct MoveItem {
    item: PartReference,
    position: PartPosition,
}

impl Wire for MoveItem {
    type Command = (ItemId, SiblingPosition);

    fn command(self) -> Result<(ItemId, SiblingPosition), Invalid> {
        let PartPosition { before, after } = self.position;
        Ok((self.item.into(), SiblingPosition { before: before.map(ItemId::from), after: after.map(ItemId::from) }))
    }
}

/// Bodies of the moves of one kind of part: the positions name their siblings by a field of that kind.
macro_rules! moves {
    ($($(#[$doc:meta])* $Move:ident, $Position:ident, $Reference:ident {
        $($(#[$variant:meta])* $Variant:ident { $field:ident: $Id:ty } => $item:path),+
    };)+) => {$(
        /// A sibling.
        #[derive(Deserialize, ToSchema)]
        #[serde(tag = "type", rename_all = "kebab-case")]
        pub(crate) enum $Reference {
            $($(#[$variant])*
            #[serde(rename_all = "camelCase")]
            $Variant {
                #[schema(value_type = String)]
                $field: $Id,
            }),+
        }

        impl From<$Reference> for ItemId {
            fn from(reference: $Reference) -> Self {
                match reference {
                    $($Reference::$Variant { $field } => $item($field)),+
                }
            }
        }

        /// The siblings to move next to; the last position if both are absent.
        #[derive(Default, Deserialize, ToSchema)]
        pub(crate) struct $Position {
            before: Option<$Reference>,
            after: Option<$Reference>,
        }

        $(#[$doc])*
        #[derive(Default, Deserialize, ToSchema)]
        pub(crate) struct $Move {
            position: Option<$Position>,
        }

        impl Wire for $Move {
            type Command = SiblingPosition;

            fn command(self) -> Result<SiblingPosition, Invalid> {
                let $Position { before, after } = self.position.unwrap_or_default();
                Ok(SiblingPosition { before: before.map(ItemId::from), after: after.map(ItemId::from) })
            }
        }
    )+};
}

moves! {
    /// A move of a site space among its siblings.
    MoveSiteSpace, SiteSpacePosition, SiteSpaceReference { SiteSpace { site_space: SiteSpaceId } => ItemId::Space };
    /// A move of a section among its siblings.
    MoveSection, SectionPosition, SectionReference { SiteSection { site_section: SiteSectionId } => ItemId::Section };
    /// A move of a group among its siblings.
    MoveSectionGroup, SectionGroupPosition, SectionGroupReference {
        SiteSection { id: SiteSectionId } => ItemId::Section,
        SiteSectionGroup { id: SiteSectionGroupId } => ItemId::Group
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"position":{"before":{"type":"site-space","siteSpace":"a"}}}"#, true)]
    #[case(r#"{"position":{}}"#, true)]
    #[case("{}", true)]
    #[case(r#"{"position":{"before":{"type":"site-section","siteSection":"a"}}}"#, false)]
    #[case(r#"{"position":{"before":{"type":"site-space"}}}"#, false)]
    fn a_site_space_moves_beside_site_spaces(#[case] body: &str, #[case] fine: bool) {
        let read = read_json::<MoveSiteSpace>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.is_ok(), fine, "{read:?}");
    }
}
