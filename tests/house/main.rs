//! The rules of `docs/architecture.md` that neither the compiler nor a reviewer enforces reliably, checked in the
//! manifests and sources.
mod dependencies;
mod documentation;
mod forgotten;
mod landed;
mod layers;
mod migrations;
mod names;
mod purity;
mod sizes;
mod workspace;
