//! Comments: threads about a space or a change request, with replies and reactions, on a place in the text.
use crate::access::{Access, Guarded, Level, permissions};
use crate::content::document::{Block, Document, Key, Kind, keep_keys};
use crate::id::{ChangeRequestId, CommentId, CommentReplyId, PageId, ReviewId, RevisionId, SpaceId, UserId};
use crate::text::{Rule, Text};
use crate::words;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The maximum number of different emojis on a comment or a reply.
pub const MAX_EMOJIS: usize = 20;
/// The maximum number of users that one text may mention.
pub const MAX_MENTIONS: usize = 50;
/// The maximum length of a quote, in characters.
const MAX_QUOTE: usize = 300;

/// The emoji of a reaction.
pub type ReactionEmoji = Text<1, 50, true>;

words! {
    /// The status of a comment.
    pub enum CommentStatus {
        /// Not resolved.
        Open = "open",
        /// Resolved.
        Resolved = "resolved",
    }
}

/// The space or the change request that comments belong to. A comment on a change request does not belong to the space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Discussion {
    /// The space.
    pub space: SpaceId,
    /// The change request; absent for the space itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_request: Option<ChangeRequestId>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRef {
    /// The key of the row.
    pub record: Key,
    /// The id of the column.
    pub definition: String,
}

/// A place in the content. A block keeps its key through edits, moves, imports and merges, so it is found again in
/// later revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The page.
    pub page: PageId,
    /// The key of a block of the page.
    pub node: Option<Key>,
    /// A cell of a table of the page.
    pub cell: Option<CellRef>,
}

/// Which parts of an anchor exist in a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of Anchor")]
pub struct Present {
    pub page: bool,
    pub node: bool,
    pub cell: bool,
}

impl Present {
    /// Every part.
    pub const ALL: Self = Self { page: true, node: true, cell: true };
}

impl Anchor {
    /// Whether it is on a part of the text of its page.
    pub fn is_in_text(&self) -> bool {
        self.node.is_some() || self.cell.is_some()
    }

    /// The text of the cell or the block.
    ///
    /// # Errors
    /// The field of the API that names something the page does not have, and the rule.
    pub fn quote(&self, text: &Document) -> Result<Option<String>, (&'static str, Rule)> {
        let node = self.node.as_ref().map(|key| text.find(key).ok_or("node")).transpose();
        let node = node.map_err(|field| (field, Rule("there is no such block in the page".into())))?;
        let Some(cell) = &self.cell else { return Ok(node.map(|block| fitted(&block.text()))) };
        let Some((table, quote)) = cell.find(text) else {
            return Err(("tableCell", Rule("there is no such cell in the page".into())));
        };
        match node {
            Some(node) if node.key != table.key => {
                Err(("node", Rule("must be the table of the cell if there is a tableCell".into())))
            }
            _ => Ok(Some(quote)),
        }
    }

    /// Which parts exist in a revision, where the page has this text.
    pub fn present(&self, text: &Document) -> Present {
        Present {
            page: true,
            node: self.node.as_ref().is_some_and(|key| text.find(key).is_some()),
            cell: self.cell.as_ref().is_some_and(|cell| cell.find(text).is_some()),
        }
    }
}

impl CellRef {
    /// The table of the cell and the cell's text. A row may leave out an empty cell.
    fn find<'a>(&self, text: &'a Document) -> Option<(&'a Block, String)> {
        let tables = text.walk().filter_map(|block| match &block.kind {
            Kind::Table(table) => Some((block, table)),
            _ => None,
        });
        for (block, table) in tables {
            let Some(row) = block.children.iter().find(|row| row.key == self.record) else { continue };
            if !table.columns.iter().any(|column| column.id == self.definition) {
                return None;
            }
            let key = Key::of_cell(&row.key, &self.definition);
            let cell = row.children.iter().find(|cell| cell.key == key);
            return Some((block, cell.map(|cell| fitted(&cell.text())).unwrap_or_default()));
        }
        None
    }
}

fn fitted(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// What a comment is on, as its author saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentTarget {
    /// The revision.
    pub revision: RevisionId,
    /// The place in it; absent for a comment on the whole.
    pub anchor: Option<Anchor>,
    /// The text of the place when the comment was posted: of the cell or the block, or the title of the page. It
    /// remains after the place is deleted.
    pub quote: Option<String>,
}

/// Who resolved a comment, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the type")]
pub struct Resolution {
    pub by: UserId,
    pub at: DateTime<Utc>,
}

/// A comment: the first text of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The id.
    pub id: CommentId,
    /// What it belongs to.
    pub discussion: Discussion,
    /// The review that it came with.
    pub review: Option<ReviewId>,
    /// What it is on.
    pub target: CommentTarget,
    /// The text.
    pub body: Document,
    /// The author.
    pub posted_by: UserId,
    /// When it was posted.
    pub posted_at: DateTime<Utc>,
    /// When the text last changed; absent if it never did.
    pub edited_at: Option<DateTime<Utc>>,
    /// The user who resolved it, and the time; absent while it is open.
    pub resolved: Option<Resolution>,
}

/// A reply to a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentReply {
    /// The id.
    pub id: CommentReplyId,
    /// The comment.
    pub comment: CommentId,
    /// What the comment belongs to.
    pub discussion: Discussion,
    /// The text.
    pub body: Document,
    /// The author.
    pub posted_by: UserId,
    /// When it was posted.
    pub posted_at: DateTime<Utc>,
    /// When the text last changed; absent if it never did.
    pub edited_at: Option<DateTime<Utc>>,
}

/// A reaction of one user with one emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// The emoji.
    pub emoji: ReactionEmoji,
    /// The user.
    pub user: UserId,
    /// When the user reacted.
    pub at: DateTime<Utc>,
}

/// The replies of one user to a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replier {
    /// The user.
    pub user: UserId,
    /// The number of replies.
    pub count: u32,
    /// When the last one was posted.
    pub updated_at: DateTime<Utc>,
}

permissions! {
    /// What a member may do with a comment or a reply (see `docs/access.md`).
    pub struct CommentPermissions {
        view = "view",
        edit = "edit",
        reply = "reply",
        delete = "delete",
    }
}

/// The permissions on a text by this author: authors may edit their own texts, and managers of the space all texts.
/// Authors see their comments even without the right to take part in the discussion: a requested reviewer may lack it.
fn permissions_on(posted_by: &UserId, access: &Access) -> CommentPermissions {
    let discusses = access.at_least(Level::Comment);
    let own = access.user.as_ref() == Some(posted_by);
    let edits = access.at_least(Level::Create) || (own && discusses);
    CommentPermissions { view: discusses || own, edit: edits, reply: discusses, delete: edits }
}

impl Guarded for Comment {
    type Permissions = CommentPermissions;

    fn permissions(&self, access: &Access) -> CommentPermissions {
        permissions_on(&self.posted_by, access)
    }

    fn visible(permissions: &CommentPermissions) -> bool {
        permissions.view
    }
}

impl Guarded for CommentReply {
    type Permissions = CommentPermissions;

    fn permissions(&self, access: &Access) -> CommentPermissions {
        permissions_on(&self.posted_by, access)
    }

    fn visible(permissions: &CommentPermissions) -> bool {
        permissions.view
    }
}

impl Comment {
    /// The status.
    pub fn status(&self) -> CommentStatus {
        if self.resolved.is_some() { CommentStatus::Resolved } else { CommentStatus::Open }
    }

    /// Resolves or reopens the comment. Returns whether that changed it. A comment that is already resolved keeps the
    /// user who resolved it.
    pub fn resolve(&mut self, resolved: bool, by: &UserId, at: DateTime<Utc>) -> bool {
        if self.resolved.is_some() == resolved {
            return false;
        }
        self.resolved = resolved.then(|| Resolution { by: by.clone(), at });
        true
    }

    /// Sets the text. Returns whether it changed.
    pub fn edit(&mut self, body: Document, at: DateTime<Utc>) -> bool {
        edit(&mut self.body, &mut self.edited_at, body, at)
    }
}

impl CommentReply {
    /// Sets the text. Returns whether it changed.
    pub fn edit(&mut self, body: Document, at: DateTime<Utc>) -> bool {
        edit(&mut self.body, &mut self.edited_at, body, at)
    }
}

fn edit(body: &mut Document, edited_at: &mut Option<DateTime<Utc>>, new: Document, at: DateTime<Utc>) -> bool {
    // The keys of blocks are not part of the text: Markdown has none.
    if keep_keys(body, new.clone()) == *body {
        return false;
    }
    *body = new;
    *edited_at = Some(at);
    true
}

/// The change of one user's reactions to a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the type")]
pub struct Reactions {
    pub added: BTreeSet<ReactionEmoji>,
    pub removed: BTreeSet<ReactionEmoji>,
}

impl Reactions {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// The effective change to `current`, the reactions of all users. A user reacts once with an emoji: existing
    /// reactions are not added again, and missing ones are not removed.
    ///
    /// # Errors
    /// The rule, if there would be more than [`MAX_EMOJIS`] different emojis.
    pub fn of_user(self, user: &UserId, current: &[Reaction]) -> Result<Self, Rule> {
        let own: BTreeSet<&ReactionEmoji> =
            current.iter().filter(|one| one.user == *user).map(|one| &one.emoji).collect();
        let added: BTreeSet<_> = self.added.into_iter().filter(|emoji| !own.contains(emoji)).collect();
        let removed: BTreeSet<_> = self.removed.into_iter().filter(|emoji| own.contains(emoji)).collect();
        let kept = current.iter().filter(|one| one.user != *user || !removed.contains(&one.emoji));
        let kinds: BTreeSet<&ReactionEmoji> = kept.map(|one| &one.emoji).chain(&added).collect();
        if !added.is_empty() && kinds.len() > MAX_EMOJIS {
            return Err(Rule(format!("must not bring more than {MAX_EMOJIS} different emojis together")));
        }
        Ok(Self { added, removed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::markdown::{self, Unresolved};
    use proptest::prelude::*;
    use rstest::rstest;

    fn text(markdown: &str) -> Document {
        let mut text = markdown::parse_whole(markdown, &Unresolved).into_document().unwrap();
        text.assign_keys();
        text
    }

    fn anchor(node: Option<&Key>, cell: Option<CellRef>) -> Anchor {
        Anchor { page: "p".parse().unwrap(), node: node.cloned(), cell }
    }

    #[test]
    fn a_block_is_quoted_and_found_again_by_its_key() {
        let text = text("# Title\n\nSome *words* here.\n");
        let node = anchor(Some(&text.blocks[1].key), None);
        assert_eq!(node.quote(&text), Ok(Some("Some words here.".into())));
        assert_eq!(node.present(&text), Present { page: true, node: true, cell: false });
        let gone = anchor(Some(&Key("gone".into())), None);
        assert_eq!(gone.quote(&text).unwrap_err().0, "node");
        assert_eq!(gone.present(&text), Present { page: true, ..Present::default() });
    }

    #[test]
    fn a_cell_is_found_by_row_and_column_and_its_table_is_the_only_node() {
        let text = text("Before\n\n| a | b |\n| - | - |\n| c | |\n");
        let table = &text.blocks[1];
        let Kind::Table(data) = &table.kind else { panic!("a table") };
        let cell = |column: &str| CellRef { record: table.children[0].key.clone(), definition: column.into() };
        let ids: Vec<&str> = data.columns.iter().map(|column| &*column.id).collect();
        assert_eq!(anchor(None, Some(cell(ids[0]))).quote(&text), Ok(Some("c".into())));
        assert_eq!(anchor(Some(&table.key), Some(cell(ids[1]))).quote(&text), Ok(Some(String::new())));
        assert_eq!(anchor(Some(&text.blocks[0].key), Some(cell(ids[0]))).quote(&text).unwrap_err().0, "node");
        assert_eq!(anchor(None, Some(cell("nope"))).quote(&text).unwrap_err().0, "tableCell");
        assert!(!anchor(None, Some(cell("nope"))).present(&text).cell);
    }

    #[test]
    fn a_long_quote_is_cut() {
        let text = text(&"wörd ".repeat(200));
        let quote = anchor(Some(&text.blocks[0].key), None).quote(&text).unwrap().unwrap();
        assert!(quote.chars().count() <= MAX_QUOTE + 1 && quote.ends_with("d…"), "{quote}");
    }

    fn comment() -> Comment {
        let target = CommentTarget { revision: "r".parse().unwrap(), anchor: None, quote: None };
        Comment {
            id: "c".parse().unwrap(),
            discussion: Discussion { space: "s".parse().unwrap(), change_request: None },
            review: None,
            target,
            body: text("Why?"),
            posted_by: "ada".parse().unwrap(),
            posted_at: DateTime::UNIX_EPOCH,
            edited_at: None,
            resolved: None,
        }
    }

    #[rstest]
    #[case("ada", Level::Read, [true, false, false, false])]
    #[case("bob", Level::Read, [false, false, false, false])]
    #[case("ada", Level::Comment, [true, true, true, true])]
    #[case("bob", Level::Comment, [true, false, true, false])]
    #[case("bob", Level::Review, [true, false, true, false])]
    #[case("bob", Level::Create, [true, true, true, true])]
    fn authors_and_managers_edit(#[case] user: &str, #[case] level: Level, #[case] expected: [bool; 4]) {
        let may = comment().permissions(&Access::new(user.parse().ok(), level));
        assert_eq!([may.view, may.edit, may.reply, may.delete], expected);
    }

    #[test]
    fn a_comment_stays_resolved_by_the_first_user() {
        let (mut comment, at) = (comment(), DateTime::UNIX_EPOCH);
        let (ada, bob) = ("ada".parse().unwrap(), "bob".parse().unwrap());
        assert!(!comment.resolve(false, &ada, at), "it is open");
        assert!(comment.resolve(true, &ada, at) && !comment.resolve(true, &bob, at));
        assert_eq!(
            (comment.status(), comment.resolved.as_ref().map(|one| &one.by)),
            (CommentStatus::Resolved, Some(&ada))
        );
        assert!(comment.resolve(false, &bob, at) && comment.resolved.is_none());
    }

    #[test]
    fn the_same_text_is_not_an_edit() {
        let mut comment = comment();
        assert!(!comment.edit(text("Why?"), DateTime::UNIX_EPOCH) && comment.edited_at.is_none());
        let mut keyed = text("Why?");
        keyed.blocks[0].key = Key("another".into());
        assert!(!comment.edit(keyed, DateTime::UNIX_EPOCH) && comment.edited_at.is_none());
        assert!(comment.edit(text("Why not?"), DateTime::UNIX_EPOCH) && comment.edited_at.is_some());
    }

    fn reaction(user: &str, emoji: &str) -> Reaction {
        Reaction { emoji: emoji.parse().unwrap(), user: user.parse().unwrap(), at: DateTime::UNIX_EPOCH }
    }

    #[test]
    fn there_are_at_most_twenty_emojis() {
        let current: Vec<Reaction> = (0..MAX_EMOJIS).map(|n| reaction("ada", &n.to_string())).collect();
        let add = |emoji: &str| Reactions { added: [emoji.parse().unwrap()].into(), ..Reactions::default() };
        let bob = "bob".parse().unwrap();
        assert!(add("more").of_user(&bob, &current).is_err());
        assert_eq!(add("0").of_user(&bob, &current).map(|change| change.added.len()), Ok(1));
        let swap = Reactions { removed: ["0".parse().unwrap()].into(), ..add("more") };
        assert!(swap.clone().of_user(&"ada".parse().unwrap(), &current).is_ok(), "one goes");
        assert!(swap.of_user(&bob, &current).is_err(), "bob has none to take away");
    }

    proptest! {
        #[test]
        fn a_user_has_each_emoji_once_whatever_is_sent(
            steps in prop::collection::vec((0usize..3, prop::collection::btree_set(0usize..6, 0..3), prop::collection::btree_set(0usize..6, 0..3)), 0..30)
        ) {
            let mut current: Vec<Reaction> = Vec::new();
            for (user, added, removed) in steps {
                let user: UserId = format!("u{user}").parse().unwrap();
                let emojis = |all: BTreeSet<usize>| all.into_iter().map(|n| n.to_string().parse().unwrap()).collect();
                let change = Reactions { added: emojis(added), removed: emojis(removed) }.of_user(&user, &current).unwrap();
                current.retain(|one| one.user != user || !change.removed.contains(&one.emoji));
                current.extend(change.added.into_iter().map(|emoji| Reaction { emoji, user: user.clone(), at: DateTime::UNIX_EPOCH }));
                let distinct: BTreeSet<_> = current.iter().map(|one| (&one.user, &one.emoji)).collect();
                prop_assert_eq!(distinct.len(), current.len());
            }
        }
    }
}
