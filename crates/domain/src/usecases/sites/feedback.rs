//! Feedback on pages of sites: visitors send it, and editors of the site read it.
use super::reader::RatablePage;
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::{MemoryObjects, Read, together};
use crate::content::page::PageKind;
use crate::content::snapshot::Snapshot;
use crate::event::Change;
use crate::id::{OrganizationId, PageId, SiteFeedbackId, SiteId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::StoreError;
use crate::ports::store::site_feedback::FeedbackFilter;
use crate::site::Site;
use crate::site::feedback::{MAX_FEEDBACK, NewFeedback, RatingCounts, SiteFeedback, is_trimming_due};
use crate::space::Space;
use crate::usecases::content::{Generator, LoadedRevision, VisibleSources, sources};
use crate::usecases::work::{Units, Work};
use crate::usecases::{Error, Input, Precondition, open};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The actor that stores feedback of visitors.
static SERVER: Actor = Actor::Server;

/// Stores, lists and deletes feedback.
#[derive(Clone)]
pub struct SiteFeedbacks {
    /// Units of work.
    pub units: Units,
}

/// The current version of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedPage {
    /// Its title.
    pub title: String,
    /// Its path in its space.
    pub path: String,
}

/// Feedback in the form of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownFeedback {
    /// The feedback.
    pub feedback: SiteFeedback,
    /// The site.
    pub site: Granted<Site>,
    /// The page, if it still exists.
    pub page: Option<RatedPage>,
}

/// The feedback of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedbackList {
    /// A page of the list.
    pub page: Page<ShownFeedback>,
    /// The number of each rating, whatever rating the list is filtered by.
    pub ratings: RatingCounts,
}

impl SiteFeedbacks {
    /// Stores a visitor's feedback on a page.
    ///
    /// It takes no lock: visitors who send all the time would keep an edit of the site waiting. New feedback changes
    /// nothing that was there before. If the site changes at the same time, the result is the same as if the feedback
    /// had been sent before. If the site or the space on it is removed at the same time, the feedback is refused.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the page has left the site since the visit.
    pub async fn send(&self, page: &RatablePage, new: NewFeedback) -> Result<SiteFeedback, Error> {
        let mut work = self.units.write(&SERVER).await?;
        let shown = work.sites().published_space(&page.site, &page.site_space).await?;
        if shown.as_ref() != Some(&page.space) {
            return Err(Error::NotFound("page"));
        }
        let NewFeedback { rating, comment } = new;
        let feedback = SiteFeedback {
            id: work.ids.make(),
            site: page.site.clone(),
            site_space: Some(page.site_space.clone()),
            space: page.space.clone(),
            page: page.page.clone(),
            rating,
            comment,
            created_at: work.now(),
        };
        let newest = work.site_feedback().newest(&page.site).await?;
        work.site_feedback().add(&feedback).await.map_err(gone)?;
        if is_trimming_due(newest, feedback.created_at) {
            work.site_feedback().trim(&page.site, MAX_FEEDBACK).await?;
        }
        let change = Change::PageFeedback {
            site: page.site.clone(),
            site_space: page.site_space.clone(),
            space: page.space.clone(),
            page: page.page.clone(),
            feedback: feedback.id.clone(),
            rating,
        };
        work.record(&page.organization, change).await?;
        work.commit().await?;
        Ok(feedback)
    }

    /// The feedback of a site on pages of spaces that the caller may read.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit the site; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        query: Input<(FeedbackFilter, PageRequest)>,
    ) -> Result<FeedbackList, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, site, |may| may.edit).await?;
        let (filter, page) = query.read()?;
        let tally = work.site_feedback().tally(&site.id, filter.page.as_ref()).await?;
        let all: BTreeSet<SpaceId> = tally.iter().map(|one| one.space.clone()).collect();
        let readable = readable(&mut work, &site, &all).await?;
        let mut ratings = RatingCounts::default();
        for one in tally.iter().filter(|one| readable.contains_key(&one.space)) {
            ratings.add(one.rating, one.count);
        }
        let some: Option<Vec<SpaceId>> = (readable.len() < all.len()).then(|| readable.keys().cloned().collect());
        let found = work.site_feedback().list(&site.id, some.as_deref(), &filter, &page).await?;
        let pages = pages_now(&mut work, &site, readable, &found.items).await?;
        let page = found.map(|feedback| shown(feedback, &site, &pages));
        Ok(FeedbackList { page, ratings })
    }

    /// Feedback of a site.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for feedback on a page of a space that the caller may not read; [`Error::Forbidden`]
    /// for callers who may not edit the site.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        id: &SiteFeedbackId,
    ) -> Result<ShownFeedback, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, site, |may| may.edit).await?;
        find(&mut work, &site, id).await?.ok_or(Error::NotFound("feedback"))
    }

    /// Deletes feedback. Returns whether there was some that the caller may see.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers other than administrators of the site; [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        id: &SiteFeedbackId,
        precondition: Precondition<ShownFeedback>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[site.into()]).await?;
        let found = work.site(organization, site, |may| may.admin).await;
        let Some(site) = precondition.found(found)? else { return Ok(false) };
        let Some(shown) = find(&mut work, &site, id).await? else { return precondition.nothing_removed() };
        precondition.check(&shown)?;
        work.site_feedback().remove(&site.id, id).await?;
        let change = Change::PageFeedbackDeleted { site: site.id.clone(), feedback: id.clone() };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }
}

/// The error of feedback on a page that left the site at the same time.
fn gone(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(name) if name == "page" => Error::NotFound("page"),
        other => other.into(),
    }
}

/// Feedback on a page of a space that the caller may read.
async fn find(work: &mut Work<'_>, site: &Granted<Site>, id: &SiteFeedbackId) -> Result<Option<ShownFeedback>, Error> {
    let Some(feedback) = work.site_feedback().find(&site.id, id).await? else { return Ok(None) };
    let readable = readable(work, site, &BTreeSet::from([feedback.space.clone()])).await?;
    if readable.is_empty() {
        return Ok(None);
    }
    let pages = pages_now(work, site, readable, std::slice::from_ref(&feedback)).await?;
    Ok(Some(shown(feedback, site, &pages)))
}

/// Spaces that the caller may read.
type Readable = BTreeMap<SpaceId, Granted<Space>>;

/// Those of these spaces that the caller may read, and that the organization of the site still owns.
async fn readable(work: &mut Work<'_>, site: &Site, spaces: &BTreeSet<SpaceId>) -> Result<Readable, Error> {
    if spaces.is_empty() {
        return Ok(Readable::new());
    }
    let actor = work.actor;
    let organization_access = work.organization_access(&site.organization).await?;
    let found = work.spaces().find_many(&spaces.iter().cloned().collect::<Vec<_>>()).await?;
    let own = found.into_iter().filter(|space| space.organization == site.organization);
    let granted = own.filter_map(|space| open::grant_listed_space(actor, &organization_access, space).ok());
    Ok(granted.map(|space| (space.id.clone(), space)).collect())
}

/// Pages by their space and their id.
type Pages = HashMap<(SpaceId, PageId), RatedPage>;

/// The pages of this feedback, which is on these spaces, that are still there. The number of queries depends on the
/// levels of the page trees, not on the number of spaces, unless pages are generated.
async fn pages_now(
    work: &mut Work<'_>,
    site: &Site,
    mut readable: Readable,
    feedback: &[SiteFeedback],
) -> Result<Pages, Error> {
    let mut wanted: BTreeMap<&SpaceId, BTreeSet<&PageId>> = BTreeMap::new();
    for one in feedback {
        wanted.entry(&one.space).or_default().insert(&one.page);
    }
    readable.retain(|space, _| wanted.contains_key(space));
    let mut all = LoadedRevision::load_all(work, readable.into_values().collect()).await?;
    let mut objects = MemoryObjects::default();
    let read = work.compute(&mut objects, |objects| {
        let of_space = |opened: &LoadedRevision| -> Read<Vec<Option<(PageId, RatedPage)>>> {
            let ids = wanted.get(&opened.space.id).into_iter().flatten();
            together(ids.map(|id| stored_page(&opened.snapshot, objects, id)))
        };
        together(all.iter().map(of_space))
    });
    let read = read.await?;
    let mut generator = Generator::new(site.organization.clone(), VisibleSources::Viewed);
    let mut pages = Pages::new();
    for (opened, stored) in all.iter_mut().zip(read) {
        let space = opened.space.id.clone();
        let Some(wanted) = wanted.get(&space) else { continue };
        let stored: BTreeMap<PageId, RatedPage> = stored.into_iter().flatten().collect();
        // Generated pages are not stored. They are found with the whole tree, which takes long in a large space.
        if opened.snapshot.has_computed_pages() && stored.len() < wanted.len() {
            let tree = opened.read(work, |snapshot, objects| snapshot.tree(objects)).await?;
            let generated = generator.computed(work, sources(&tree.roots)).await?;
            let tree = tree.with_computed(&generated);
            let missing = tree.iter().filter(|node| wanted.contains(&node.id) && !stored.contains_key(&node.id));
            pages.extend(missing.map(|node| {
                let page = RatedPage { title: node.page.title.clone(), path: node.path.clone() };
                ((space.clone(), node.id.clone()), page)
            }));
        }
        pages.extend(stored.into_iter().map(|(id, page)| ((space.clone(), id), page)));
    }
    Ok(pages)
}

/// A page, unless it is a computed one.
fn stored_page(snapshot: &Snapshot, objects: &MemoryObjects, id: &PageId) -> Read<Option<(PageId, RatedPage)>> {
    let found = snapshot.page(objects, id)?;
    let Some(page) = found.filter(|page| !matches!(page.kind, PageKind::Computed { .. })) else { return Ok(None) };
    let path = snapshot.path(objects, id)?.unwrap_or_default();
    Ok(Some((id.clone(), RatedPage { title: page.title, path })))
}

fn shown(feedback: SiteFeedback, site: &Granted<Site>, pages: &Pages) -> ShownFeedback {
    let page = pages.get(&(feedback.space.clone(), feedback.page.clone())).cloned();
    ShownFeedback { feedback, site: site.clone(), page }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SiteSpaceId;
    use crate::ports::testing::MockTx;
    use rstest::rstest;
    use serde_json::json;

    /// The page `p` of the space `s`, which is the space `variant` of a site.
    fn page() -> RatablePage {
        RatablePage::of(&"site".parse().unwrap(), &"o".parse().unwrap(), ("variant", "s"), "p")
    }

    fn good() -> NewFeedback {
        NewFeedback::read(Some("good"), Some("Ask ada@example.org.")).unwrap()
    }

    /// A unit of work in which the published site shows this space as `variant`.
    fn with_site(shown: Option<&str>) -> MockTx {
        let mut tx = MockTx::default();
        let shown: Option<SpaceId> = shown.map(|id| id.parse().unwrap());
        let asked = |site: &SiteId, variant: &SiteSpaceId| site.as_str() == "site" && variant.as_str() == "variant";
        tx.sites.0.expect_published_space().withf(asked).returning(move |_, _| Ok(shown.clone()));
        tx
    }

    #[rstest]
    #[case::it_shows_nothing_there(None)]
    #[case::it_shows_other_content(Some("t"))]
    #[tokio::test]
    async fn a_page_that_is_no_longer_on_the_site_is_not_rated(#[case] shown: Option<&str>) {
        let (store, committed) = with_site(shown).into_store();
        let feedback = SiteFeedbacks { units: Units::over(store) };
        let refused = feedback.send(&page(), good()).await;
        assert!(matches!(refused, Err(Error::NotFound("page"))), "{refused:?}");
        assert!(!committed.load(std::sync::atomic::Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_page_that_leaves_the_site_at_the_same_time_is_not_rated() {
        let mut tx = with_site(Some("s"));
        tx.site_feedback.expect_newest().returning(|_| Ok(None));
        tx.site_feedback.expect_add().times(1).returning(|_| Err(StoreError::Conflict("page".to_owned())));
        let (store, committed) = tx.into_store();
        let refused = SiteFeedbacks { units: Units::over(store) }.send(&page(), good()).await;
        assert!(matches!(refused, Err(Error::NotFound("page"))), "{refused:?}");
        assert!(!committed.load(std::sync::atomic::Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_conflict_with_other_feedback_is_a_failure_of_the_storage() {
        let mut tx = with_site(Some("s"));
        tx.site_feedback.expect_newest().returning(|_| Ok(None));
        tx.site_feedback.expect_add().returning(|_| Err(StoreError::Conflict("site_feedback.id".to_owned())));
        let failed = SiteFeedbacks { units: Units::over(tx.into_store().0) }.send(&page(), good()).await;
        assert!(matches!(failed, Err(Error::Store(StoreError::Conflict(_)))), "{failed:?}");
    }

    #[tokio::test]
    async fn a_rating_is_an_event_of_the_server_without_the_comment() {
        let mut tx = with_site(Some("s"));
        tx.site_feedback.expect_add().times(1).returning(|_| Ok(()));
        tx.site_feedback.expect_newest().returning(|_| Ok(None));
        tx.events.expect_record().times(1).returning(|event| {
            let payload = json!({
                "site": "site", "siteSpace": "variant", "space": "s", "page": "p", "feedback": "id-1", "rating": "good",
            });
            assert_eq!(serde_json::Value::Object(event.change.payload()), payload);
            assert_eq!((event.actor_kind(), &event.client), ("server", &None));
            assert_eq!(event.organization, "o".parse().ok());
            Ok(())
        });
        let (store, committed) = tx.into_store();
        let stored = SiteFeedbacks { units: Units::over(store) }.send(&page(), good()).await.unwrap();
        assert_eq!(stored.comment.as_ref().map(|comment| comment.as_str()), Some("Ask ada@example.org."));
        assert!(committed.load(std::sync::atomic::Ordering::SeqCst));
    }

    #[rstest]
    #[case::in_the_minute_of_the_one_before(0, 0)]
    #[case::in_the_next_minute(-1, 1)]
    #[tokio::test]
    async fn the_oldest_feedback_is_removed_with_the_first_of_a_minute(#[case] newest: i64, #[case] times: usize) {
        let mut tx = with_site(Some("s"));
        tx.site_feedback.expect_newest().returning(move |_| Ok(chrono::DateTime::from_timestamp(newest, 0)));
        tx.site_feedback.expect_add().times(1).returning(|_| Ok(()));
        let removes = |_: &SiteId, most: &usize| *most == MAX_FEEDBACK;
        tx.site_feedback.expect_trim().withf(removes).times(times).returning(|_, _| Ok(()));
        tx.events.expect_record().times(1).returning(|_| Ok(()));
        let (store, _committed) = tx.into_store();
        SiteFeedbacks { units: Units::over(store) }.send(&page(), good()).await.unwrap();
    }
}
