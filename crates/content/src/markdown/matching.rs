//! Which HTML tags in a line belong together.
use super::elements::{Element, element};
use super::events::Event;
use super::html::HtmlTag;
use std::collections::HashMap;

/// In how many elements that take what is in them another one may stand. Most of them hold words alone, so that one
/// around another loses its meaning and hands on all that it took: without a bound, again and again.
const DEEPEST: usize = 8;

/// One end of an element.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Its begin.
    Open(Element),
    /// Its end.
    Close(Element),
}

struct Open {
    at: usize,
    /// The link in which it stands.
    scope: usize,
    /// Its meaning, unless it has none or lost it.
    element: Option<Element>,
}

#[derive(Default)]
struct Matching {
    /// What is open, by name: looks may overlap as they like.
    open: HashMap<String, Vec<Open>>,
    /// The elements that take what is in them, by place; these may not overlap.
    capturing: Vec<usize>,
    lost: std::collections::HashSet<usize>,
    /// The number of the link, or 0 outside of links, which do not nest.
    link: usize,
    links: usize,
}

/// For each event that is one end of an element with a meaning: that end. Looks begin and end where they like; both ends
/// of what takes its content stand in the same link, or in none. A tag is looked at once, so this takes linear time.
pub(super) fn matched(events: &[Event]) -> Vec<Option<End>> {
    let mut ends: Vec<Option<End>> = vec![None; events.len()];
    let mut matching = Matching::default();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Link { .. } => {
                matching.links += 1;
                matching.link = matching.links;
                // A link within an element that takes its content would be a link within a link.
                matching.lost.extend(matching.capturing.drain(..));
            }
            Event::EndLink => {
                matching.link = 0;
                matching.lost.extend(matching.capturing.drain(..));
            }
            Event::Html { source, .. } => {
                let Some(tag) = HtmlTag::parse(source) else { continue };
                if tag.close {
                    if let Some((start, element)) = matching.close(&tag.name) {
                        ends[start] = Some(End::Open(element.clone()));
                        ends[at] = Some(End::Close(element));
                    }
                } else {
                    matching.open(tag, at);
                }
            }
            _ => {}
        }
    }
    ends
}

impl Matching {
    fn open(&mut self, tag: HtmlTag, at: usize) {
        let name = tag.name.clone();
        let mut element = element(tag, self.link > 0 || !self.capturing.is_empty());
        if element.as_ref().is_some_and(Element::captures) {
            if self.capturing.len() < DEEPEST {
                self.capturing.push(at);
            } else {
                element = None;
            }
        }
        self.open.entry(name).or_default().push(Open { at, scope: self.link, element });
    }

    fn close(&mut self, name: &str) -> Option<(usize, Element)> {
        let last = self.open.get_mut(name)?.pop()?;
        let element = last.element?;
        if !element.captures() {
            return Some((last.at, element));
        }
        if self.lost.remove(&last.at) || last.scope != self.link {
            return None;
        }
        // Those that began in it and have not ended cannot end later.
        while let Some(inner) = self.capturing.pop_if(|inner| *inner > last.at) {
            self.lost.insert(inner);
        }
        self.capturing.pop_if(|inner| *inner == last.at).map(|_| (last.at, element))
    }
}
