//! Web pages: one file without anything outside of it.

mod about;
mod appendix;
mod axe;
mod backgrounds;
mod blocks;
mod css;
mod dark;
mod dashboard;
mod escape;
mod formula;
mod highlight;
mod logo;
mod navigation;
mod page;
mod room;
mod settings;
mod site;
mod slides;
mod stretch;

pub(crate) use self::{
    blocks::{attributes, is_script, task},
    escape::escape,
    formula::{mathml, read_mathml},
    navigation::{Entry, Navigation, Pages, marked, shown},
    page::{page, script, style},
    site::{SHARED, Site},
    slides::{Overfull, slide_level, slides},
};
