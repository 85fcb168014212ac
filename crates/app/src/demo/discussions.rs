//! The threads of the sample: one on a page, and one on the change request with the conflict.
use super::{everything, proposals};
use domain::actor::Actor;
use domain::change_request::ChangeRequestRef;
use domain::comment::Anchor;
use domain::content::document::{Document, Key};
use domain::content::markdown::{Unresolved, parse};
use domain::id::SpaceId;
use domain::ports::store::comments::CommentFilter;
use domain::usecases::comments::{DiscussionRef, NewComment};
use domain::usecases::content::{At, PageOptions, PageRef};
use domain::usecases::{Error, UseCases};

/// The page with a comment, and the words of the block that it is on.
const PAGE: &str = "kestrel/setup/calibrate";
const WORDS: &str = "It uses the usual formula";

/// Posts both threads, without the texts that an earlier run posted.
pub(super) async fn make(
    use_cases: &UseCases,
    actor: &Actor,
    space: &SpaceId,
    open: ChangeRequestRef,
) -> Result<(), Error> {
    let primary = async || use_cases.content.open(actor, space, &At::Primary).await?.pages().await;
    let page = PageRef::Path(PAGE.to_owned());
    let page = primary().await?.page(&page, false, PageOptions::default().into()).await?.node.id.clone();
    let (text_of_page, _) = primary().await?.document(&page, PageOptions::default().into()).await?;
    let anchor = Anchor { page, node: block(&text_of_page), cell: None };
    let on_page = DiscussionRef { space: space.clone(), change_request: None };
    let on_request = DiscussionRef { space: space.clone(), change_request: Some(open) };
    let proposed = format!("Is *{}* long enough in winter?", proposals::proposed());
    for (at, anchor, question, answer) in [
        (
            on_page,
            Some(anchor),
            "Which formula is *usual*? A link would help.".to_owned(),
            "The barometric one; I shall name it.",
        ),
        (on_request, None, proposed, "It was at five degrees. Let us ask someone who lives higher up."),
    ] {
        let known = use_cases.comments.list(actor, &at, (CommentFilter::default(), everything()).into()).await?.items;
        let thread = match known.into_iter().next() {
            Some(thread) => thread,
            None => {
                let new = NewComment { body: text(&question)?, anchor, revision: None };
                use_cases.comments.post(actor, &at, new.into()).await?
            }
        };
        if thread.repliers.is_empty() {
            use_cases.comments.post_reply(actor, &at, &thread.comment.id, text(answer)?.into()).await?;
        }
    }
    Ok(())
}

/// The key of the block with [`WORDS`].
fn block(text: &Document) -> Option<Key> {
    text.blocks.iter().find(|block| block.text().starts_with(WORDS)).map(|block| block.key.clone())
}

fn text(markdown: &str) -> Result<Document, Error> {
    parse(markdown, &Unresolved).into_document().map_err(|error| Error::Corrupt(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::FILES;

    #[test]
    fn the_page_has_the_block_with_the_comment() {
        let file = FILES.iter().find(|(path, _)| *path == proposals::FILE).unwrap();
        let page = parse(std::str::from_utf8(file.1).unwrap(), &Unresolved).into_document().unwrap();
        assert!(block(&page).is_some());
    }
}
