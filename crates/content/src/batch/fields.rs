//! The values for a page in the fields of a change or in the front matter of its text.
use super::{Step, refuse};
use crate::expression::Expression;
use crate::markdown::FrontMatter;
use crate::page::{PageEntry, read_slug};
use serde_json::Value;
use values::text::{Emoji, Icon, Invalid, PageDescription, PageTitle, Rule};

/// New values for a page; a value stays if it is absent here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFields {
    /// Its title.
    pub title: Option<String>,
    /// Its part of the path; if empty, a new one is made from the title.
    pub slug: Option<String>,
    /// Its emoji; empty to remove it.
    pub emoji: Option<String>,
    /// The name of its icon; empty to remove it.
    pub icon: Option<String>,
    /// The line under its title; empty to remove it.
    pub description: Option<String>,
    /// Whether it is left out of the table of contents.
    pub hidden: Option<bool>,
    /// Whether it is left out of search.
    pub no_index: Option<bool>,
    /// Whether external search engines are asked to leave it out.
    pub no_robots_index: Option<bool>,
    /// The expression that decides who sees it; empty to remove it.
    pub condition: Option<String>,
}

impl PageFields {
    /// Sets the values of a page, except for the slug, which depends on the siblings.
    ///
    /// # Errors
    /// The field, as the API names it, and its rule.
    pub(super) fn set(&self, page: &mut PageEntry) -> Result<(), Invalid> {
        let Self { title, slug, emoji, icon, description, hidden, no_index, no_robots_index, condition } = self;
        if let Some(title) = title {
            page.title = checked::<PageTitle>("title", title)?;
        }
        if let Some(slug) = slug.as_deref().filter(|slug| !slug.is_empty()) {
            read_slug(slug).map_err(|rule| rule.of("slug"))?;
        }
        optional::<Emoji>("emoji", emoji, &mut page.emoji)?;
        optional::<Icon>("icon", icon, &mut page.icon)?;
        optional::<PageDescription>("description", description, &mut page.description)?;
        if let Some(condition) = condition {
            if !condition.is_empty() {
                Expression::parse(condition).map_err(|error| Invalid::new("condition", error.to_string()))?;
            }
            page.condition = some(condition.clone());
        }
        page.hidden = hidden.unwrap_or(page.hidden);
        page.no_index = no_index.unwrap_or(page.no_index);
        page.no_robots_index = no_robots_index.unwrap_or(page.no_robots_index);
        Ok(())
    }

    /// The fields in a front matter.
    pub(super) fn of_front(front: &FrontMatter) -> Self {
        let text = |key: &str| match front.get(key)? {
            Value::Null => Some(String::new()),
            Value::String(text) => Some(text.trim().to_owned()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            Value::Array(_) | Value::Object(_) => None,
        };
        // A title keeps its blanks, so that it is rejected for them. Only the line feed that ends a YAML block is not
        // part of it.
        let title = match front.get("title") {
            Some(Value::String(title)) => Some(title.strip_suffix('\n').unwrap_or(title).to_owned()),
            _ => text("title"),
        };
        Self {
            title: title.and_then(some),
            slug: text("slug").and_then(some),
            emoji: text("emoji"),
            icon: text("icon"),
            description: text("description"),
            hidden: front.hidden(),
            no_index: front.no_index(),
            no_robots_index: front.no_robots_index(),
            condition: text("if"),
        }
    }

    /// Like [`PageFields::set`], with the fields in the front matter of a text.
    pub(super) fn set_by_front(&self, page: &mut PageEntry) -> Step<()> {
        match self.set(page) {
            Ok(()) => Ok(()),
            Err(Invalid { field, rule }) => refuse("document.markdown", format!("{field} in the front matter: {rule}")),
        }
    }
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// The text, if it satisfies the rule of the type `T`.
pub(super) fn checked<T: TryFrom<String, Error = Rule> + Into<String>>(
    field: &str,
    text: &str,
) -> Result<String, Invalid> {
    T::try_from(text.to_owned()).map(Into::into).map_err(|rule| rule.of(field))
}

fn optional<T: TryFrom<String, Error = Rule> + Into<String>>(
    field: &str,
    text: &Option<String>,
    into: &mut Option<String>,
) -> Result<(), Invalid> {
    if let Some(text) = text {
        *into = some(checked::<T>(field, text)?);
    }
    Ok(())
}
