//! Links of change requests to what they are about, such as an issue in a tracker.
use crate::text::{Rule, Text};
use crate::web_address::WebAddress;
use crate::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Deref;

/// The most links of a change request.
pub const MAX_LINKS: usize = 10;
/// The id that the sender of a link gave it.
pub type ChangeRequestLinkId = Text<1, 255>;
/// The title of a link; may be empty.
pub type ChangeRequestLinkTitle = Text<0, 128>;

/// A link of a change request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRequestLink {
    /// The id: unique in the change request.
    pub id: ChangeRequestLinkId,
    /// Where it leads.
    #[serde(rename = "ref")]
    pub target: ChangeRequestLinkTarget,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<ChangeRequestLinkTitle>,
    /// How a client shows it; without a meaning for the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
}

/// Where a link leads: a reference as in content. Not an enum with a tag, in which serde loses the place of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRequestLinkTarget {
    /// The kind of the reference.
    pub kind: ChangeRequestLinkKind,
    /// The address.
    pub url: WebAddress,
}

words! {
    /// The kind of the target of a link.
    pub enum ChangeRequestLinkKind {
        /// An address of the web.
        Url = "url",
    }
}

/// The links of a change request, in the order of the caller: at most [`MAX_LINKS`], with different ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ChangeRequestLink>")]
pub struct ChangeRequestLinks(Vec<ChangeRequestLink>);

impl Deref for ChangeRequestLinks {
    type Target = [ChangeRequestLink];

    fn deref(&self) -> &[ChangeRequestLink] {
        &self.0
    }
}

impl TryFrom<Vec<ChangeRequestLink>> for ChangeRequestLinks {
    type Error = Rule;

    fn try_from(links: Vec<ChangeRequestLink>) -> Result<Self, Rule> {
        if links.len() > MAX_LINKS {
            return Err(Rule(format!("must have at most {MAX_LINKS} items, not {}", links.len())));
        }
        let ids: BTreeSet<&ChangeRequestLinkId> = links.iter().map(|link| &link.id).collect();
        match ids.len() == links.len() {
            true => Ok(Self(links)),
            false => Err(Rule("must not have two items with the same id".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn link(id: usize) -> ChangeRequestLink {
        let url = "https://example.org/".parse().unwrap();
        let target = ChangeRequestLinkTarget { kind: ChangeRequestLinkKind::Url, url };
        ChangeRequestLink { id: id.to_string().parse().unwrap(), target, title: None, expanded: None }
    }

    #[rstest]
    #[case::none(vec![], None)]
    #[case::as_many_as_there_can_be((0..MAX_LINKS).collect(), None)]
    #[case::one_more((0..=MAX_LINKS).collect(), Some("must have at most 10 items, not 11"))]
    #[case::an_id_twice(vec![1, 2, 1], Some("must not have two items with the same id"))]
    fn links_are_few_and_have_different_ids(#[case] ids: Vec<usize>, #[case] rule: Option<&str>) {
        let links: Vec<ChangeRequestLink> = ids.into_iter().map(link).collect();
        let refused = ChangeRequestLinks::try_from(links).err();
        assert_eq!(refused, rule.map(|rule| Rule(rule.into())));
    }
}
