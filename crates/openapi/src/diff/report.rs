//! Reports changes.
use super::changes::ChangeLevel;
use super::compare::{Comparison, ReportedChange, Spot, is_true};
use super::rules::{Rule, Usage};
use super::subject::Subject;
use crate::tree::Node;
use std::fmt::Display;

/// The keys of sunset dates.
const SUNSETS: [&str; 2] = ["x-sunset", "x-deprecated-sunset"];

impl<'a> Comparison<'a> {
    /// Adds a change. Its text is the subject of the unit and this predicate.
    pub(super) fn report(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, predicate: impl Display) {
        let Some(subject) = self.units.get(unit).map(|unit| unit.subject.clone()) else { return };
        self.report_of(unit, &subject, rule, spot, predicate);
    }

    /// Adds a change of a subject.
    pub(super) fn report_of(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        spot: Spot<'a>,
        predicate: impl Display,
    ) {
        let suffix = match self.usage(unit) {
            Usage::Request if rule.has_id_per_usage() && subject.is_shared() => " in requests",
            Usage::Response if rule.has_id_per_usage() && subject.is_shared() => " in responses",
            _ => "",
        };
        self.report_text(unit, rule, spot, format!("{subject} {predicate}{suffix}"));
    }

    /// Adds the removal of a subject that may have been deprecated before: by `deprecated` and a sunset date of this
    /// value.
    pub(super) fn report_removed(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        old: &'a Node,
        deprecated: &'a Node,
    ) {
        let before = self.reported.len();
        self.report_of(unit, subject, rule, Spot::Old(old), "was removed");
        let is_announced = is_true(deprecated, "deprecated") && self.is_sunset_over(deprecated);
        if let Some(reported) =
            self.reported.get_mut(before).filter(|reported| is_announced && reported.level < ChangeLevel::Announced)
        {
            reported.level = ChangeLevel::Announced;
        }
    }

    /// Whether there is no sunset date, or today is that date or later.
    fn is_sunset_over(&self, node: &Node) -> bool {
        let Some(sunset) = SUNSETS.iter().find_map(|key| node.get(key)) else {
            return true;
        };
        let sunset = sunset.as_text().and_then(day);
        sunset.zip(self.today.and_then(day)).is_some_and(|(sunset, today)| sunset <= today)
    }

    /// Adds a change with its own text. If another unit found it already, it belongs to both.
    pub(super) fn report_text(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, text: String) {
        let usage = self.usage(unit);
        let key = (rule, rule.has_id_per_usage().then_some(usage), spot.address(), text);
        match self.reported_at.get(&key).and_then(|at| self.reported.get_mut(*at)) {
            Some(reported) => {
                reported.level = reported.level.min(rule.level(usage));
                reported.units.push(unit);
            }
            None => {
                let text = key.3.clone();
                self.reported_at.insert(key, self.reported.len());
                self.reported.push(ReportedChange {
                    id: rule.id(usage),
                    level: rule.level(usage),
                    text,
                    spot,
                    units: vec![unit],
                });
            }
        }
    }

    /// Compares descriptions and other texts for readers: one change for all of them.
    pub(super) fn words(&mut self, unit: usize, old: &'a Node, new: &'a Node, keys: &[&str]) {
        if let Some(spot) = self.differing(old, new, keys) {
            self.report(unit, Rule::DescriptionChanged, spot, "has another description");
        }
        if let Some(spot) = self.differing(old, new, &["example", "examples"]) {
            self.report(unit, Rule::ExampleChanged, spot, "has other examples");
        }
    }

    /// The place of the first of these keys whose values differ.
    pub(super) fn differing(&mut self, old: &'a Node, new: &'a Node, keys: &[&str]) -> Option<Spot<'a>> {
        keys.iter().find_map(|key| match (old.get(key), new.get(key)) {
            (None, None) => None,
            (Some(before), Some(after)) => (!self.alike(before, after)).then_some(Spot::New(after)),
            (Some(before), None) => Some(Spot::Old(before)),
            (None, Some(after)) => Some(Spot::New(after)),
        })
    }

    /// Compares `deprecated`.
    pub(super) fn deprecation(&mut self, unit: usize, old: &'a Node, new: &'a Node) {
        match (is_true(old, "deprecated"), is_true(new, "deprecated")) {
            (false, true) => {
                let spot = Spot::New(new.get("deprecated").unwrap_or(new));
                let sunset = SUNSETS.iter().find_map(|key| new.text_of(key)?.get(..10));
                match sunset.and_then(day) {
                    Some(date) => self.report(unit, Rule::Deprecated, spot, format_args!("is deprecated until {date}")),
                    None => self.report(unit, Rule::Deprecated, spot, "is deprecated"),
                }
            }
            (true, false) => self.report(unit, Rule::DeprecationRemoved, Spot::New(new), "is no longer deprecated"),
            _ => {}
        }
    }
}

/// The day of a date such as `2026-01-31` or `2026-01-31T00:00:00Z`. Days compare as texts.
fn day(date: &str) -> Option<&str> {
    let day = date.trim().get(..10)?;
    let fits = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    day.bytes().enumerate().all(fits).then_some(day)
}
