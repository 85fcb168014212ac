//! Adding changes.
use super::changes::ChangeLevel;
use super::compare::{Comparison, Spot, Told, is_true};
use super::rules::{Rule, Way};
use super::subject::Subject;
use crate::tree::Node;
use std::fmt::Display;

/// The keys of sunset dates.
const SUNSETS: [&str; 2] = ["x-sunset", "x-deprecated-sunset"];

impl<'a> Comparison<'a> {
    /// Adds a change. The text is the subject of the unit and this predicate.
    pub(super) fn tell(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, predicate: impl Display) {
        let Some(subject) = self.units.get(unit).map(|unit| unit.subject.clone()) else { return };
        self.tell_of(unit, &subject, rule, spot, predicate);
    }

    /// Adds a change of a subject.
    pub(super) fn tell_of(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        spot: Spot<'a>,
        predicate: impl Display,
    ) {
        let suffix = match self.way(unit) {
            Way::Request if rule.is_told_each() && subject.is_shared() => " in requests",
            Way::Response if rule.is_told_each() && subject.is_shared() => " in responses",
            _ => "",
        };
        self.tell_text(unit, rule, spot, format!("{subject} {predicate}{suffix}"));
    }

    /// Adds the removal of a subject that could be deprecated before: by `deprecated` and a sunset date of this value.
    pub(super) fn tell_removed(
        &mut self,
        unit: usize,
        subject: &Subject,
        rule: Rule,
        old: &'a Node,
        deprecated: &'a Node,
    ) {
        let before = self.told.len();
        self.tell_of(unit, subject, rule, Spot::Old(old), "was removed");
        let is_announced = is_true(deprecated, "deprecated") && self.is_sunset_over(deprecated);
        if let Some(told) = self.told.get_mut(before).filter(|told| is_announced && told.level < ChangeLevel::Announced)
        {
            told.level = ChangeLevel::Announced;
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

    /// Adds a change with a text of its own. One that another unit found is that unit's, too.
    pub(super) fn tell_text(&mut self, unit: usize, rule: Rule, spot: Spot<'a>, text: String) {
        let way = self.way(unit);
        let key = (rule, rule.is_told_each().then_some(way), spot.address(), text);
        match self.told_at.get(&key).and_then(|at| self.told.get_mut(*at)) {
            Some(told) => {
                told.level = told.level.min(rule.level(way));
                told.units.push(unit);
            }
            None => {
                let text = key.3.clone();
                self.told_at.insert(key, self.told.len());
                self.told.push(Told { id: rule.id(way), level: rule.level(way), text, spot, units: vec![unit] });
            }
        }
    }

    /// Compares descriptions and the like: one change for all of them.
    pub(super) fn words(&mut self, unit: usize, old: &'a Node, new: &'a Node, keys: &[&str]) {
        if let Some(spot) = self.differing(old, new, keys) {
            self.tell(unit, Rule::DescriptionChanged, spot, "has another description");
        }
        if let Some(spot) = self.differing(old, new, &["example", "examples"]) {
            self.tell(unit, Rule::ExampleChanged, spot, "has other examples");
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
                    Some(date) => self.tell(unit, Rule::Deprecated, spot, format_args!("is deprecated until {date}")),
                    None => self.tell(unit, Rule::Deprecated, spot, "is deprecated"),
                }
            }
            (true, false) => self.tell(unit, Rule::DeprecationRemoved, Spot::New(new), "is no longer deprecated"),
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
