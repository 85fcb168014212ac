//! The published sites with some spaces, with their structures.
use super::sites::{ItemRow, LocationRow, structure};
use crate::conn::Conn;
use crate::schema::organizations::{organizations, spaces};
use crate::schema::sites::{site_items as items, sites};
use crate::sql::{NAMED, columns};
use chrono::NaiveDateTime;
use diesel::{ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl};
use domain::id::{OrganizationId, SpaceId};
use domain::ports::StoreResult;
use domain::site::publication::SiteLocation;
use domain::site::structure::Structure;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

/// An item of a published site, the site, the host name of its organization, and when the space of the item was
/// deleted.
type PublishedItem = (ItemRow, LocationRow, Option<String>, Option<NaiveDateTime>);

/// The [`PublishedItem`]s of the published sites with a condition, in the order of sites and items.
macro_rules! published_items {
    ($condition:expr) => {
        items::table
            .inner_join(sites::table.on(sites::id.eq(items::site_id)))
            .inner_join(organizations::table.on(organizations::id.eq(sites::organization_id)))
            .left_join(spaces::table.on(spaces::id.nullable().eq(items::space_id)))
            .filter(sites::published_at.is_not_null())
            .filter($condition)
            .order((sites::id.asc(), items::position.asc(), items::id.asc()))
            .select((
                columns::<ItemRow>(),
                columns::<LocationRow>(),
                organizations::hostname,
                spaces::deleted_at.nullable(),
            ))
    };
}

/// Published sites by id, with their items. Those of deleted spaces are left out.
#[derive(Default)]
struct PublishedSites(BTreeMap<String, (SiteLocation, Vec<ItemRow>)>);

impl PublishedSites {
    /// Adds sites with all their items. Sites that were added before are left out.
    fn add(&mut self, rows: Vec<PublishedItem>) -> StoreResult<()> {
        let known: HashSet<String> = self.0.keys().cloned().collect();
        for (item, site, organization, deleted) in rows {
            if known.contains(&site.id) {
                continue;
            }
            let (_, parts) = match self.0.entry(site.id.clone()) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(place) => place.insert((site.location(organization)?, Vec::new())),
            };
            if deleted.is_none() {
                parts.push(item);
            }
        }
        Ok(())
    }

    fn structures(self) -> StoreResult<Vec<(SiteLocation, Structure)>> {
        self.0.into_values().map(|(site, parts)| Ok((site, structure(parts)?))).collect()
    }
}

/// See [`SiteStore::published_with`](domain::ports::store::SiteStore::published_with).
pub(super) async fn with_spaces(conn: &mut Conn, wanted: &[SpaceId]) -> StoreResult<Vec<(SiteLocation, Structure)>> {
    let with = diesel::alias!(items as with);
    let mut found = PublishedSites::default();
    for some in wanted.chunks(NAMED) {
        let named = with
            .filter(with.field(items::space_id).eq_any(some.iter().map(SpaceId::as_str)))
            .select(with.field(items::site_id));
        found.add(conn.all(published_items!(sites::id.eq_any(named))).await?)?;
    }
    found.structures()
}

/// See [`SiteStore::published_of`](domain::ports::store::SiteStore::published_of).
pub(super) async fn of_organization(
    conn: &mut Conn,
    organization: &OrganizationId,
) -> StoreResult<Vec<(SiteLocation, Structure)>> {
    let mut found = PublishedSites::default();
    let query = published_items!(sites::organization_id.eq(organization.as_str()));
    found.add(conn.all(query).await?)?;
    found.structures()
}
