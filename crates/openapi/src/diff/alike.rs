//! Compares the meaning of two values, whatever the targets of their references are called.
use super::compare::Comparison;
use crate::tree::{Node, Value};

impl<'a> Comparison<'a> {
    /// Whether two values mean the same, with references followed, whatever their targets are called.
    pub(super) fn alike(&mut self, old: &'a Node, new: &'a Node) -> bool {
        let mut seen = Vec::new();
        let mut queue = vec![(old, new)];
        let mut is_alike = true;
        while let Some((old, new)) = queue.pop() {
            if self.sides.equal(old, new) {
                continue;
            }
            let pair = (std::ptr::from_ref(old), std::ptr::from_ref(new));
            // Pairs that are being compared count as alike; if one turns out not to be, so do all that led to it.
            match self.known_alike.get(&pair).copied() {
                Some(true) => continue,
                None if self.spend(1) => {}
                _ => {
                    is_alike = false;
                    break;
                }
            }
            self.known_alike.insert(pair, true);
            seen.push(pair);
            if !self.push_children(old, new, &mut queue) {
                is_alike = false;
                break;
            }
        }
        if !is_alike {
            for pair in seen {
                self.known_alike.remove(&pair);
            }
            self.known_alike.insert((std::ptr::from_ref(old), std::ptr::from_ref(new)), false);
        }
        is_alike
    }

    /// Adds the pairs that two values consist of; `false` if they cannot be alike.
    fn push_children(&self, old: &'a Node, new: &'a Node, queue: &mut Vec<(&'a Node, &'a Node)>) -> bool {
        match (&old.value, &new.value) {
            (Value::List(old), Value::List(new)) if old.len() == new.len() => queue.extend(old.iter().zip(new)),
            (Value::Map(before), Value::Map(after)) if before.len() == after.len() => {
                for (key, member) in before {
                    let Some(other) = after.get(key).map(|member| &member.node) else { return false };
                    let targets = match (&**key, member.node.as_text(), other.as_text()) {
                        ("$ref", Some(from), Some(to)) => (self.sides.old.target(from), self.sides.new.target(to)),
                        ("mapping", None, None) => {
                            if !self.push_mapping(&member.node, other, queue) {
                                return false;
                            }
                            continue;
                        }
                        _ => (Some(&member.node), Some(other)),
                    };
                    match targets {
                        (Some(from), Some(to)) => queue.push((from, to)),
                        (None, None) => {}
                        _ => return false,
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// Adds the pairs of schemas that two mappings of discriminators name.
    fn push_mapping(&self, old: &'a Node, new: &'a Node, queue: &mut Vec<(&'a Node, &'a Node)>) -> bool {
        let (Some(before), Some(after)) = (old.as_map(), new.as_map()) else {
            queue.push((old, new));
            return true;
        };
        let mut pairs = before.iter().map(|(key, member)| Some((&member.node, &after.get(key)?.node)));
        before.len() == after.len()
            && pairs.all(|pair| {
                let Some((from, to)) = pair else { return false };
                let old = from.as_text().and_then(|target| self.sides.old.mapped(target));
                let new = to.as_text().and_then(|target| self.sides.new.mapped(target));
                queue.push(old.zip(new).unwrap_or((from, to)));
                true
            })
    }
}
