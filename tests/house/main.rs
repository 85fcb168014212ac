//! The rules of the house (`docs/architecture.md`), read from the manifests and the sources themselves: what a compiler
//! does not hold together and a reviewer forgets.
mod dependencies;
mod documentation;
mod forgotten;
mod migrations;
mod purity;
mod sizes;
mod workspace;
