//! Recording the last use of tokens.
//!
//! A use is first kept in memory, and only if the stored time is not recent. The recorded uses are written together
//! from time to time. So reads do not write, and few commits invalidate cached responses (see
//! `docs/decisions/0009-answers-until-a-commit.md` and `docs/decisions/0013-last-use-of-tokens.md`).
use super::Accounts;
use crate::id::TokenId;
use crate::token::Token;
use crate::usecases::Error;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Uses of tokens that are not written yet. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct LastUse(Arc<Mutex<LastUses>>);

/// By token, so that concurrent writers update the rows in the same order.
type LastUses = BTreeMap<TokenId, DateTime<Utc>>;

impl LastUse {
    fn last_uses(&self) -> MutexGuard<'_, LastUses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a use of a token.
    pub(super) fn note(&self, token: &Token, now: DateTime<Utc>) {
        if token.should_record_use(now) {
            self.last_uses().entry(token.id.clone()).and_modify(|last| *last = now.max(*last)).or_insert(now);
        }
    }

    fn put_back(&self, uses: LastUses) {
        let mut noted = self.last_uses();
        for (token, at) in uses {
            noted.entry(token).and_modify(|last| *last = at.max(*last)).or_insert(at);
        }
    }
}

impl Accounts {
    /// Writes the recorded uses of tokens and returns their number. The server calls this from time to time, and once
    /// when it stops.
    ///
    /// # Errors
    /// Errors of the store; the recorded uses are kept for the next call.
    pub async fn write_uses(&self) -> Result<usize, Error> {
        let uses = std::mem::take(&mut *self.uses.last_uses());
        if uses.is_empty() {
            return Ok(0);
        }
        let written = async {
            let mut tx = self.units.store.write().await?;
            for (token, at) in &uses {
                tx.tokens().record_use(token, *at).await?;
            }
            tx.commit().await
        };
        match written.await {
            Ok(()) => Ok(uses.len()),
            Err(error) => {
                self.uses.put_back(uses);
                Err(error.into())
            }
        }
    }
}
