//! Resources: rules, examples and schemas by URI.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};

use super::{core::Core, finding::displayed, lesson, tools::explanation_markdown};
use crate::{
    org,
    text::{clip, visible},
};

/// The listed resources: schemas, examples and rendered documents. Rules are too many to list; clients
/// reach them through the template and the completion of ids.
fn list(core: &Core) -> Vec<Resource> {
    let schemas = core.kinds().iter().map(|kind| {
        Resource::new(format!("schemas://{}", kind.name()), format!("{} schema", kind.name()))
            .with_title(format!("JSON Schema of {}", kind.name()))
            .with_description(kind.description())
            .with_mime_type("application/schema+json")
    });
    let examples = core.examples().iter().map(|(id, document)| {
        Resource::new(format!("examples://{id}"), id)
            .with_title(format!("Example ({})", document.kind))
            .with_description(document.description.clone())
            .with_mime_type("text/plain")
    });
    rendered_documents(core).into_iter().chain(org_files(core)).chain(schemas).chain(examples).collect()
}

/// Most resources of a page.
const PAGE: usize = 500;

/// A page of the listed resources, and the cursor for the next one. A cursor is the URI of the last resource before, so that it
/// holds while files come and go.
pub(super) fn page(core: &Core, cursor: Option<&str>) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let all = list(core);
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let bad =
                || ErrorData::invalid_params("`cursor` is not the `nextCursor` of a list of resources", None);
            let last = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let last = last.ok_or_else(bad)?;
            let same = all.iter().position(|resource| resource.uri == last).map(|at| at + 1);
            // The file is gone: those after it follow.
            let after =
                || all.iter().position(|resource| resource.uri.starts_with("org://") && resource.uri > last);
            same.or_else(after).ok_or_else(bad)?
        }
    };
    let mut rest = all.into_iter().skip(start);
    let page: Vec<Resource> = rest.by_ref().take(PAGE).collect();
    let last = page.last().filter(|_| rest.next().is_some());
    let next = last.map(|last| URL_SAFE_NO_PAD.encode(&last.uri));
    Ok((page, next))
}

/// The Org files below the allowed folders, where the tools for them are offered.
fn org_files(core: &Core) -> Vec<Resource> {
    if !core.offers_org() {
        return Vec::new();
    }
    let names = core.org_files().names();
    let files = names.into_iter().map(|name| {
        Resource::new(org::Location::uri_of(&name), name)
            .with_title("Org file")
            .with_mime_type(org::resource::MIME)
    });
    let states = Resource::new(org::resource::TODO_STATES, "TODO keywords")
        .with_title("TODO keywords of the Org files")
        .with_mime_type("application/json");
    files.chain([states]).collect()
}

/// The resource templates.
pub(super) fn templates(core: &Core) -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, mime: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_mime_type(mime)
    };
    let mut templates = vec![
        template("rules://{id}", "rule", "Explanation of a rule by id or name", "text/markdown"),
        template("examples://{+id}", "example", "Example document by id", "text/plain"),
        template("quills://{quill}/{+path}", "quill-file", "Picture of a quill", "application/octet-stream"),
        template("quillmark://render/{uuid}", "rendered", "Rendered document", "application/octet-stream"),
        template(
            "schemas://{kind}",
            "schema",
            "JSON Schema of a kind of document",
            "application/schema+json",
        ),
    ];
    if core.offers_org() {
        let (org, json) = (org::resource::MIME, "application/json");
        templates.extend([
            template("org://{+file}", "org-file", "Org file", org),
            template("org://{+file}/outline", "org-outline", "Headlines of an Org file", json),
            template(
                "org://{+file}/headline/{+path}",
                "org-headline",
                "Org headline by the titles that lead to it, with everything below it",
                org,
            ),
            template("org://id/{id}", "org-id", "Org headline by its ID, with everything below it", org),
        ]);
    }
    templates
}

/// Reads a resource.
pub(super) fn read(core: &Core, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = || not_found(uri);
    let (scheme, name) = uri.split_once("://").ok_or_else(missing)?;
    #[cfg(feature = "render")]
    match scheme {
        "quillmark" => return rendered(core, uri),
        "quills" => return quill_file(core, uri, name),
        _ => {}
    }
    let (text, mime) = match scheme {
        "org" if core.offers_org() => {
            let found = org::resource::read(&core.org_files(), uri).map_err(|error| {
                let shown = visible(&clip(uri, 120)).into_owned();
                ErrorData::resource_not_found(error.to_string(), Some(serde_json::json!({ "uri": shown })))
            })?;
            (found.text, found.mime)
        }
        "rules" => {
            let ruleset = core.validator.ruleset();
            let found = ruleset.find(name).or_else(|| ruleset.find(&name.to_uppercase()));
            let found = found.ok_or_else(missing)?;
            (explanation_markdown(ruleset, found.rule), "text/markdown")
        }
        "examples" => {
            let document = core.examples().get(name).ok_or_else(missing)?;
            (displayed(&document.text), "text/plain")
        }
        "schemas" => {
            let kind = core.kind(name).map_err(|_| missing())?;
            let schema = lesson::schema(core.validator.ruleset(), kind.as_ref());
            (serde_json::to_string_pretty(&schema).unwrap_or_default(), "application/schema+json")
        }
        _ => return Err(missing()),
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(mime)]))
}

/// A rendered document.
#[cfg(feature = "render")]
fn rendered(core: &Core, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let rendering = core.rendering.as_ref().ok_or_else(|| not_found(uri))?;
    let kept = rendering.store.get(uri).map_err(|missing| {
        let shown = visible(&clip(uri, 120)).into_owned();
        let data = serde_json::json!({ "uri": shown });
        ErrorData::resource_not_found(format!("`{shown}`: {missing}"), Some(data))
    })?;
    let blob = ResourceContents::blob(kept.base64(), uri).with_mime_type(kept.format.mime_type());
    Ok(ReadResourceResult::new(vec![blob]))
}

/// A file below `assets/` of a quill: `quills://NAME/assets/…`.
#[cfg(feature = "render")]
fn quill_file(core: &Core, uri: &str, name: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = || not_found(uri);
    let rendering = core.rendering.as_ref().ok_or_else(missing)?;
    let (quill, path) = name.split_once('/').ok_or_else(missing)?;
    let bundle = rendering.renderer.library().bundle(quill).and_then(Result::ok).ok_or_else(missing)?;
    let bytes = bundle.files().get(path).filter(|_| path.starts_with("assets/")).ok_or_else(missing)?;
    let mime = match path.rsplit('.').next().unwrap_or_default() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let blob = base64::prelude::BASE64_STANDARD.encode(bytes);
    Ok(ReadResourceResult::new(vec![ResourceContents::blob(blob, uri).with_mime_type(mime)]))
}

/// All rendered documents, the newest first.
#[cfg(feature = "render")]
fn rendered_documents(core: &Core) -> Vec<Resource> {
    let kept = core.rendering.iter().flat_map(|rendering| rendering.store.list());
    kept.map(|kept| {
        Resource::new(kept.uri(), format!("Rendered document ({})", kept.format))
            .with_title(format!("{}, rendered at {}", kept.quill, kept.time()))
            .with_mime_type(kept.format.mime_type())
    })
    .collect()
}

#[cfg(not(feature = "render"))]
fn rendered_documents(_: &Core) -> Vec<Resource> {
    Vec::new()
}

/// What a service with a renderer has besides.
const RENDERED: &str =
    if cfg!(feature = "render") { "quills://NAME/assets/PATH, quillmark://render/ID " } else { "" };

fn not_found(uri: &str) -> ErrorData {
    let shown = visible(&clip(uri, 120)).into_owned();
    let message = format!(
        "there is no resource `{shown}`; available: rules://ID, examples://ID, schemas://KIND, {RENDERED}and those that are listed"
    );
    ErrorData::resource_not_found(message, Some(serde_json::json!({ "uri": shown })))
}

/// Ids of examples, for completion.
pub(super) fn example_ids(core: &Core) -> Vec<String> {
    let examples = core.examples();
    examples.iter().map(|(id, _)| id.to_owned()).collect()
}
