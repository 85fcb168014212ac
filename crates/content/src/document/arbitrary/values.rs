//! Strategies for what data is made of.
use crate::document::{Color, Key, Length};
use crate::reference::ContentRef;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Number, Value};

pub(super) fn texts() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-c é\n]{0,6}", 1 => "\\PC{0,6}"]
}

pub(super) fn ids() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_-]{1,6}"
}

pub(super) fn keys() -> impl Strategy<Value = Key> {
    prop_oneof![3 => Just(Key::default()), 1 => ids().prop_map(|id| Key(id.into()))]
}

pub(super) fn bools() -> impl Strategy<Value = Option<bool>> {
    of(any::<bool>())
}

pub(super) fn numbers() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        (0..100_u32).prop_map(Number::from),
    ]
}

pub(super) fn lengths() -> impl Strategy<Value = Length> {
    prop_oneof![
        numbers().prop_map(Length::Pixels),
        (texts(), numbers()).prop_map(|(unit, value)| Length::Unit { unit, value })
    ]
}

pub(super) fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numbers().prop_map(Value::Number),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map(texts(), inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    })
}

pub(super) fn some_of<T: Clone + std::fmt::Debug + 'static>(all: impl Into<Vec<T>>) -> impl Strategy<Value = T> {
    proptest::sample::select(all.into())
}

pub(super) fn id<T: std::str::FromStr<Err: std::fmt::Debug> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    ids().prop_map(|raw| raw.parse().expect("an id"))
}

/// The query of an address.
pub(super) fn queries() -> BoxedStrategy<Option<String>> {
    proptest::option::weighted(0.2, "[a-z]{1,3}=[a-z0-9&é%?/ ]{0,5}[a-z]").boxed()
}

/// References of every kind.
pub fn references() -> BoxedStrategy<ContentRef> {
    let space = || of(id());
    prop_oneof![
        files(),
        (id(), space()).prop_map(|(page, space)| ContentRef::Page { page, space }),
        (texts(), of(id()), space()).prop_map(|(anchor, page, space)| ContentRef::Anchor { anchor, page, space }),
        id().prop_map(|user| ContentRef::User { user }),
        id().prop_map(|collection| ContentRef::Collection { collection }),
        id().prop_map(|space| ContentRef::Space { space }),
        (id(), space()).prop_map(|(reusable_content, space)| ContentRef::ReusableContent { reusable_content, space }),
        (ids(), of(ids())).prop_map(|(spec, version)| ContentRef::Openapi { spec, version }),
        tags(),
    ]
    .boxed()
}

pub(super) fn files() -> BoxedStrategy<ContentRef> {
    prop_oneof![
        (id(), of(id())).prop_map(|(file, space)| ContentRef::File { file, space }),
        texts().prop_map(|url| ContentRef::Url { url }),
    ]
    .boxed()
}

pub(super) fn tags() -> BoxedStrategy<ContentRef> {
    (ids(), of(id())).prop_map(|(tag, space)| ContentRef::Tag { tag, space }).boxed()
}

pub(super) fn colors() -> impl Strategy<Value = Color> {
    some_of([Color::Default, Color::Green, Color::Primary, Color::Tint, Color::Violet])
}
