//! Reports changes.
use super::changes::ChangeLevel;
use super::compare::{Comparison, Location, ReportedChange};
use super::rules::{Rule, Usage};
use super::subject::Subject;
use crate::sunset::{day, sunset};
use crate::tree::Node;
use std::fmt::Display;

impl<'a> Comparison<'a> {
    /// Adds a change. Its text is the subject of the unit and this predicate.
    pub(super) fn report(&mut self, unit: usize, rule: Rule, location: Location<'a>, predicate: impl Display) {
        let Some(subject) = self.units.get(unit).map(|unit| unit.subject.clone()) else { return };
        self.report_of(unit, &subject, rule, location, predicate);
    }

    /// Adds a change of a subject.
    pub(super) fn report_of(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        location: Location<'a>,
        predicate: impl Display,
    ) {
        let suffix = match self.usage(unit) {
            Usage::Request if rule.has_id_per_usage() && subject.is_shared() => " in requests",
            Usage::Response if rule.has_id_per_usage() && subject.is_shared() => " in responses",
            _ => "",
        };
        self.report_text(unit, rule, location, format!("{subject} {predicate}{suffix}"));
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
        self.report_of(unit, subject, rule, Location::Old(old), "was removed");
        let is_announced = deprecated.is_true("deprecated") && self.is_sunset_over(deprecated);
        if let Some(reported) =
            self.reported.get_mut(before).filter(|reported| is_announced && reported.level < ChangeLevel::Announced)
        {
            reported.level = ChangeLevel::Announced;
        }
    }

    /// Whether there is no sunset date, or today is that date or later.
    fn is_sunset_over(&self, node: &Node) -> bool {
        let Some(date) = sunset(node) else { return true };
        day(date).zip(self.today.and_then(day)).is_some_and(|(sunset, today)| sunset <= today)
    }

    /// Adds a change with its own text. If another unit found it already, it belongs to both.
    pub(super) fn report_text(&mut self, unit: usize, rule: Rule, location: Location<'a>, text: String) {
        let usage = self.usage(unit);
        let key = (rule, rule.has_id_per_usage().then_some(usage), location.address(), text);
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
                    location,
                    units: vec![unit],
                });
            }
        }
    }

    /// Compares descriptions and other texts for readers: one change for all of them.
    pub(super) fn words(&mut self, unit: usize, old: &'a Node, new: &'a Node, keys: &[&str]) {
        if let Some(location) = self.differing(old, new, keys) {
            self.report(unit, Rule::DescriptionChanged, location, "has another description");
        }
        if let Some(location) = self.differing(old, new, &["example", "examples"]) {
            self.report(unit, Rule::ExampleChanged, location, "has other examples");
        }
    }

    /// The place of the first of these keys whose values differ.
    pub(super) fn differing(&mut self, old: &'a Node, new: &'a Node, keys: &[&str]) -> Option<Location<'a>> {
        keys.iter().find_map(|key| match (old.get(key), new.get(key)) {
            (None, None) => None,
            (Some(before), Some(after)) => (!self.alike(before, after)).then_some(Location::New(after)),
            (Some(before), None) => Some(Location::Old(before)),
            (None, Some(after)) => Some(Location::New(after)),
        })
    }

    /// Compares `deprecated`.
    pub(super) fn deprecation(&mut self, unit: usize, old: &'a Node, new: &'a Node) {
        match (old.is_true("deprecated"), new.is_true("deprecated")) {
            (false, true) => {
                let location = Location::New(new.get("deprecated").unwrap_or(new));
                match sunset(new).and_then(day) {
                    Some(date) => {
                        self.report(unit, Rule::Deprecated, location, format_args!("is deprecated until {date}"))
                    }
                    None => self.report(unit, Rule::Deprecated, location, "is deprecated"),
                }
            }
            (true, false) => self.report(unit, Rule::DeprecationRemoved, Location::New(new), "is no longer deprecated"),
            _ => {}
        }
    }
}
