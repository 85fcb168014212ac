//! When tokens were used last.
//!
//! A use is noted in memory, and only where the time that is stored is not recent enough. What was noted is written down
//! now and then, all of it in one commit: reading stays reading, and a commit makes all kept answers old
//! (`docs/decisions/0009`).
use super::Accounts;
use crate::id::TokenId;
use crate::token::Token;
use crate::usecases::Error;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Uses of tokens that are not written down yet. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct Uses(Arc<Mutex<Noted>>);

/// By token, so that those who write at the same time take the rows in the same order.
type Noted = BTreeMap<TokenId, DateTime<Utc>>;

impl Uses {
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a token is used.
    pub(super) fn note(&self, token: &Token, now: DateTime<Utc>) {
        if token.use_is_news(now) {
            self.noted().entry(token.id.clone()).and_modify(|last| *last = now.max(*last)).or_insert(now);
        }
    }

    fn put_back(&self, uses: Noted) {
        let mut noted = self.noted();
        for (token, at) in uses {
            noted.entry(token).and_modify(|last| *last = at.max(*last)).or_insert(at);
        }
    }
}

impl Accounts {
    /// Writes down which tokens were used since this was called last, and counts them. To be called now and then by whoever
    /// serves, and once at the end.
    ///
    /// # Errors
    /// Those of the store; what was noted is kept for the next time.
    pub async fn write_uses(&self) -> Result<usize, Error> {
        let uses = std::mem::take(&mut *self.uses.noted());
        if uses.is_empty() {
            return Ok(0);
        }
        let written = async {
            let mut tx = self.store.write().await?;
            for (token, at) in &uses {
                tx.tokens().note_use(token, *at).await?;
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
