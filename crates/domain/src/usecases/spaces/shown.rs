//! A space as the API shows it.
use crate::access::Granted;
use crate::site::publication::SpacePublication;
use crate::space::Space;
use std::ops::Deref;

/// A space with its address on a published site.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownSpace {
    /// The space.
    pub space: Granted<Space>,
    /// Where it is published, if the caller can follow the address.
    pub published: Option<SpacePublication>,
}

impl ShownSpace {
    /// A space that is on no site.
    pub fn unpublished(space: Granted<Space>) -> Self {
        Self { space, published: None }
    }
}

impl Deref for ShownSpace {
    type Target = Granted<Space>;

    fn deref(&self) -> &Granted<Space> {
        &self.space
    }
}
