//! OpenAPI specs: creating, reading, updating and deleting them, and reading their versions. The job in
//! [`super::jobs`] makes the versions.
pub(super) mod cache;
pub(super) mod document;
mod reading;
pub(super) mod shown;
pub(super) mod stored;
pub(super) mod views;

pub use reading::{
    ListedOperation, ShownOperation, ShownUsage, ShownVersion, SourceText, VersionChanges, WantedOperation,
    WhichVersion,
};

use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::Hash;
use crate::event::{Change, Differences};
use crate::id::OrganizationId;
use crate::job::{Job, Task};
use crate::openapi_spec::{
    MAX_SPECS, OpenapiSpec, OpenapiSpecPermissions, SpecSlug, SpecSource, SpecText, SpecVisibility,
};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::ports::store::garbage::Kind;
use crate::text::Rule;
use crate::web_address::WebAddress;
use bytes::Bytes;

/// Manages the OpenAPI specs of organizations.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct OpenapiSpecs {
    pub units: Units,
}

/// A source in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSource {
    /// An address to fetch.
    Url(WebAddress),
    /// A document.
    Text(SpecText),
}

/// A spec to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSpec {
    /// Its slug.
    pub slug: SpecSlug,
    /// Its source.
    pub source: NewSource,
}

/// A spec with the caller's permissions, which follow from the level in the organization.
fn granted(organization: &Granted<Organization>, spec: OpenapiSpec) -> Result<Granted<OpenapiSpec>, Error> {
    check(organization, spec, |may| may.view)
}

fn check(
    organization: &Granted<Organization>,
    spec: OpenapiSpec,
    need: impl FnOnce(&OpenapiSpecPermissions) -> bool,
) -> Result<Granted<OpenapiSpec>, Error> {
    Granted::check(spec, organization.access(), need).map_err(Error::denied("OpenAPI spec"))
}

/// Loads a spec, for a caller who has the permission `need` on it.
async fn find(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    slug: &SpecSlug,
    need: impl FnOnce(&OpenapiSpecPermissions) -> bool,
) -> Result<Granted<OpenapiSpec>, Error> {
    let organization = work.organization(organization, |may| may.read).await?;
    let found = work.openapi_specs().find(&organization.id, slug).await?;
    let spec = found.ok_or(Error::NotFound("OpenAPI spec"))?;
    check(&organization, spec, need)
}

/// Stores the text of a source.
async fn receive(work: &mut Work<'_>, source: NewSource) -> Result<SpecSource, Error> {
    match source {
        NewSource::Url(address) => Ok(SpecSource::Url(address)),
        NewSource::Text(text) => {
            text.check_length().map_err(|rule| Error::TooLarge(rule.of("source.text")))?;
            let bytes = Bytes::from(String::from(text));
            let hash = Hash::of(&bytes);
            work.content().put_objects(vec![(hash, bytes)]).await?;
            Ok(SpecSource::Text(hash))
        }
    }
}

/// Condemns the text of a replaced source. It is not removed if a version refers to it.
async fn condemn_source(work: &mut Work<'_>, source: &SpecSource) -> Result<(), Error> {
    let SpecSource::Text(text) = source else { return Ok(()) };
    let now = work.now();
    let (task, due) = Task::collect_content(now);
    work.lock(&[(&task).into()]).await?;
    work.garbage().condemn(Kind::Object, &[*text], now).await?;
    let job = Job::new(work.ids.make(), task, due, now);
    Ok(work.jobs().add(&job).await?)
}

/// Whether the newest version of a spec refers to the text that is its source: it is condemned with that version.
async fn is_kept(work: &mut Work<'_>, spec: &OpenapiSpec) -> Result<bool, Error> {
    let Some(id) = &spec.last_version else { return Ok(false) };
    let version = work.openapi_specs().version(&spec.id, id).await?;
    Ok(version.is_some_and(|version| spec.source == SpecSource::Text(version.text)))
}

/// The work that indexes the pages that show a spec.
pub(super) fn index_task(spec: &OpenapiSpec) -> Task {
    Task::IndexOpenapi { organization: spec.organization.clone(), slug: spec.slug.clone(), after: None }
}

/// Adds the job that indexes the pages that show a spec, if there are any. The job must be locked.
pub(super) async fn index_later(work: &mut Work<'_>, spec: &OpenapiSpec, task: Task) -> Result<(), Error> {
    if work.openapi_specs().pages_showing(&spec.organization, &spec.slug).await?.is_empty() {
        return Ok(());
    }
    work.add_job(task).await
}

/// The job that processes the source of a spec.
pub(super) fn processing(spec: &OpenapiSpec) -> Task {
    Task::ProcessOpenapi { spec: spec.id.clone() }
}

impl OpenapiSpecs {
    /// The specs of an organization, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        page: Input<PageRequest>,
    ) -> Result<Page<Granted<OpenapiSpec>>, Error> {
        let mut work = self.units.read(actor).await?;
        let organization = work.organization(organization, |may| may.read).await?;
        let found = work.openapi_specs().list(&organization.id, &page.read()?).await?;
        found.try_map(|spec| granted(&organization, spec))
    }

    /// A spec.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests, as in all operations here.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
    ) -> Result<Granted<OpenapiSpec>, Error> {
        let mut work = self.units.read(actor).await?;
        find(&mut work, organization, slug, |may| may.view).await
    }

    /// Checks that a caller may set the sources of specs, before a large text is received.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] below level `create`.
    pub async fn may_set_sources(&self, actor: &Actor, organization: &OrganizationId) -> Result<(), Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.create_openapi_spec).await.map(drop)
    }

    /// Creates a spec. A job reads its source.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] below level `create`; [`Error::Invalid`], also for a slug that is
    /// taken; [`Error::TooLarge`]; [`Error::Conflict`] if the organization has [`MAX_SPECS`].
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewSpec>,
    ) -> Result<Granted<OpenapiSpec>, Error> {
        let mut work = self.writing(actor, organization).await?;
        let organization = work.organization(organization, |may| may.create_openapi_spec).await?;
        let NewSpec { slug, source } = new.read()?;
        if work.openapi_specs().find(&organization.id, &slug).await?.is_some() {
            return Err(Rule("is taken by another OpenAPI spec of the organization".into()).of("slug").into());
        }
        let spec = add(&mut work, &organization, slug, source).await?;
        work.commit().await?;
        granted(&organization, spec)
    }

    /// Sets the source of a spec, which is created if it does not exist. Returns the spec and whether it is new. A job
    /// reads the source, also if it is the same as before.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] below level `create`; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`]; [`Error::TooLarge`]; [`Error::Conflict`] if the organization has [`MAX_SPECS`].
    pub async fn set(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        precondition: Precondition<Granted<OpenapiSpec>>,
        source: Input<NewSource>,
    ) -> Result<(Granted<OpenapiSpec>, bool), Error> {
        let mut work = self.writing(actor, organization).await?;
        let organization = work.organization(organization, |may| may.create_openapi_spec).await?;
        let source = source.read()?;
        let Some(before) = work.openapi_specs().find(&organization.id, slug).await? else {
            precondition.check_absent()?;
            let spec = add(&mut work, &organization, slug.clone(), source).await?;
            work.commit().await?;
            return Ok((granted(&organization, spec)?, true));
        };
        precondition.check(&granted(&organization, before.clone())?)?;
        let task = processing(&before);
        let (mut spec, now) = (before.clone(), work.now());
        // Content is locked after everything else.
        work.lock(&[(&Task::collect_content(now).0).into(), (&task).into()]).await?;
        let source = receive(&mut work, source).await?;
        if spec.source != source && !is_kept(&mut work, &before).await? {
            condemn_source(&mut work, &before.source).await?;
        }
        spec.set_source(source, now);
        work.openapi_specs().save(&spec).await?;
        let changes = Differences::between(&before, &spec);
        let change = Change::OpenapiSpecUpdated { spec: spec.id.clone(), changes, source_set: true };
        work.record(&organization.id, change).await?;
        work.add_job(task).await?;
        work.commit().await?;
        Ok((granted(&organization, spec)?, false))
    }

    /// Sets who can read a spec without a token.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] below level `create`; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn set_visibility(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        precondition: Precondition<Granted<OpenapiSpec>>,
        visibility: Input<SpecVisibility>,
    ) -> Result<Granted<OpenapiSpec>, Error> {
        let mut work = self.writing(actor, organization).await?;
        let mut spec = find(&mut work, organization, slug, |may| may.edit).await?;
        let visibility = visibility.read()?;
        precondition.check(&spec)?;
        let before: OpenapiSpec = (*spec).clone();
        spec.entity_mut().visibility = visibility;
        let changes = Differences::between(&before, &spec);
        if changes.is_empty() {
            return Ok(spec);
        }
        spec.entity_mut().updated_at = work.now();
        work.openapi_specs().save(&spec).await?;
        let change = Change::OpenapiSpecUpdated { spec: spec.id.clone(), changes, source_set: false };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(spec)
    }

    /// Deletes a spec. A job removes its versions. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] below level `create`;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        slug: &SpecSlug,
        precondition: Precondition<Granted<OpenapiSpec>>,
    ) -> Result<bool, Error> {
        let mut work = self.writing(actor, organization).await?;
        let home = work.organization(organization, |may| may.read).await?;
        let Some(spec) = work.openapi_specs().find(organization, slug).await? else {
            return precondition.nothing_removed();
        };
        let spec = check(&home, spec, |may| may.edit)?;
        precondition.check(&spec)?;
        let (index, collection) = (index_task(&spec), Task::collect_content(work.now()).0);
        work.lock(&[(&collection).into(), (&index).into()]).await?;
        condemn_source(&mut work, &spec.source).await?;
        index_later(&mut work, &spec, index).await?;
        let change = Change::OpenapiSpecDeleted { spec: spec.id.clone(), slug: spec.slug.to_string() };
        work.record(organization, change).await?;
        delete(&mut work, &spec).await?;
        work.commit().await?;
        Ok(true)
    }

    async fn writing<'a>(&'a self, actor: &'a Actor, organization: &OrganizationId) -> Result<Work<'a>, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        Ok(work)
    }
}

/// Adds a spec.
async fn add(
    work: &mut Work<'_>,
    organization: &Organization,
    slug: SpecSlug,
    source: NewSource,
) -> Result<OpenapiSpec, Error> {
    if work.openapi_specs().count(&organization.id).await? >= MAX_SPECS {
        let full = format!("the organization already has {MAX_SPECS} OpenAPI specs: delete one first");
        return Err(Error::Conflict(full));
    }
    let source = receive(work, source).await?;
    let spec = insert(work, &organization.id, slug, source).await?;
    let change = Change::OpenapiSpecCreated { spec: spec.id.clone(), slug: spec.slug.to_string() };
    work.record(&organization.id, change).await?;
    Ok(spec)
}

/// Stores a new spec, and the job that processes its source.
pub(super) async fn insert(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    slug: SpecSlug,
    source: SpecSource,
) -> Result<OpenapiSpec, Error> {
    let now = work.now();
    let spec = OpenapiSpec::new(work.ids.make(), organization.clone(), slug, source, now);
    work.openapi_specs().add(&spec).await?;
    work.add_new_job(processing(&spec)).await?;
    Ok(spec)
}

/// Removes a spec, and adds the job that removes its versions.
pub(super) async fn delete(work: &mut Work<'_>, spec: &OpenapiSpec) -> Result<(), Error> {
    work.openapi_specs().remove(&spec.id).await?;
    work.add_new_job(Task::RemoveOpenapi { spec: spec.id.clone() }).await
}
