//! The form of the list of changes.

/// Defines a kind of change in one place: its name, its label, its stored fields and its target. Names must never
/// change, because the log is permanent; a field that is added later needs a default.
macro_rules! changes {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $id:literal, $label:literal,
        { $($(#[$meta:meta])* $field:ident: $type:ty),* $(,)? } => $target:expr;
    )+) => {
        /// A change.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "the fields are ids")]
        pub enum Change {
            $($(#[doc = $doc])+ #[serde(rename = $id)] $variant { $($(#[$meta])* $field: $type),* }),+
        }

        impl Change {
            /// Every kind of change.
            pub const ACTIONS: &'static [Action] = &[$(Action { id: $id, label: $label }),+];

            /// Its kind.
            pub fn kind(&self) -> Action {
                match self { $(Self::$variant { .. } => Action { id: $id, label: $label }),+ }
            }

            /// The name of its kind.
            pub fn action(&self) -> &'static str {
                self.kind().id
            }

            /// The object that was changed.
            pub fn target(&self) -> Target<'_> {
                match self { $(Self::$variant { $($field),* } => { let _others = ($($field,)*); $target }),+ }
            }
        }
    };
}
pub(super) use changes;
