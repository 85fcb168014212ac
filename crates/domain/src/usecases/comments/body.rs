//! The texts of comments and replies.
use crate::access::{Access, Guarded, level};
use crate::comment::MAX_MENTIONS;
use crate::content::document::Document;
use crate::id::{SpaceId, UserId};
use crate::space::Space;
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::BTreeSet;

/// A text in which only users who take part in discussions of the space are mentioned; other mentions become plain text,
/// whether the account exists or not.
///
/// # Errors
/// [`Error::Invalid`] for the field if it is empty, or mentions too many users.
pub(in crate::usecases) async fn cleaned(
    work: &mut Work<'_>,
    space: &Space,
    field: &str,
    mut body: Document,
) -> Result<Document, Error> {
    if body.blocks.is_empty() {
        return Err(Invalid::new(field, "must not be empty").into());
    }
    let mentioned = body.mentioned_users();
    if mentioned.len() > MAX_MENTIONS {
        return Err(Invalid::new(field, format!("must mention at most {MAX_MENTIONS} users")).into());
    }
    if mentioned.is_empty() {
        return Ok(body);
    }
    let mut known = BTreeSet::new();
    for user in mentioned {
        if takes_part(work, &space.id, &user).await? {
            known.insert(user);
        }
    }
    body.keep_mentions(|user| known.contains(user));
    Ok(body)
}

/// Whether a user may see the discussions of a space.
async fn takes_part(work: &mut Work<'_>, space: &SpaceId, user: &UserId) -> Result<bool, Error> {
    let Some(reach) = work.spaces().find(space, Some(user)).await? else { return Ok(false) };
    let access = Access::new(Some(user.clone()), level(reach.membership, &reach.places));
    Ok(reach.entity.permissions(&access).comment)
}
