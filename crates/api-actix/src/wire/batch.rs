//! Batches of edits to the content of a change request.
use super::change_request::ChangeRequest;
use super::page::View;
use super::revision::{File, file};
use super::text::TextBody;
use crate::answer::links::Links;
use crate::request::{Wire, strictly};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use domain::content::batch::{Body, MAX_CHANGES, MAX_FILES, Outcome, PageFields, RevertPage, UpdatePage};
use domain::content::document::Key;
use domain::id::{PageId, RevisionId};
use domain::patch::Patch;
use domain::text::{Invalid, Text};
use domain::usecases::change_requests::{BatchOutcome, FileSource, IncomingFile, NewChange, Write};
use domain::web_address::WebAddress;
use http_server::LARGEST_BODY;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The maximum size of an inline file in a batch, in bytes.
const MAX_INLINE: usize = 1024 * 1024;

/// The response to a batch.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchParams {
    /// `true`, the default, returns only the change request; `false` also returns the results for pages and files.
    #[param(default = true)]
    compat: Option<bool>,
}

impl Wire for BatchParams {
    /// Whether to return only the change request.
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.compat.unwrap_or(true))
    }
}

/// Edits, applied in order: all of them or none.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EditContent {
    #[schema(min_items = 1, max_items = 50)]
    changes: Vec<ContentEdit>,
}

/// An edit.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub(crate) enum ContentEdit {
    /// Inserts a page.
    InsertPage(InsertPageEdit),
    /// Updates a page.
    UpdatePage(UpdatePageEdit),
    /// Deletes a page and the pages below it.
    DeletePage {
        /// The page, by id or by the `ref` of a page inserted earlier in the batch.
        page: String,
    },
    /// Restores a page to an earlier state.
    RevertPage(RevertPageEdit),
    /// Inserts files.
    InsertFiles {
        #[serde(deserialize_with = "strictly")]
        #[schema(min_items = 1, max_items = 20)]
        files: Vec<InsertFile>,
    },
}

/// Fields of a page; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageFieldsEdit {
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, min_length = 1)]
    title: Option<String>,
    /// The page's segment of the path: letters and digits of any language, `.`, `_` and `-`; derived from the title if
    /// an inserted page has none.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 100)]
    slug: Option<String>,
    /// An empty string removes the emoji.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 50)]
    emoji: Option<String>,
    /// An empty string removes the icon.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 50)]
    icon: Option<String>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String)]
    description: Option<String>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = bool)]
    hidden: Option<bool>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = bool)]
    no_index: Option<bool>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = bool)]
    no_robots_index: Option<bool>,
    /// An expression that decides who can see the page; an empty string removes it.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 1024)]
    condition: Option<String>,
}

/// A page to insert.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InsertPageEdit {
    #[serde(flatten)]
    fields: PageFieldsEdit,
    #[serde(deserialize_with = "strictly")]
    document: TextBody,
    /// The parent page, by id or by the `ref` of a page inserted earlier in the batch; the root if absent.
    #[serde(default)]
    into: Option<String>,
    /// The position among its siblings, from 0; the last if absent.
    #[serde(default)]
    at: Option<usize>,
    /// A name for the page, to refer to it in later edits of the batch.
    #[serde(default, rename = "ref")]
    reference: Option<String>,
}

/// A page to update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdatePageEdit {
    /// The page, by id or by the `ref` of a page inserted earlier in the batch.
    page: String,
    #[serde(flatten)]
    fields: PageFieldsEdit,
    /// The text of the page; unchanged if absent.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = TextBody)]
    document: Option<TextBody>,
    /// The parent page; `null` is the root.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    into: Patch<String>,
    /// The position among its siblings, from 0.
    #[serde(default)]
    at: Option<usize>,
}

/// A page to restore to an earlier state.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RevertPageEdit {
    /// The page.
    page: String,
    /// The revision to restore from; if absent, the primary content that the change request was last updated with.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    revision: Option<RevisionId>,
    /// Restores only these blocks of the text, by key.
    #[serde(default)]
    block: Option<Vec<String>>,
}

/// A file to insert, by URL or with its bytes in the request.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InsertFile {
    #[schema(value_type = String, min_length = 1, max_length = 256)]
    name: Text<1, 256>,
    /// A public `http` or `https` URL; private and reserved addresses are refused.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2048)]
    url: Option<String>,
    /// The bytes as base64, at most 1 MiB; requires `contentType`.
    #[serde(default)]
    base64: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
    /// A name for the file, to refer to it in later edits of the batch.
    #[serde(default, rename = "ref")]
    reference: Option<String>,
}

impl From<PageFieldsEdit> for PageFields {
    fn from(sent: PageFieldsEdit) -> Self {
        Self {
            title: sent.title,
            slug: sent.slug,
            emoji: sent.emoji,
            icon: sent.icon,
            description: sent.description,
            hidden: sent.hidden,
            no_index: sent.no_index,
            no_robots_index: sent.no_robots_index,
            condition: sent.condition,
        }
    }
}

fn incoming(sent: InsertFile, field: &str) -> Result<IncomingFile, Invalid> {
    if let Some(media) = &sent.content_type {
        let plain = media.len() <= 256 && media.contains('/') && media.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !plain {
            return Err(Invalid::new(format!("{field}.contentType"), "must be a media type such as image/png"));
        }
    }
    let source = match (sent.url, sent.base64) {
        (Some(url), None) => {
            FileSource::Url(WebAddress::try_from(url).map_err(|rule| rule.of(format!("{field}.url")))?)
        }
        (None, Some(text)) => {
            let field_ = format!("{field}.base64");
            if text.len() > MAX_INLINE.div_ceil(3) * 4 {
                return Err(Invalid::new(field_, format!("must be at most {MAX_INLINE} bytes")));
            }
            let bytes = STANDARD.decode(text.as_bytes());
            let bytes = bytes.map_err(|_invalid| Invalid::new(&*field_, "must be base64 with padding"))?;
            if bytes.len() > MAX_INLINE {
                return Err(Invalid::new(field_, format!("must be at most {MAX_INLINE} bytes, not {}", bytes.len())));
            }
            if sent.content_type.is_none() {
                return Err(Invalid::new(format!("{field}.contentType"), "is required with base64"));
            }
            FileSource::Bytes(bytes.into())
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Invalid::new(field, "must have exactly one of url and base64"));
        }
    };
    Ok(IncomingFile { name: sent.name, content_type: sent.content_type, reference: sent.reference, source })
}

impl ContentEdit {
    fn change(self, field: &str) -> Result<NewChange, Invalid> {
        let text = |body: TextBody| body.body(&format!("{field}.document"));
        Ok(match self {
            Self::InsertPage(InsertPageEdit { fields, document, into, at, reference }) => {
                NewChange::InsertPage { fields: fields.into(), document: text(document)?, into, at, reference }
            }
            Self::UpdatePage(UpdatePageEdit { page, fields, document, into, at }) => {
                let document: Option<Body> = document.map(text).transpose()?;
                NewChange::UpdatePage(UpdatePage { page, fields: fields.into(), document, into, at })
            }
            Self::DeletePage { page } => NewChange::DeletePage { page },
            Self::RevertPage(RevertPageEdit { page, revision, block }) => {
                let blocks = block.map(|keys| keys.into_iter().map(|key| Key(key.into())).collect());
                NewChange::RevertPage(RevertPage { page, revision, blocks })
            }
            Self::InsertFiles { files } => {
                if !(1..=MAX_FILES).contains(&files.len()) {
                    return Err(Invalid::new(format!("{field}.files"), format!("must have 1 to {MAX_FILES} files")));
                }
                let files = files.into_iter().enumerate();
                let files = files.map(|(at, sent)| incoming(sent, &format!("{field}.files[{at}]")));
                NewChange::InsertFiles(files.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl Wire for EditContent {
    const MAX_BODY: usize = LARGEST_BODY;
    type Command = Write;

    fn command(self) -> Result<Write, Invalid> {
        if !(1..=MAX_CHANGES).contains(&self.changes.len()) {
            return Err(Invalid::new(
                "changes",
                format!("must have 1 to {MAX_CHANGES} changes, not {}", self.changes.len()),
            ));
        }
        let changes = self.changes.into_iter().enumerate();
        let changes = changes.map(|(at, sent)| sent.change(&format!("changes[{at}]"))).collect::<Result<_, _>>()?;
        Ok(Write { changes })
    }
}

/// The results of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditedContent<'a> {
    change_request: ChangeRequest,
    /// The result for each page that the batch names, once per page, in the order in which the batch first names them.
    changes: Vec<PageOutcome>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inserted_files: Vec<File<'a>>,
}

/// The response to a batch: only the change request, or with the results for pages and files.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum EditAnswer<'a> {
    ChangeRequest(Box<ChangeRequest>),
    Edited(Box<EditedContent<'a>>),
}

/// The result for a page.
#[derive(Serialize, ToSchema)]
#[serde(tag = "object")]
pub(crate) enum PageOutcome {
    #[serde(rename = "created_page")]
    Created {
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
        page: TouchedPage,
    },
    #[serde(rename = "updated_page")]
    Updated { page: TouchedPage },
    #[serde(rename = "deleted_page")]
    Deleted {
        /// The id of the deleted page.
        page: String,
    },
}

/// A page that was created or updated.
#[derive(Serialize, ToSchema)]
pub(crate) struct TouchedPage {
    #[schema(example = "page")]
    object: &'static str,
    id: String,
    urls: TouchedPageUrls,
}

/// URLs of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct TouchedPageUrls {
    location: String,
}

fn page_outcome(outcome: Outcome, view: View<'_>) -> PageOutcome {
    let touched = |page: PageId| TouchedPage {
        object: "page",
        urls: TouchedPageUrls { location: view.links.page(view.space, view.place, &page) },
        id: page.into(),
    };
    match outcome {
        Outcome::Created { reference, page } => PageOutcome::Created { reference, page: touched(page) },
        Outcome::Updated { page } => PageOutcome::Updated { page: touched(page) },
        Outcome::Deleted { page } => PageOutcome::Deleted { page: page.into() },
    }
}

pub(crate) fn edited<'a>(
    done: &'a BatchOutcome,
    compat: bool,
    view: View<'a>,
    links: &Links,
    now: DateTime<Utc>,
) -> EditAnswer<'a> {
    let change_request = super::change_request::change_request(done.change_request.clone(), links);
    if compat {
        return EditAnswer::ChangeRequest(Box::new(change_request));
    }
    EditAnswer::Edited(Box::new(EditedContent {
        change_request,
        changes: done.outcomes.iter().cloned().map(|outcome| page_outcome(outcome, view)).collect(),
        inserted_files: done.files.iter().map(|(id, entry)| file(id, entry, view, now)).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn command(body: &str) -> Result<Write, Invalid> {
        read_json::<EditContent>(body.as_bytes())?.command()
    }
    fn file_body(fields: &str) -> String {
        format!(r#"{{"changes":[{{"operation":"insert_files","files":[{{"name":"a.png",{fields}}}]}}]}}"#)
    }

    #[rstest]
    #[case(r#"{"changes":[]}"#, "changes")]
    #[case(r#"{}"#, "changes")]
    #[case(r#"{"changes":[{"operation":"rename_page"}]}"#, "changes[0].operation")]
    #[case(r#"{"changes":[{"operation":"delete_page"}]}"#, "changes[0].page")]
    #[case(
        r#"{"changes":[{"operation":"delete_page","page":"a"},{"operation":"insert_page"}]}"#,
        "changes[1].document"
    )]
    #[case(
        r#"{"changes":[{"operation":"insert_page","document":{"markdown":"a","document":{}}}]}"#,
        "changes[0].document"
    )]
    #[case(r#"{"changes":[{"operation":"update_page","page":"a","at":-1}]}"#, "changes[0]")]
    #[case(r#"{"changes":[{"operation":"update_page","page":"a","title":7}]}"#, "changes[0]")]
    #[case(r#"{"changes":[{"operation":"insert_files","files":[]}]}"#, "changes[0].files")]
    #[case(r#"{"changes":[["delete_page","a"]]}"#, "changes[0]")]
    #[case(r##"{"changes":[{"operation":"insert_page","document":["# A"]}]}"##, "changes[0]")]
    #[case(r##"{"changes":[{"operation":"update_page","page":"a","document":["# A"]}]}"##, "changes[0]")]
    #[case(r#"{"changes":[{"operation":"insert_files","files":[["a.png"]]}]}"#, "changes[0]")]
    fn a_batch_that_cannot_be_read_names_the_change(#[case] body: &str, #[case] field: &str) {
        let error = command(body).unwrap_err();
        assert!(error.field.starts_with(field), "{error}");
    }

    #[rstest]
    #[case(r#""url":"https://example.org/a.png""#, None)]
    #[case(r#""base64":"QUJD","contentType":"image/png""#, None)]
    #[case(r#""contentType":"image/png""#, Some("changes[0].files[0]"))]
    #[case(r#""url":"https://example.org/a.png","base64":"QUJD""#, Some("changes[0].files[0]"))]
    #[case(r#""base64":"QUJD""#, Some("changes[0].files[0].contentType"))]
    #[case(r#""base64":"%%%","contentType":"image/png""#, Some("changes[0].files[0].base64"))]
    #[case(r#""url":"ftp://example.org/a.png""#, Some("changes[0].files[0].url"))]
    #[case(r#""url":"https://example.org/a.png","contentType":"nonsense""#, Some("changes[0].files[0].contentType"))]
    fn a_file_has_one_source_of_a_known_kind(#[case] fields: &str, #[case] fault: Option<&str>) {
        assert_eq!(command(&file_body(fields)).err().map(|error| error.field).as_deref(), fault);
    }

    #[test]
    fn a_file_in_the_request_has_at_most_a_mebibyte() {
        let text = |bytes: usize| STANDARD.encode(vec![7; bytes]);
        let body = |bytes| file_body(&format!(r#""base64":"{}","contentType":"image/png""#, text(bytes)));
        assert!(command(&body(MAX_INLINE)).is_ok());
        assert_eq!(command(&body(MAX_INLINE + 1)).unwrap_err().field, "changes[0].files[0].base64");
    }

    #[test]
    fn a_move_to_the_root_is_distinguished_from_no_move() {
        let into = |fields: &str| {
            let body = format!(r#"{{"changes":[{{"operation":"update_page","page":"a"{fields}}}]}}"#);
            match command(&body).unwrap().changes.remove(0) {
                NewChange::UpdatePage(update) => update.into,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((into(""), into(r#","into":null"#)), (Patch::Keep, Patch::Clear));
        assert_eq!(into(r#","into":"b""#), Patch::Set("b".to_owned()));
    }
}
