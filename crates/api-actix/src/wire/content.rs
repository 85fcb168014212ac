//! Parameters for reading content, and search results.
use super::page::View;
use super::schemas;
use crate::answer::links::{Links, Place};
use crate::request::Wire;
use crate::request::paging::List;
use domain::change_request::ChangeRequestRef;
use domain::content::evaluate::Evaluated;
use domain::content::href::Form;
use domain::content::reference::ContentRef;
use domain::text::{Invalid, Rule, SearchQuery};
use domain::usecases::content::{Apply, ApplyTo, Dereferenced, Format, PageOptions};
use domain::usecases::search::{FoundPage, FoundSection, FoundSpace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// Parameters of all reads of content.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContentParams {
    /// `false` omits the git metadata of the content.
    #[param(default = true)]
    metadata: Option<bool>,
    /// `false` returns computed pages as they are stored. Otherwise, the pages that are generated from their sources
    /// replace them.
    #[param(default = true)]
    computed: Option<bool>,
}

/// How content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Whether to include git metadata.
    pub(crate) metadata: bool,
    /// Whether to replace computed pages by generated pages.
    pub(crate) computed: bool,
}

impl Wire for ContentParams {
    type Command = Shown;

    fn command(self) -> Result<Shown, Invalid> {
        Ok(Shown { metadata: self.metadata.unwrap_or(true), computed: self.computed.unwrap_or(true) })
    }
}

/// Parameters of all reads of a text.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TextParams {
    /// The format of the text; `document` if absent.
    #[param(inline)]
    format: Option<FormatParam>,
    /// The form of links in Markdown: `relative` to the page, or by id (`stable`); `relative` if absent.
    #[serde(rename = "format.markdown.refs")]
    #[param(inline, value_type = Option<schemas::MarkdownRefs>)]
    refs: Option<Form>,
    /// `true` or `deterministic-only` replaces expressions by their values; `false` if absent.
    #[param(inline)]
    evaluated: Option<EvaluatedParam>,
    /// `true` or `reusable-contents` replaces references by the content they refer to; `false` if absent.
    #[param(inline)]
    dereferenced: Option<DereferencedParam>,
}

/// The format of a text.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatParam {
    Document,
    Markdown,
}

impl From<FormatParam> for Format {
    fn from(format: FormatParam) -> Self {
        match format {
            FormatParam::Document => Self::Document,
            FormatParam::Markdown => Self::Markdown,
        }
    }
}

/// Which expressions to replace by their values.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EvaluatedParam {
    False,
    True,
    DeterministicOnly,
}

/// Which references to replace by their content.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DereferencedParam {
    False,
    True,
    ReusableContents,
}

impl Wire for TextParams {
    type Command = PageOptions;

    fn command(self) -> Result<PageOptions, Invalid> {
        Ok(PageOptions {
            format: self.format.map_or_else(Format::default, Format::from),
            refs: self.refs.unwrap_or_default(),
            evaluated: match self.evaluated {
                None | Some(EvaluatedParam::False) => Evaluated::No,
                Some(EvaluatedParam::DeterministicOnly) => Evaluated::DeterministicOnly,
                Some(EvaluatedParam::True) => Evaluated::All,
            },
            dereferenced: match self.dereferenced {
                None | Some(DereferencedParam::False) => Dereferenced::No,
                Some(DereferencedParam::ReusableContents) => Dereferenced::ReusableContents,
                Some(DereferencedParam::True) => Dereferenced::All,
            },
        })
    }
}

/// Parameters of a search.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchParams {
    /// The search query.
    #[param(value_type = String, max_length = 512)]
    query: SearchQuery,
}

impl Wire for SearchParams {
    type Command = SearchQuery;

    fn command(self) -> Result<SearchQuery, Invalid> {
        Ok(self.query)
    }
}

/// A template to add, with values for its placeholders.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplyTemplate {
    /// The id of the template.
    #[schema(example = "getting-started")]
    id: String,
    #[serde(default)]
    params: TemplateParams,
    /// The change request to add the template to, by id or number; the primary content if absent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    change_request_id: Option<ChangeRequestRef>,
}

/// Values for the placeholders of a template.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplateParams {
    /// References by placeholder name.
    #[serde(default)]
    #[schema(value_type = Object)]
    content_refs: BTreeMap<String, ContentRef>,
}

impl Wire for ApplyTemplate {
    type Command = ApplyTo;

    fn command(self) -> Result<ApplyTo, Invalid> {
        Ok(ApplyTo { apply: apply(&self.id, self.params, "id")?, change_request: self.change_request_id })
    }
}

/// A template to start with, with values for its placeholders.
#[derive(Deserialize, ToSchema)]
pub(crate) struct StartTemplate {
    #[schema(example = "getting-started")]
    id: String,
    #[serde(default)]
    params: TemplateParams,
}

impl Wire for StartTemplate {
    type Command = Apply;

    /// Converts the value of the field `template`, for the error messages.
    fn command(self) -> Result<Apply, Invalid> {
        apply(&self.id, self.params, "template.id")
    }
}

fn apply(id: &str, params: TemplateParams, field: &str) -> Result<Apply, Invalid> {
    let template = id.parse().map_err(|rule: Rule| rule.of(field))?;
    Ok(Apply { template, content_refs: params.content_refs })
}

/// A page that matches.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchPage<'a> {
    #[schema(value_type = String)]
    id: &'a domain::id::PageId,
    title: &'a str,
    /// The slugs from the root down, joined by `/`.
    path: &'a str,
    /// Empty if the page has none.
    description: &'a str,
    /// The pages above it, from the root down.
    ancestors: Vec<SearchAncestor<'a>>,
    #[schema(example = "page")]
    result_type: &'static str,
    /// The relevance of the page, above 0; comparable only within one search.
    score: f64,
    /// The rank of the page in all results, from 1.
    rank: usize,
    /// The matching sections, best match first.
    sections: Vec<SearchSection<'a>>,
    urls: SearchUrls,
}

pub(crate) type SearchPageList<'a> = List<SearchPage<'a>>;

/// A space with matching pages.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchSpace<'a> {
    #[schema(value_type = String)]
    id: &'a domain::id::SpaceId,
    title: &'a str,
    #[serde(rename = "type")]
    #[schema(example = "space")]
    kind: &'static str,
    /// The relevance of the best page; comparable only within one search.
    score: f64,
    /// The matching pages, best match first.
    pages: Vec<SearchPage<'a>>,
}

pub(crate) type SearchSpaceList<'a> = List<SearchSpace<'a>>;

pub(crate) fn search_space<'a>(found: &'a FoundSpace, links: &'a Links) -> SearchSpace<'a> {
    let view = View { metadata: true, ..View::new(links, &found.space.id, Place::Primary) };
    SearchSpace {
        id: &found.space.id,
        title: found.space.title.as_str(),
        kind: "space",
        score: found.score,
        pages: found.pages.iter().map(|page| search_page(page, view)).collect(),
    }
}

/// A page above a matching page.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchAncestor<'a> {
    title: &'a str,
}

/// A matching section of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchSection<'a> {
    /// Identifies the section within the response.
    id: String,
    /// The heading of the section; empty before the first heading.
    title: &'a str,
    /// The path of the page, with the anchor of the section.
    path: String,
    /// An excerpt of the text around the match.
    body: &'a str,
    score: f64,
    urls: SearchUrls,
}

/// URLs of a search result.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchUrls {
    /// For people.
    app: String,
}

pub(crate) fn search_page<'a>(found: &'a FoundPage, view: View<'a>) -> SearchPage<'a> {
    SearchPage {
        id: &found.id,
        title: &found.page.title,
        path: &found.path,
        description: found.page.description.as_deref().unwrap_or(""),
        ancestors: found.ancestors.iter().map(|(_, page)| SearchAncestor { title: &page.title }).collect(),
        result_type: "page",
        score: found.score,
        rank: found.rank,
        sections: found.sections.iter().map(|section| search_section(section, found, view)).collect(),
        urls: SearchUrls { app: view.links.page(view.space, view.place, &found.id) },
    }
}

fn search_section<'a>(section: &'a FoundSection, found: &'a FoundPage, view: View<'a>) -> SearchSection<'a> {
    let anchor = section.anchor.as_deref();
    let place = |page: &str| anchor.map_or_else(|| page.to_owned(), |anchor| format!("{page}#{anchor}"));
    SearchSection {
        id: place(found.id.as_str()),
        title: &section.title,
        path: place(&found.path),
        body: &section.body.text,
        score: section.score,
        urls: SearchUrls { app: view.links.section(view.space, view.place, &found.id, anchor) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_query;
    use rstest::rstest;

    fn options(query: &str) -> Result<PageOptions, Invalid> {
        read_query::<TextParams>(query)?.command()
    }

    #[test]
    fn by_default_blocks_are_returned_unchanged() {
        assert_eq!(options(""), Ok(PageOptions::default()));
    }

    #[test]
    fn every_option_is_understood() {
        let asked =
            "format=markdown&format.markdown.refs=stable&evaluated=deterministic-only&dereferenced=reusable-contents";
        let (evaluated, dereferenced) = (Evaluated::DeterministicOnly, Dereferenced::ReusableContents);
        let expected = PageOptions { format: Format::Markdown, refs: Form::Stable, evaluated, dereferenced };
        assert_eq!(options(asked), Ok(expected));
    }

    #[rstest]
    #[case("format=html", "format")]
    #[case("format.markdown.refs=x", "format.markdown.refs")]
    #[case("evaluated=maybe", "evaluated")]
    #[case("dereferenced=1", "dereferenced")]
    fn an_option_that_is_none_is_named(#[case] query: &str, #[case] field: &str) {
        assert_eq!(options(query).unwrap_err().field, field);
    }

    #[rstest]
    #[case("", Err("query"))]
    #[case("query=", Ok(""))]
    #[case("query=a+b", Ok("a b"))]
    #[case(&format!("query={}", "x".repeat(513)), Err("query"))]
    fn a_search_needs_a_query(#[case] raw: &str, #[case] expected: Result<&str, &str>) {
        let query =
            read_query::<SearchParams>(raw).map(|params| params.query.to_string()).map_err(|invalid| invalid.field);
        assert_eq!(query, expected.map(str::to_owned).map_err(str::to_owned));
    }
}
