//! Web pages: one file without anything outside of it.

mod about;
mod appendix;
mod blocks;
mod logo;
mod page;
mod settings;
mod site;
mod slides;
mod stretch;

pub(crate) use self::{
    blocks::{attributes, escape, is_script, task},
    page::page,
    site::Site,
    slides::{slide_level, slides},
};
