use super::stored::{json, parsed_if, time, to_json};
use crate::schema::sites::site_customizations as customizations;
use crate::sql::{NAMED, columns, one_of, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::{AsChangeset, ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable};
use domain::id::{SiteId, SiteSpaceId};
use domain::ports::StoreResult;
use domain::ports::store::SiteCustomizationStore;
use domain::site::customization::{Customized, SiteCustomizations};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = customizations, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct CustomizationRow {
    id: String,
    site_id: String,
    item_id: Option<String>,
    overrides: serde_json::Value,
    updated_at: NaiveDateTime,
}

/// Adds a row to the customization of a site.
fn add(all: &mut SiteCustomizations, row: CustomizationRow) -> StoreResult<()> {
    let overrides = json("site_customizations.overrides", row.overrides)?;
    let customized = Customized { overrides, updated_at: row.updated_at.and_utc() };
    match parsed_if("site_customizations.item_id", row.item_id.as_deref())? {
        Some(space) => drop(all.spaces.insert(space, customized)),
        None => all.site = Some(customized),
    }
    Ok(())
}

#[async_trait]
impl SiteCustomizationStore for DieselTx {
    async fn load<'a>(&mut self, site: &SiteId, spaces: Option<&'a [SiteSpaceId]>) -> StoreResult<SiteCustomizations> {
        let mut all = SiteCustomizations::default();
        let ids = spaces.map(|spaces| {
            std::iter::once(site.to_string()).chain(spaces.iter().map(ToString::to_string)).collect::<Vec<_>>()
        });
        let parts: Vec<Option<&[String]>> = match &ids {
            Some(ids) => ids.chunks(NAMED).map(Some).collect(),
            None => vec![None],
        };
        for part in parts {
            let query = customizations::table
                .filter(customizations::site_id.eq(site.as_str()))
                .filter(when(part.map(|ids| one_of(customizations::id, ids.iter().map(String::as_str)))))
                .select(columns::<CustomizationRow>());
            let rows: Vec<CustomizationRow> = self.conn.all(query).await?;
            rows.into_iter().try_for_each(|row| add(&mut all, row))?;
        }
        Ok(all)
    }

    async fn save<'a>(
        &mut self,
        site: &SiteId,
        space: Option<&'a SiteSpaceId>,
        customized: &Customized,
    ) -> StoreResult<()> {
        self.check(site)?;
        let row = CustomizationRow {
            id: space.map_or_else(|| site.to_string(), ToString::to_string),
            site_id: site.to_string(),
            item_id: space.map(ToString::to_string),
            overrides: to_json(&customized.overrides)?,
            updated_at: time(customized.updated_at),
        };
        let insert = diesel::insert_into(customizations::table).values(&row);
        self.conn.send(insert.on_conflict(customizations::id).do_update().set(&row)).await
    }

    async fn remove(&mut self, site: &SiteId, space: &SiteSpaceId) -> StoreResult<()> {
        self.check(site)?;
        let one = customizations::table.find(space.as_str()).filter(customizations::site_id.eq(site.as_str()));
        self.conn.send(diesel::delete(one)).await
    }
}
