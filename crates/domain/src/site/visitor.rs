//! The visitor of a site as the caller of the API.
use super::audience::SiteVisit;
use super::condition::{Condition, ConditionScope};
use super::structure::Structure;
use crate::content::expression::Variables;
use crate::content::page::Variable;
use crate::content::tree::{Node, Tree};
use crate::id::{OrganizationId, SiteId, SpaceId};
use crate::token::TokenHash;
use std::collections::{BTreeMap, BTreeSet};

/// A visitor with a content token: the visit, and the spaces that it shows now.
#[derive(Clone, Debug)]
pub struct SiteVisitor {
    /// The hash of the content token.
    pub token: TokenHash,
    /// The organization that owns the site.
    pub organization: OrganizationId,
    /// The right to see the site.
    pub visit: SiteVisit,
    /// The spaces that the visit shows.
    pub spaces: BTreeSet<SpaceId>,
}

/// A token is for one visit.
impl PartialEq for SiteVisitor {
    fn eq(&self, other: &Self) -> bool {
        self.token == other.token
    }
}

impl Eq for SiteVisitor {}

impl SiteVisitor {
    /// Whether the visit is of this site.
    pub fn sees_site(&self, id: &SiteId) -> bool {
        self.visit.site() == id
    }

    /// Whether the visit shows the primary content of this space.
    pub fn sees_space(&self, id: &SpaceId) -> bool {
        self.spaces.contains(id)
    }
}

impl SiteVisit {
    /// The part of the site's structure that the visit shows. `there` returns whether a space exists.
    #[must_use]
    pub fn sees(&self, structure: Structure, there: impl Fn(&SpaceId) -> bool) -> Structure {
        let shown = |space: &SpaceId| there(space) && self.spaces().is_none_or(|spaces| spaces.contains(space));
        let structure = match self.drafts() {
            true => structure.with_spaces(|one| shown(&one.space)),
            false => structure.live(|one| shown(&one.space)),
        };
        structure.for_visitor(self.claims())
    }

    /// A hash of the visitor's claims: equal for visits with equal claims.
    pub fn fingerprint(&self) -> [u8; 32] {
        blake3::hash(&serde_json::to_vec(self.claims()).unwrap_or_default()).into()
    }

    /// Whether a condition in the content of a space is true for the visitor.
    pub fn satisfies(&self, condition: &str, space: &Variables, page: &Variables) -> bool {
        Condition::stored(condition.to_owned()).compile().holds(&ConditionScope::new(self.claims(), space, page))
    }

    /// Whether the visit shows a page, as far as its condition decides. Without a condition, it does.
    pub fn sees_page(&self, condition: Option<&str>, space: &Variables, page: &BTreeMap<String, Variable>) -> bool {
        let Some(condition) = condition.filter(|condition| !condition.is_empty()) else { return true };
        self.satisfies(condition, space, &Variables { vars: page.clone() })
    }

    /// The pages that the visit shows. A page with a false condition is left out, with all pages below it.
    #[must_use]
    pub fn sees_pages(&self, tree: Tree, space: &Variables) -> Tree {
        Tree { roots: self.shown(tree.roots, space) }
    }

    fn shown(&self, nodes: Vec<Node>, space: &Variables) -> Vec<Node> {
        let is_seen = |node: &Node| self.sees_page(node.page.condition.as_deref(), space, &node.page.variables);
        let nodes = nodes.into_iter().filter(is_seen);
        nodes.map(|node| Node { children: self.shown(node.children, space), ..node }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::order::OrderKey;
    use crate::content::page::{PageEntry, PageKind};
    use crate::site::Site;
    use crate::site::audience::{SiteAudience, VisitorCredentials};
    use crate::site::publishing_auth::{PublishingAuth, VisitorKeyDeriver};
    use chrono::DateTime;

    fn node(slug: &str, condition: Option<&str>, children: Vec<Node>) -> Node {
        let order = OrderKey::sequence(1).remove(0);
        let page = PageEntry::new(PageKind::Group, slug, slug, order, DateTime::UNIX_EPOCH);
        let page = PageEntry { condition: condition.map(str::to_owned), ..page };
        Node::stored(slug.parse().unwrap(), page, slug.to_owned(), children)
    }

    fn paths(nodes: &[Node]) -> String {
        let path = |node: &Node| format!("{}({})", node.path, paths(&node.children));
        nodes.iter().map(path).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_whose_condition_does_not_hold_is_hidden_with_all_below_it() {
        let mut site = Site::sample();
        site.publish(DateTime::UNIX_EPOCH);
        let key = VisitorKeyDeriver::new(&[7; 32]).key(&PublishingAuth::new(site.id.clone()));
        let audience = SiteAudience::of(&site, key, None);
        let visit = SiteVisit::admit(Some(&audience), VisitorCredentials::default(), DateTime::UNIX_EPOCH).unwrap();
        let tree = Tree {
            roots: vec![
                node("a", None, vec![node("b", Some("visitor.claims.plan === 'pro'"), vec![node("c", None, vec![])])]),
                node("d", Some("true"), vec![node("e", Some(""), vec![])]),
                node("f", Some("not an expression"), vec![]),
            ],
        };
        assert_eq!(paths(&visit.sees_pages(tree, &Variables::default()).roots), "a() d(e())");
    }
}
