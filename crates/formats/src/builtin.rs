use std::sync::Arc;

use super::{
    Kind, Kinds, config::Config, json::Json, markdown::Markdown, mermaid::Mermaid, openapi::OpenApi,
    org::Org, qtype::QType, quarto::Quarto, quill::Manifest, rulefile::RuleFile, toml::Toml, yaml::Yaml,
};
use crate::budget::Once;

impl Kinds {
    /// Proofmark's own kinds.
    pub fn builtin() -> Arc<Self> {
        static BUILTIN: Once<Arc<Kinds>> = Once::new();
        Arc::clone(BUILTIN.get_or_init(|| {
            let all: [Arc<dyn Kind>; 12] = [
                Arc::new(RuleFile),
                Arc::new(Config),
                Arc::new(Manifest),
                Arc::new(Org),
                Arc::new(Markdown),
                Arc::new(Quarto),
                Arc::new(Yaml),
                Arc::new(Json),
                Arc::new(Toml),
                Arc::new(QType),
                Arc::new(OpenApi),
                Arc::new(Mermaid),
            ];
            Arc::new(all.into_iter().collect())
        }))
    }
}
