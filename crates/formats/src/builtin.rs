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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{
        super::{KindOptions, ParseOptions, org, qtype},
        *,
    };

    #[test]
    fn options_that_are_set_replace_fields_and_defaults() {
        let twelve = KindOptions::default().with(&org::INLINE_TASKS, 12);
        let options =
            ParseOptions { kind_options: Some(&twelve), inline_tasks: Some(15), ..ParseOptions::default() };
        assert_eq!(options.option(&org::INLINE_TASKS), 12);
        assert_eq!(options.option(&qtype::STRICT_ENVIRONMENT), false);
        let nothing = twelve.clone().with(&org::INLINE_TASKS, Value::Null);
        let options = ParseOptions { kind_options: Some(&nothing), ..options };
        assert_eq!(options.option(&org::INLINE_TASKS), 15);
        let strict = ParseOptions { strict_environment: true, ..ParseOptions::default() };
        assert_eq!(strict.option(&qtype::STRICT_ENVIRONMENT), true);
        assert_eq!(strict.option(&org::INLINE_TASKS), Value::Null);
    }

    #[test]
    fn each_option_belongs_to_one_kind() {
        let kinds = Kinds::builtin();
        let all: Vec<&str> = kinds.iter().flat_map(|kind| kind.options()).map(|option| option.name).collect();
        assert_eq!(all.len(), 2, "{all:?}");
        assert_ne!(all[0], all[1]);
    }
}
