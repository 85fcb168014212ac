//! The texts of comments and replies.
use crate::comment::MAX_MENTIONS;
use crate::content::document::Document;
use crate::space::Space;
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::work::Work;

/// A text in which only participants of the space's discussions are mentioned. Other mentions become plain text, so
/// that they do not reveal whether an account exists.
///
/// # Errors
/// [`Error::Invalid`] for the field if it is empty, or mentions too many users.
pub(in crate::usecases) async fn cleaned(
    work: &mut Work<'_>,
    space: &Space,
    field: &str,
    mut body: Document,
) -> Result<Document, Error> {
    if body.is_blank() {
        return Err(Invalid::new(field, "must not be empty").into());
    }
    let mentioned = body.mentioned_users();
    if mentioned.len() > MAX_MENTIONS {
        return Err(Invalid::new(field, format!("must mention at most {MAX_MENTIONS} users")).into());
    }
    if mentioned.is_empty() {
        return Ok(body);
    }
    let known = work.users_who(space, &mentioned, |may| may.comment).await?;
    body.keep_mentions(|user| known.contains(user));
    Ok(body)
}
