//! Web pages: one file without anything outside of it.

mod blocks;
mod page;
mod slides;

pub(crate) use self::{
    blocks::escape,
    page::page,
    slides::{slide_level, slides},
};
