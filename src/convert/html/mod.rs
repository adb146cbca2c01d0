//! Web pages: one file without anything outside of it.

mod about;
mod appendix;
mod blocks;
mod formula;
mod logo;
mod page;
mod settings;
mod site;
mod slides;
mod stretch;

pub(crate) use self::{
    blocks::{attributes, escape, is_script, task},
    formula::mathml,
    page::page,
    site::Site,
    slides::{slide_level, slides},
};
