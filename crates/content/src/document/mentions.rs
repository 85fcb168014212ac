//! Mentions of users.
use super::{Block, Document, Inline, Kind};
use crate::reference::ContentRef;
use values::id::UserId;

impl Document {
    /// The users who are mentioned, each once, in the order of their first mention.
    pub fn mentioned_users(&self) -> Vec<UserId> {
        let mut users = Vec::new();
        // Mentions are rare, and the walk that finds them needs a copy: so only texts with a mention are copied.
        if !self.walk().any(|block| lines(block).any(|line| line.iter().any(user_in))) {
            return users;
        }
        self.clone().each_mention(&mut |inline| {
            if let Some(user) = mentioned(inline).filter(|user| !users.contains(*user)) {
                users.push(user.clone());
            }
        });
        users
    }

    /// Replaces mentions of users whom `keeps` refuses with plain text.
    pub fn keep_mentions(&mut self, keeps: impl Fn(&UserId) -> bool) {
        let mut refuses = false;
        self.each_mention(&mut |inline| {
            let refused = mentioned(inline).filter(|user| !keeps(user)).map(|user| format!("@{user}"));
            if let Some(text) = refused {
                *inline = Inline::from(text);
                refuses = true;
            }
        });
        if refuses {
            // The new text can be beside others.
            self.normalize();
        }
    }

    /// Replaces mentions of users whom `name` knows with their names, as plain text.
    pub fn name_mentions<'n>(&mut self, name: impl Fn(&UserId) -> Option<&'n str>) {
        self.each_mention(&mut |inline| {
            let text = mentioned(inline).and_then(&name).map(|name| format!("@{name}"));
            if let Some(text) = text {
                *inline = Inline::from(text);
            }
        });
    }

    fn each_mention(&mut self, visit: &mut impl FnMut(&mut Inline)) {
        self.walk_mut(&mut |block| {
            if let Kind::Table(table) = &mut block.kind {
                table.columns.iter_mut().for_each(|column| in_line(&mut column.heading, visit));
            }
            in_line(&mut block.content, visit);
        });
    }
}

/// The lines of text directly in a block.
fn lines(block: &Block) -> impl Iterator<Item = &[Inline]> {
    let headings = match &block.kind {
        Kind::Table(table) => table.columns.as_slice(),
        _ => &[],
    };
    headings.iter().map(|column| column.heading.as_slice()).chain([block.content.as_slice()])
}

/// Whether this may mention a user. The blocks of a note are searched by themselves.
fn user_in(inline: &Inline) -> bool {
    match inline {
        Inline::Annotation(note) => note.content.iter().any(user_in),
        Inline::Link(link) => link.content.iter().any(user_in),
        other => mentioned(other).is_some(),
    }
}

fn mentioned(inline: &Inline) -> Option<&UserId> {
    let Inline::Mention { target } = inline else { return None };
    match &**target {
        ContentRef::User { user } => Some(user),
        _ => None,
    }
}

fn in_line(content: &mut [Inline], visit: &mut impl FnMut(&mut Inline)) {
    for inline in content {
        match inline {
            Inline::Link(link) => in_line(&mut link.content, visit),
            Inline::Annotation(note) => in_line(&mut note.content, visit),
            other => visit(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{self, Unresolved};

    fn read(text: &str) -> Document {
        markdown::parse(text, &Unresolved).into_document().unwrap()
    }

    fn mention(user: &str) -> Inline {
        Inline::Mention { target: Box::new(ContentRef::User { user: user.parse().unwrap() }) }
    }

    #[test]
    fn users_are_found_once_wherever_they_are_mentioned() {
        let mut text = read("First\n\n* an item\n\n| a | b |\n| - | - |\n| c | d |\n");
        text.blocks[0].content.push(mention("bob"));
        text.blocks[0].content.push(mention("ada"));
        text.blocks[1].children[0].children[0].content.push(mention("bob"));
        let Kind::Table(table) = &mut text.blocks[2].kind else { panic!("a table") };
        table.columns[0].heading.push(mention("eve"));
        let names: Vec<String> = text.mentioned_users().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["bob", "ada", "eve"]);
    }

    #[test]
    fn a_mention_that_is_refused_becomes_text_and_others_stay() {
        let mut text = read("Hello ");
        text.blocks[0].content = vec![mention("bob"), mention("eve")];
        text.keep_mentions(|user| user.as_str() == "bob");
        assert_eq!(text.blocks[0].content, [mention("bob"), Inline::from("@eve")]);
        text.blocks[0].content = vec![Inline::from("Ask "), mention("eve"), Inline::from(" first.")];
        text.keep_mentions(|_| false);
        assert_eq!(text.blocks[0].content, [Inline::from("Ask @eve first.")]);
        let untouched = read("Hello @eve");
        let mut same = untouched.clone();
        same.keep_mentions(|_| false);
        assert_eq!((untouched.mentioned_users(), same), (vec![], untouched));
    }

    #[test]
    fn a_mention_becomes_the_name_of_the_user_if_it_is_known() {
        let mut text = read("Hello ");
        text.blocks[0].content = vec![mention("bob"), mention("eve")];
        text.name_mentions(|user| (user.as_str() == "bob").then_some("Bob B."));
        assert_eq!(text.blocks[0].content, [Inline::from("@Bob B."), mention("eve")]);
    }
}
