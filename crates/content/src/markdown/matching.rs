//! Matches the start and end tags of HTML in a line.
use super::elements::{Element, element};
use super::events::Event;
use super::html::HtmlTag;
use std::collections::HashMap;

/// The maximum number of elements with captured content around another one. Most of them allow only text, so one around
/// another loses its meaning and passes its content on: without a bound, again and again.
const MAX_CAPTURES: usize = 8;

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
    /// The number of the link that contains it.
    scope: usize,
    /// Its meaning, unless it has none or has lost it.
    element: Option<Element>,
}

#[derive(Default)]
struct Matching {
    /// Open elements by name: marks may overlap.
    open: HashMap<String, Vec<Open>>,
    /// The elements that capture their content, by index; these may not overlap.
    capturing: Vec<usize>,
    lost: std::collections::HashSet<usize>,
    /// The number of the link, or 0 outside of links, which do not nest.
    link: usize,
    links: usize,
}

/// For each event that is the start or the end of an element with a meaning: that end. Marks may begin and end
/// anywhere; both ends of an element that captures its content are in the same link, or in none. A tag is read once, so
/// this takes linear time.
pub(super) fn matched(events: &[Event]) -> Vec<Option<End>> {
    let mut ends: Vec<Option<End>> = vec![None; events.len()];
    let mut matching = Matching::default();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Link { .. } => {
                matching.links += 1;
                matching.link = matching.links;
                // A link within an element that captures its content would be a link within a link.
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
            if self.capturing.len() < MAX_CAPTURES {
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
        // Elements that began in it and have not ended cannot end later.
        while let Some(inner) = self.capturing.pop_if(|inner| *inner > last.at) {
            self.lost.insert(inner);
        }
        self.capturing.pop_if(|inner| *inner == last.at).map(|_| (last.at, element))
    }
}
