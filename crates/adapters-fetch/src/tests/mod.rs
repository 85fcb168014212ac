//! Tests.
mod admission;
mod conditions;
mod fetching;
mod posting;

use crate::admission::Resolver;
use async_trait::async_trait;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns these results in order, and then the last one for every later call.
struct ScriptedResolver {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl ScriptedResolver {
    fn one_after_another(answers: &[&[&str]]) -> Self {
        let read = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        Self { answers: answers.iter().map(read).collect(), asked: AtomicUsize::new(0) }
    }
}

#[async_trait]
impl Resolver for ScriptedResolver {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.answers[turn.min(self.answers.len() - 1)].clone())
    }
}
