//! Pages of published sites as HTML: the blocks of a text, the frame around it, themes, style sheets and scripts.
//!
//! Rendering is a pure function: it takes a page as its visitor sees it ([`domain::site::reader`]), and returns a
//! string. Nothing here does I/O, checks access or reads a clock. Text is escaped by default; what is written unescaped
//! comes from this crate.
pub mod article;
pub mod assets;
mod blocks;
pub mod diagram;
pub mod export;
pub mod frame;
mod href;
pub mod icons;
pub mod machine;
pub mod schema;
mod tags;
pub mod texts;
pub mod theme;
