//! Spaces.
use super::computed::source;
use super::content::StartTemplate;
use super::merge_rules::SentMergeRules;
use super::place::default_level_patch;
use super::{given, schemas};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::id::{CollectionId, OrganizationId, RevisionId, SpaceId};
use domain::merge_rules::MergeRules;
use domain::patch::Patch;
use domain::site::publication::SpacePublication;
use domain::space::{self, EditMode, NewSpace, SpacePatch, Visibility};
use domain::text::{Emoji, Invalid, Language, SpaceTitle};
use domain::usecases::ShownSpace;
use domain::usecases::content::Apply;
use domain::web_address::WebAddress;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A space: a tree of pages with its history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Space)]
pub(crate) struct SpaceFields {
    #[schema(value_type = String)]
    id: SpaceId,
    #[schema(value_type = String, max_length = 50)]
    title: SpaceTitle,
    /// Empty if the space has none.
    #[schema(value_type = String, max_length = 50)]
    emoji: Emoji,
    #[schema(value_type = schemas::Visibility)]
    visibility: Visibility,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// When the space was deleted. Deleted spaces are listed only with `deleted=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<DateTime<Utc>>,
    #[schema(value_type = schemas::EditMode)]
    edit_mode: EditMode,
    #[schema(value_type = schemas::MergeRules)]
    merge_rules: MergeRules,
    /// The URL where the source files of imported pages are edited: the URL of a file is this one with its `git.path`.
    #[serde(rename = "editURL", skip_serializing_if = "Option::is_none")]
    edit_url: Option<String>,
    /// The organization that owns the space.
    #[schema(value_type = String)]
    organization: OrganizationId,
    /// The parent collection; absent if the caller may not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    parent: Option<CollectionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Language>)]
    language: Option<Language>,
    /// The primary revision.
    #[schema(value_type = String)]
    revision: RevisionId,
    /// Role of members without a grant of their own; `null` means no access.
    #[schema(value_type = Option<schemas::DefaultLevel>, required)]
    default_level: Option<&'static str>,
    /// The number of open comments.
    comments: u32,
    change_requests: u32,
    change_requests_open: u32,
    change_requests_draft: u32,
}

/// URLs of a space.
#[derive(Serialize, ToSchema)]
pub(crate) struct SpaceUrls {
    /// In this API.
    pub(crate) location: String,
    /// For people.
    app: String,
    /// For visitors of the first site that publishes the space.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    /// The same, if the site is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    public: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
}

impl Resource for SpaceFields {
    const OBJECT: &'static str = "space";
    type Entity = space::Space;
    type Urls = SpaceUrls;
}

pub(crate) type Space = Presented<SpaceFields>;
pub(crate) type SpaceList = List<Space>;

pub(crate) fn space(shown: ShownSpace, links: &Links) -> Space {
    let ShownSpace { space: granted, published: at } = shown;
    let published = at.as_ref().and_then(|at| links.published_space(at));
    let public = published.clone().filter(|_| at.as_ref().is_some_and(SpacePublication::is_public));
    let sees_parent = granted.access().sees_outside;
    Presented::new(granted, |space: space::Space| {
        let location = links.space(&space.id);
        let urls = SpaceUrls { app: location.clone(), location, published, public, icon: space.icon.map(String::from) };
        let fields = SpaceFields {
            id: space.id,
            title: space.title,
            emoji: space.emoji,
            visibility: space.visibility,
            created_at: space.created_at,
            updated_at: space.updated_at,
            deleted_at: space.deleted_at,
            edit_mode: space.edit_mode,
            merge_rules: space.merge_rules,
            edit_url: space.edit_url.map(String::from),
            organization: space.organization,
            parent: space.parent.filter(|_| sees_parent),
            language: space.language,
            revision: space.revision,
            default_level: space.default_level.word(),
            comments: space.counters.comments,
            change_requests: space.counters.total,
            change_requests_open: space.counters.open,
            change_requests_draft: space.counters.draft,
        };
        (fields, urls)
    })
}

/// Filters of the list of spaces.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SpaceParams {
    /// `true` lists the deleted spaces that the caller may restore; `false` if absent.
    #[param(default = false)]
    deleted: Option<bool>,
}

impl Wire for SpaceParams {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.deleted.unwrap_or(false))
    }
}

/// A space to create.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSpace {
    #[schema(value_type = Option<String>, max_length = 50)]
    title: Option<SpaceTitle>,
    #[schema(value_type = Option<String>, max_length = 50)]
    emoji: Option<Emoji>,
    #[schema(value_type = Option<schemas::Language>)]
    language: Option<Language>,
    #[schema(value_type = Option<schemas::EditMode>)]
    edit_mode: Option<EditMode>,
    /// Whether to create the space without pages; otherwise it has one empty page.
    #[serde(default)]
    empty: bool,
    /// The parent collection; the top level if absent.
    #[schema(value_type = Option<String>)]
    parent: Option<CollectionId>,
    /// A template whose pages are added to the space.
    template: Option<StartTemplate>,
    /// What the pages of the space are generated from.
    #[schema(value_type = Option<schemas::ComputedSource>)]
    computed_source: Option<serde_json::Value>,
}

impl Wire for CreateSpace {
    type Command = (NewSpace, Option<Apply>);

    fn command(self) -> Result<(NewSpace, Option<Apply>), Invalid> {
        if self.empty && self.template.is_some() {
            return Err(Invalid::new("template", "must not be sent together with empty"));
        }
        if self.computed_source.is_some() && (self.empty || self.template.is_some()) {
            return Err(Invalid::new("computedSource", "must not be sent together with empty or template"));
        }
        let computed = self.computed_source.map(|value| source("computedSource", &value)).transpose()?;
        let template = self.template.map(Wire::command).transpose()?;
        let space = NewSpace {
            title: self.title,
            parent: self.parent,
            emoji: self.emoji,
            language: self.language,
            edit_mode: self.edit_mode.unwrap_or_default(),
            empty: self.empty,
            computed,
        };
        Ok((space, template))
    }
}

/// Changes to a space; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateSpace {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 50)]
    title: Option<SpaceTitle>,
    /// `null` removes the emoji. An emoji replaces the icon.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    emoji: Patch<Emoji>,
    /// The URL of an image; `null` removes the icon.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2048)]
    icon: Patch<WebAddress>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::EditMode)]
    edit_mode: Option<EditMode>,
    /// `null` means no access for members without a grant of their own, except administrators.
    #[serde(default)]
    #[schema(value_type = Option<schemas::DefaultLevel>)]
    default_level: Patch<String>,
    #[serde(default)]
    #[schema(value_type = Option<schemas::Language>)]
    language: Patch<Language>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = schemas::MergeRules)]
    merge_rules: Option<SentMergeRules>,
    /// The URL of the folder of the documentation in an editor of its repository, such as
    /// `https://github.com/acme/docs/edit/main/`. Sites link to the file of an imported page there. `null` removes it.
    #[serde(default, rename = "editURL")]
    #[schema(value_type = Option<String>, max_length = 2048)]
    edit_url: Patch<WebAddress>,
}

impl Wire for UpdateSpace {
    type Command = SpacePatch;

    fn command(self) -> Result<SpacePatch, Invalid> {
        if matches!((&self.emoji, &self.icon), (Patch::Set(_), Patch::Set(_))) {
            return Err(Invalid::new("icon", "must not be sent together with emoji"));
        }
        Ok(SpacePatch {
            title: self.title,
            emoji: self.emoji,
            icon: self.icon,
            edit_mode: self.edit_mode,
            default_level: default_level_patch(self.default_level)?,
            language: self.language,
            merge_rules: self.merge_rules.map(|rules| rules.read("mergeRules", true)).transpose()?,
            edit_url: self.edit_url,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use domain::access::{DefaultLevel, Role};
    use rstest::rstest;

    fn patch(body: &str) -> Result<SpacePatch, Invalid> {
        read_json::<UpdateSpace>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", None)]
    #[case(r#"{"defaultLevel":null}"#, Some(DefaultLevel::NoAccess))]
    #[case(r#"{"defaultLevel":"inherit"}"#, Some(DefaultLevel::Inherit))]
    #[case(r#"{"defaultLevel":"edit"}"#, Some(DefaultLevel::Role(Role::Edit)))]
    fn the_default_level_has_three_states_and_absence(#[case] body: &str, #[case] level: Option<DefaultLevel>) {
        assert_eq!(patch(body).unwrap().default_level, level);
    }

    #[rstest]
    #[case(&format!(r#"{{"title":"{}"}}"#, "x".repeat(51)), "title")]
    #[case(r#"{"title":null}"#, "title")]
    #[case(r#"{"editMode":"open"}"#, "editMode")]
    #[case(r#"{"defaultLevel":"owner"}"#, "defaultLevel")]
    #[case(r#"{"language":"xx"}"#, "language")]
    #[case(r#"{"emoji":"1f4d6","icon":"https://example.org/i.png"}"#, "icon")]
    #[case(r#"{"icon":"data:x"}"#, "icon")]
    #[case(r#"{"editURL":"main"}"#, "editURL")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(patch(body).unwrap_err().field, field);
    }

    #[rstest]
    #[case(r#"{"parent":"a/b"}"#, "parent")]
    #[case(r#"{"template":{"id":"t"}}"#, "template.id")]
    fn a_new_space_needs_an_existing_parent(#[case] body: &str, #[case] field: &str) {
        let new = read_json::<CreateSpace>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(new.unwrap_err().field, field);
    }

    #[test]
    fn what_a_response_has_and_a_request_has_not_is_left_alone() {
        assert_eq!(patch(r#"{"id":"x","organization":"o","revision":"r","deletedAt":"x"}"#), Ok(SpacePatch::default()));
    }
}
