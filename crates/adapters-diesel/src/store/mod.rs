//! The storage ports, one file an aggregate: a row struct, and the trait over it.

mod content;
mod events;
mod organizations;
mod search;
mod spaces;
mod stored;
mod tokens;
mod users;

use crate::tx::{DieselStore, DieselTx};
use async_trait::async_trait;
use domain::ports::StoreResult;
use domain::ports::store::{
    ContentStore, EventLog, OrganizationStore, SearchIndex, SpaceStore, Store, TokenStore, Tx, UserStore,
};

#[async_trait]
impl Store for DieselStore {
    async fn read(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.begin(false).await?))
    }

    async fn write(&self) -> StoreResult<Box<dyn Tx>> {
        Ok(Box::new(self.begin(true).await?))
    }

    async fn ping(&self) -> StoreResult<()> {
        self.begin(false).await?.conn.ping().await
    }

    fn stamp(&self) -> Option<u64> {
        self.database.stamp()
    }
}

#[async_trait]
impl Tx for DieselTx {
    fn users(&mut self) -> &mut dyn UserStore {
        self
    }
    fn tokens(&mut self) -> &mut dyn TokenStore {
        self
    }
    fn organizations(&mut self) -> &mut dyn OrganizationStore {
        self
    }
    fn spaces(&mut self) -> &mut dyn SpaceStore {
        self
    }
    fn content(&mut self) -> &mut dyn ContentStore {
        self
    }
    fn search(&mut self) -> &mut dyn SearchIndex {
        self
    }
    fn events(&mut self) -> &mut dyn EventLog {
        self
    }

    async fn commit(self: Box<Self>) -> StoreResult<()> {
        self.finish().await
    }
}
