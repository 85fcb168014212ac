//! Feedback of visitors on pages of sites.
use super::schemas;
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::{List, Next};
use crate::wire::given;
use chrono::{DateTime, Utc};
use domain::id::PageId;
use domain::ports::store::site_feedback::FeedbackFilter;
use domain::site::feedback::{self, FeedbackRating};
use domain::text::{Invalid, Rule};
use domain::usecases::sites::feedback::ShownFeedback;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Feedback of a visitor on a page of a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteFeedback {
    #[schema(example = "site-feedback")]
    object: &'static str,
    id: String,
    /// The space on the site; absent if it is not on the site any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_space: Option<String>,
    /// The space of the page.
    space: String,
    page: FeedbackPage,
    #[schema(value_type = schemas::SiteFeedbackRating)]
    rating: FeedbackRating,
    /// What the visitor wrote: plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    comment: Option<String>,
    created_at: DateTime<Utc>,
    urls: SiteFeedbackUrls,
}

/// The page that feedback is on.
#[derive(Serialize, ToSchema)]
pub(crate) struct FeedbackPage {
    id: String,
    /// Its title now; absent if the page is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Its path in the space now; absent if the page is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// URLs of feedback.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteFeedbackUrls {
    location: String,
}

pub(crate) fn site_feedback(shown: ShownFeedback, links: &Links) -> SiteFeedback {
    let ShownFeedback { feedback, site, page } = shown;
    let (title, path) = page.map(|page| (page.title, page.path)).unzip();
    SiteFeedback {
        object: "site-feedback",
        urls: SiteFeedbackUrls { location: links.site_feedback(&site, &feedback.id) },
        id: feedback.id.into(),
        site_space: feedback.site_space.map(String::from),
        space: feedback.space.into(),
        page: FeedbackPage { id: feedback.page.into(), title, path },
        rating: feedback.rating,
        comment: feedback.comment.map(String::from),
        created_at: feedback.created_at,
    }
}

/// A page of a list of feedback.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteFeedbackList {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    /// The number of items of the whole list.
    count: usize,
    items: Vec<SiteFeedback>,
    ratings: SiteFeedbackRatings,
}

/// The number of each rating on the site, or on the page that the list is filtered by. The filter `rating` does not
/// change them.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteFeedbackRatings {
    bad: usize,
    ok: usize,
    good: usize,
}

/// Adds the numbers of ratings to a page of a list.
pub(crate) fn site_feedback_list(
    list: List<SiteFeedback, impl Iterator<Item = SiteFeedback>>,
    ratings: feedback::RatingCounts,
) -> SiteFeedbackList {
    let (next, count, items) = list.into_parts();
    let feedback::RatingCounts { bad, ok, good } = ratings;
    SiteFeedbackList { next, count, items, ratings: SiteFeedbackRatings { bad, ok, good } }
}

/// Filters of the list of feedback.
///
/// The page is `pageId` in the query, because `page` is the token of a page of the list.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct SiteFeedbackParams {
    /// Only feedback with this rating.
    #[param(value_type = Option<schemas::SiteFeedbackRating>)]
    rating: Option<String>,
    /// Only feedback on the page with this id.
    #[serde(default, deserialize_with = "given")]
    #[param(value_type = Option<String>)]
    page_id: Option<PageId>,
}

impl Wire for SiteFeedbackParams {
    type Command = FeedbackFilter;

    fn command(self) -> Result<FeedbackFilter, Invalid> {
        let rating = self.rating.map(|raw| raw.parse().map_err(|rule: Rule| rule.of("rating"))).transpose()?;
        Ok(FeedbackFilter { rating, page: self.page_id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_query;

    #[test]
    fn a_filter_that_breaks_a_rule_is_named() {
        let filter = |query| read_query::<SiteFeedbackParams>(query)?.command();
        assert_eq!(filter(""), Ok(FeedbackFilter::default()));
        let both = FeedbackFilter { rating: Some(FeedbackRating::Ok), page: "p".parse().ok() };
        assert_eq!(filter("rating=ok&pageId=p"), Ok(both));
        assert_eq!(filter("rating=great").unwrap_err().to_string(), "rating: must be one of bad, ok, good");
        assert_eq!(filter("pageId=%2F").unwrap_err().field, "pageId");
    }
}
