//! The parts of a structure in requests.
use crate::request::Wire;
use crate::wire::content::StartTemplate;
use crate::wire::given;
use domain::id::{PageId, SiteSectionGroupId, SiteSectionId, SiteSpaceId, SpaceId};
use domain::patch::Patch;
use domain::site::condition::Condition;
use domain::site::path::SitePath;
use domain::site::structure::{
    LinkPatch, LinkSettings, Localized, NewPlace, SectionGroupPatch, SectionGroupSettings, SectionGroupTitle,
    SectionPatch, SiteDescription, SiteSpacePatch, SiteTitle,
};
use domain::text::{Icon, Invalid};
use domain::usecases::sites::structure::{Linked, NewLink, NewSection, NewSectionGroup, NewSiteSpace};
use domain::web_address::WebAddress;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

/// Parses a condition; an empty text is none.
fn condition_patch(condition: Patch<String>) -> Result<Patch<Condition>, Invalid> {
    Ok(match condition.try_map(|source| Condition::parse(&source).map_err(|rule| rule.of("condition")))? {
        Patch::Keep => Patch::Keep,
        Patch::Clear | Patch::Set(None) => Patch::Clear,
        Patch::Set(Some(condition)) => Patch::Set(condition),
    })
}

fn condition_of(condition: Option<String>) -> Result<Option<Condition>, Invalid> {
    let parse = |source: String| Condition::parse(&source).map_err(|rule| rule.of("condition"));
    Ok(condition.map(parse).transpose()?.flatten())
}

/// Use with `#[serde(default)]` for fields that `null` empties: absent is `None`.
fn or_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(|value| Some(value.unwrap_or_default()))
}

/// The space that a site is to show.
fn linked(space: Patch<SpaceId>, template: Option<StartTemplate>, page: Option<&PageId>) -> Result<Linked, Invalid> {
    match space {
        Patch::Keep => Err(Invalid::new("spaceId", "is required; null creates a new space")),
        Patch::Clear if page.is_some() => Err(Invalid::new("pageId", "must be absent if spaceId is null")),
        Patch::Clear => Ok(Linked::New(template.map(Wire::command).transpose()?)),
        Patch::Set(_) if template.is_some() => Err(Invalid::new("template", "must be absent unless spaceId is null")),
        Patch::Set(space) => Ok(Linked::Existing(space)),
    }
}

/// A copy of a space on a site.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct DuplicateSiteSpace {
    /// Whether the copy is a draft, which visitors do not see.
    #[serde(default)]
    draft: bool,
}

impl Wire for DuplicateSiteSpace {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.draft)
    }
}

/// A space to add to a site.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSiteSpace {
    /// The space, which the caller must be allowed to manage; `null` creates a new one, with the `title`.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = true)]
    space_id: Patch<SpaceId>,
    /// The template whose pages a new space has; one empty page if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = StartTemplate)]
    template: Option<StartTemplate>,
    /// The section to add it to; the default section if absent.
    #[schema(value_type = Option<String>)]
    section_id: Option<SiteSectionId>,
    #[schema(value_type = Option<String>, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    /// The page of the space that it starts with.
    #[schema(value_type = Option<String>)]
    page_id: Option<PageId>,
    #[serde(default)]
    draft: bool,
}

impl Wire for CreateSiteSpace {
    type Command = NewSiteSpace;

    fn command(self) -> Result<NewSiteSpace, Invalid> {
        Ok(NewSiteSpace {
            space: linked(self.space_id, self.template, self.page_id.as_ref())?,
            place: self.section_id.map_or(NewPlace::Default, NewPlace::Section),
            title: self.title,
            page: self.page_id,
            draft: self.draft,
        })
    }
}

/// Changes to a site space; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateSiteSpace {
    /// Another space, which the caller must be allowed to manage. This clears `pageId`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    space_id: Option<SpaceId>,
    /// `null` shows the title of the space.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 2, max_length = 128)]
    title: Patch<SiteTitle>,
    /// 1 to 100 letters and digits of any language, `.`, `_` and `-`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    path: Option<SitePath>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    page_id: Patch<PageId>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    draft: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    hidden: Option<bool>,
    /// An expression such as `visitor.claims.plan === "pro"`; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 1024)]
    condition: Patch<String>,
    /// The title by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SiteTitle>>,
}

impl Wire for UpdateSiteSpace {
    type Command = SiteSpacePatch;

    fn command(self) -> Result<SiteSpacePatch, Invalid> {
        Ok(SiteSpacePatch {
            space: self.space_id,
            title: self.title,
            path: self.path,
            page: self.page_id,
            draft: self.draft,
            hidden: self.hidden,
            condition: condition_patch(self.condition)?,
            localized_title: self.localized_title,
        })
    }
}

/// A section to add to a site.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSection {
    /// Its first space, which the caller must be allowed to manage; `null` creates a new one, with the `title`.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = true)]
    space_id: Patch<SpaceId>,
    /// The template whose pages a new space has; one empty page if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = StartTemplate)]
    template: Option<StartTemplate>,
    /// The title of the space if absent.
    #[schema(value_type = Option<String>, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Option<Icon>,
    /// The page of the space that it starts with.
    #[schema(value_type = Option<String>)]
    page_id: Option<PageId>,
    #[serde(default)]
    draft: bool,
    /// The group that holds it; the top level if absent.
    #[schema(value_type = Option<String>)]
    site_section_group_id: Option<SiteSectionGroupId>,
}

impl Wire for CreateSection {
    type Command = NewSection;

    fn command(self) -> Result<NewSection, Invalid> {
        Ok(NewSection {
            space: linked(self.space_id, self.template, self.page_id.as_ref())?,
            title: self.title,
            icon: self.icon.filter(|icon| !icon.as_str().is_empty()),
            page: self.page_id,
            draft: self.draft,
            group: self.site_section_group_id,
        })
    }
}

/// Changes to a section; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateSection {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 256)]
    description: Patch<SiteDescription>,
    /// 1 to 100 letters and digits of any language, `.`, `_` and `-`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    path: Option<SitePath>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Patch<Icon>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    draft: Option<bool>,
    /// An expression such as `visitor.claims.plan === "pro"`; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 1024)]
    condition: Patch<String>,
    /// The default site space of the section.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    default_site_space: Option<SiteSpaceId>,
    /// The group that holds it; `null` is the top level.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    site_section_group_id: Patch<SiteSectionGroupId>,
    /// The title by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SiteTitle>>,
    /// The description by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_description: Option<Localized<SiteDescription>>,
}

impl Wire for UpdateSection {
    type Command = SectionPatch;

    fn command(self) -> Result<SectionPatch, Invalid> {
        Ok(SectionPatch {
            title: self.title,
            description: self.description,
            path: self.path,
            icon: self.icon,
            draft: self.draft,
            condition: condition_patch(self.condition)?,
            localized_title: self.localized_title,
            localized_description: self.localized_description,
            default_space: self.default_site_space,
            group: self.site_section_group_id,
        })
    }
}

/// A group to add to a site with sections.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSectionGroup {
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    title: SectionGroupTitle,
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Option<Icon>,
    /// The sections to put into it, in order.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    sections: Vec<SiteSectionId>,
    /// The group that holds it; the top level if absent.
    #[schema(value_type = Option<String>)]
    parent: Option<SiteSectionGroupId>,
    #[serde(default)]
    draft: bool,
    /// The title by language.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SectionGroupTitle>>,
}

impl Wire for CreateSectionGroup {
    type Command = NewSectionGroup;

    fn command(self) -> Result<NewSectionGroup, Invalid> {
        let settings = SectionGroupSettings {
            title: self.title,
            icon: self.icon.filter(|icon| !icon.as_str().is_empty()),
            draft: self.draft,
            localized_title: self.localized_title.unwrap_or_default(),
        };
        Ok(NewSectionGroup { settings, sections: self.sections, parent: self.parent })
    }
}

/// Changes to a group; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateSectionGroup {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    title: Option<SectionGroupTitle>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Patch<Icon>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    draft: Option<bool>,
    /// The group that holds it; `null` is the top level.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    parent_section_group_id: Patch<SiteSectionGroupId>,
    /// The title by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SectionGroupTitle>>,
}

impl Wire for UpdateSectionGroup {
    type Command = SectionGroupPatch;

    fn command(self) -> Result<SectionGroupPatch, Invalid> {
        Ok(SectionGroupPatch {
            title: self.title,
            icon: self.icon,
            draft: self.draft,
            localized_title: self.localized_title,
            parent: self.parent_section_group_id,
        })
    }
}

/// A section to put into a group.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddGroupedSection {
    #[schema(value_type = String)]
    section_id: SiteSectionId,
}

impl Wire for AddGroupedSection {
    type Command = SiteSectionId;

    fn command(self) -> Result<SiteSectionId, Invalid> {
        Ok(self.section_id)
    }
}

/// A link to add to a site with sections.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateLink {
    #[schema(value_type = String, min_length = 2, max_length = 128)]
    title: SiteTitle,
    #[schema(value_type = String, max_length = 2048)]
    url: WebAddress,
    #[schema(value_type = Option<String>, max_length = 256)]
    description: Option<SiteDescription>,
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Option<Icon>,
    /// The group that holds it; the top level if absent.
    #[schema(value_type = Option<String>)]
    parent: Option<SiteSectionGroupId>,
    #[serde(default)]
    draft: bool,
    /// An expression such as `visitor.claims.plan === "pro"`.
    #[schema(max_length = 1024)]
    condition: Option<String>,
    /// The title by language.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SiteTitle>>,
    /// The description by language.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_description: Option<Localized<SiteDescription>>,
}

impl Wire for CreateLink {
    type Command = NewLink;

    fn command(self) -> Result<NewLink, Invalid> {
        let settings = LinkSettings {
            title: self.title,
            url: self.url,
            description: self.description,
            icon: self.icon.filter(|icon| !icon.as_str().is_empty()),
            draft: self.draft,
            condition: condition_of(self.condition)?,
            localized_title: self.localized_title.unwrap_or_default(),
            localized_description: self.localized_description.unwrap_or_default(),
        };
        Ok(NewLink { settings, parent: self.parent })
    }
}

/// Changes to a link; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateLink {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 2, max_length = 128)]
    title: Option<SiteTitle>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 2048)]
    url: Option<WebAddress>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 256)]
    description: Patch<SiteDescription>,
    /// `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    icon: Patch<Icon>,
    /// The group that holds it; `null` is the top level.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    parent: Patch<SiteSectionGroupId>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    draft: Option<bool>,
    /// An expression such as `visitor.claims.plan === "pro"`; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 1024)]
    condition: Patch<String>,
    /// The title by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_title: Option<Localized<SiteTitle>>,
    /// The description by language; `null` removes it.
    #[serde(default, deserialize_with = "or_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    localized_description: Option<Localized<SiteDescription>>,
}

impl Wire for UpdateLink {
    type Command = LinkPatch;

    fn command(self) -> Result<LinkPatch, Invalid> {
        Ok(LinkPatch {
            title: self.title,
            url: self.url,
            description: self.description,
            icon: self.icon,
            draft: self.draft,
            condition: condition_patch(self.condition)?,
            localized_title: self.localized_title,
            localized_description: self.localized_description,
            parent: self.parent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"condition":"visitor.claims.beta"}"#, None)]
    #[case(r#"{"condition":""}"#, None)]
    #[case(r#"{"condition":"visitor.("}"#, Some("condition"))]
    #[case(r#"{"path":"~x"}"#, Some("path"))]
    #[case(r#"{"localizedTitle":{"de":"Anleitung"}}"#, None)]
    #[case(r#"{"localizedTitle":{"xx":"Anleitung"}}"#, Some("localizedTitle"))]
    #[case(r#"{"localizedTitle":"Anleitung"}"#, Some("localizedTitle"))]
    #[case(r#"{"spaceId":null}"#, Some("spaceId"))]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: Option<&str>) {
        let read = read_json::<UpdateSiteSpace>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.err().map(|error| error.field).as_deref(), field);
    }
}
