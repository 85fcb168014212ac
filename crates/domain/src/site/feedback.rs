//! Feedback of visitors on pages of a site.
use crate::id::{PageId, SiteFeedbackId, SiteId, SiteSpaceId, SpaceId};
use crate::text::{FeedbackComment, Invalid, Rule};
use crate::words;
use chrono::{DateTime, Utc};

/// The most feedback that is kept of a site: the oldest is removed when there is more; see [`is_trimming_due`].
pub const MAX_FEEDBACK: usize = 100_000;

/// Whether the oldest feedback of a site is removed when another one is sent at `now`: once a minute, since it takes a
/// walk through all of it. `newest` is when the one before was sent.
pub fn is_trimming_due(newest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    let minute = |time: DateTime<Utc>| time.timestamp().div_euclid(60);
    newest.is_some_and(|newest| minute(newest) != minute(now))
}

words! {
    /// How a visitor rates a page.
    pub enum FeedbackRating {
        Bad = "bad",
        Ok = "ok",
        Good = "good",
    }
}

/// A visitor's feedback on a page. It does not identify the visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFeedback {
    /// The id; ids sort by time.
    pub id: SiteFeedbackId,
    /// The site.
    pub site: SiteId,
    /// The space on the site; absent if it is not on the site any more.
    pub site_space: Option<SiteSpaceId>,
    /// The space of the page.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// The rating.
    pub rating: FeedbackRating,
    /// The comment of the visitor.
    pub comment: Option<FeedbackComment>,
    /// When it was sent.
    pub created_at: DateTime<Utc>,
}

/// Feedback that a visitor sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFeedback {
    /// The rating.
    pub rating: FeedbackRating,
    /// The comment of the visitor.
    pub comment: Option<FeedbackComment>,
}

impl NewFeedback {
    /// Reads the fields of a form. A comment of only white space is absent, because browsers send every field. Browsers
    /// send each line end as two characters, but count it as one.
    ///
    /// # Errors
    /// [`Invalid`] for `rating` or `comment`.
    pub fn read(rating: Option<&str>, comment: Option<&str>) -> Result<Self, Invalid> {
        let rating = rating.unwrap_or_default().parse().map_err(|rule: Rule| rule.of("rating"))?;
        let comment = comment.map(|text| text.replace("\r\n", "\n")).filter(|text| !text.trim().is_empty());
        let comment = comment.map(FeedbackComment::try_from).transpose().map_err(|rule| rule.of("comment"))?;
        Ok(Self { rating, comment })
    }
}

/// How many visitors gave each rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "one number for each rating")]
pub struct RatingCounts {
    pub bad: usize,
    pub ok: usize,
    pub good: usize,
}

impl RatingCounts {
    /// Counts ratings.
    pub fn add(&mut self, rating: FeedbackRating, count: usize) {
        let sum = match rating {
            FeedbackRating::Bad => &mut self.bad,
            FeedbackRating::Ok => &mut self.ok,
            FeedbackRating::Good => &mut self.good,
        };
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::nothing(None, None, "rating: must be one of bad, ok, good")]
    #[case::another_word(Some("great"), None, "rating: must be one of bad, ok, good")]
    #[case::another_case(Some("Good"), None, "rating: must be one of bad, ok, good")]
    #[case::a_null_character(Some("ok"), Some("a\0"), "comment: must not contain U+0000")]
    fn a_field_that_breaks_a_rule_is_named(
        #[case] rating: Option<&str>,
        #[case] comment: Option<&str>,
        #[case] error: &str,
    ) {
        assert_eq!(NewFeedback::read(rating, comment).unwrap_err().to_string(), error);
    }

    #[rstest]
    #[case::none(None, None)]
    #[case::empty(Some(""), None)]
    #[case::blank(Some(" \r\n\t"), None)]
    #[case::ends_of_lines(Some("One\r\n\r\nTwo\n"), Some("One\n\nTwo\n"))]
    #[case::markup(Some("<b onclick=x>&amp;"), Some("<b onclick=x>&amp;"))]
    fn a_comment_keeps_its_text(#[case] sent: Option<&str>, #[case] kept: Option<&str>) {
        let read = NewFeedback::read(Some("bad"), sent).unwrap();
        assert_eq!(read.rating, FeedbackRating::Bad);
        assert_eq!(read.comment.as_ref().map(FeedbackComment::as_str), kept);
    }

    #[test]
    fn a_comment_has_at_most_2000_characters_and_the_end_of_a_line_is_one() {
        let lines = "\r\n".repeat(1999) + "é";
        assert!(NewFeedback::read(Some("good"), Some(&lines)).is_ok());
        let long = NewFeedback::read(Some("good"), Some(&"é".repeat(2001))).unwrap_err();
        assert_eq!(long.to_string(), "comment: must have at most 2000 characters, not 2001");
    }

    #[rstest]
    #[case::the_first(None, 0, false)]
    #[case::in_the_same_minute(Some(60), 119, false)]
    #[case::in_the_next_minute(Some(119), 120, true)]
    #[case::an_hour_later(Some(60), 3660, true)]
    #[case::after_the_clock_went_back(Some(120), 119, true)]
    fn feedback_is_trimmed_with_the_first_of_a_minute(
        #[case] newest: Option<i64>,
        #[case] now: i64,
        #[case] expected: bool,
    ) {
        let time = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        assert_eq!(is_trimming_due(newest.map(time), time(now)), expected);
    }

    #[test]
    fn ratings_are_counted_by_their_word() {
        let mut counts = RatingCounts::default();
        for (rating, count) in [(FeedbackRating::Bad, 1), (FeedbackRating::Good, 2), (FeedbackRating::Good, 3)] {
            counts.add(rating, count);
        }
        assert_eq!(counts, RatingCounts { bad: 1, ok: 0, good: 5 });
    }
}
