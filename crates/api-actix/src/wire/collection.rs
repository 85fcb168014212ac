//! Collections.
use super::given;
use super::place::default_level_patch;
use super::schemas;
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use domain::access::Granted;
use domain::collection::{self, CollectionPatch, NewCollection};
use domain::id::CollectionId;
use domain::patch::Patch;
use domain::text::{CollectionDescription, CollectionTitle, Invalid};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A collection: a folder of spaces and collections.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Collection)]
pub(crate) struct CollectionFields {
    id: String,
    #[schema(max_length = 50)]
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100)]
    description: Option<String>,
    /// The organization that owns the collection.
    organization: String,
    /// The parent collection; absent if the caller may not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    /// Role of members without a grant of their own; `null` means no access.
    #[schema(value_type = Option<schemas::DefaultLevel>, required)]
    default_level: Option<&'static str>,
}

/// URLs of a collection.
#[derive(Serialize, ToSchema)]
pub(crate) struct CollectionUrls {
    /// In this API.
    pub(crate) location: String,
    /// For people.
    app: String,
}

impl Resource for CollectionFields {
    const OBJECT: &'static str = "collection";
    type Entity = collection::Collection;
    type Urls = CollectionUrls;
}

pub(crate) type Collection = Presented<CollectionFields>;
pub(crate) type CollectionList = List<Collection>;

pub(crate) fn collection(granted: Granted<collection::Collection>, links: &Links) -> Collection {
    let sees_parent = granted.access().sees_outside;
    Presented::new(granted, |collection: collection::Collection| {
        let location = links.collection(&collection.id);
        let urls = CollectionUrls { app: location.clone(), location };
        let fields = CollectionFields {
            id: collection.id.into(),
            title: collection.title.into(),
            description: collection.description.map(String::from),
            organization: collection.organization.into(),
            parent: collection.parent.filter(|_| sees_parent).map(String::from),
            default_level: collection.default_level.word(),
        };
        (fields, urls)
    })
}

/// Filters of the list of collections.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CollectionParams {
    /// Whether to include collections in other collections; `true` if absent.
    #[param(default = true)]
    nested: Option<bool>,
}

impl Wire for CollectionParams {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.nested.unwrap_or(true))
    }
}

/// A collection to create.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct CreateCollection {
    #[schema(value_type = Option<String>, max_length = 50)]
    title: Option<CollectionTitle>,
    /// The parent collection.
    #[schema(value_type = Option<String>)]
    parent: Option<CollectionId>,
}

impl Wire for CreateCollection {
    type Command = NewCollection;

    fn command(self) -> Result<NewCollection, Invalid> {
        Ok(NewCollection { title: self.title, parent: self.parent })
    }
}

/// Changes to a collection; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateCollection {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 50)]
    title: Option<CollectionTitle>,
    /// `null` removes the description.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 100)]
    description: Patch<CollectionDescription>,
    /// `null` means no access for members without a grant of their own, except administrators.
    #[serde(default)]
    #[schema(value_type = Option<schemas::DefaultLevel>)]
    default_level: Patch<String>,
}

impl Wire for UpdateCollection {
    type Command = CollectionPatch;

    fn command(self) -> Result<CollectionPatch, Invalid> {
        let default_level = default_level_patch(self.default_level)?;
        Ok(CollectionPatch { title: self.title, description: self.description, default_level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(&format!(r#"{{"title":"{}"}}"#, "x".repeat(50)), None)]
    #[case(&format!(r#"{{"title":"{}"}}"#, "x".repeat(51)), Some("title"))]
    #[case(&format!(r#"{{"description":"{}"}}"#, "x".repeat(100)), None)]
    #[case(&format!(r#"{{"description":"{}"}}"#, "x".repeat(101)), Some("description"))]
    #[case(r#"{"description":null,"defaultLevel":null}"#, None)]
    #[case(r#"{"title":null}"#, Some("title"))]
    #[case(r#"{"defaultLevel":"owner"}"#, Some("defaultLevel"))]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: Option<&str>) {
        let read = read_json::<UpdateCollection>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.err().map(|error| error.field).as_deref(), field);
    }
}
