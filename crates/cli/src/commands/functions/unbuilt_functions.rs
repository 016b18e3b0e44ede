//! Warns of functions that have a source but no component: a call of such a function fails, and
//! nothing else says why.

use banyan_config::Config;

use super::function_sources::{self, Function, Source};
use crate::output;

/// Names the functions that were never built, and says what to do next.
pub(in crate::commands) fn warn(config: &Config) {
    // The commands that build report a folder that cannot be read.
    let all = function_sources::list(config).unwrap_or_default();
    sentences(all.iter().filter(|function| is_unbuilt(config, function))).iter().for_each(output::note);
    warn_of_missing(config, &all, |slug| is_built(config, slug));
}

/// Returns the warning for one function, if it was never built.
pub(super) fn sentence(config: &Config, slug: &str) -> Option<String> {
    let all = function_sources::list(config).unwrap_or_default();
    let of_it = all.iter().filter(|function| function.slug == slug && is_unbuilt(config, function));
    sentences(of_it).pop()
}

/// Warns of functions that the configuration names and that do not exist, for example after a
/// function was renamed: their settings then apply to no function.
pub(super) fn warn_of_missing(config: &Config, all: &[Function], is_there: impl Fn(&str) -> bool) {
    for slug in configured_without_source(config, all).filter(|slug| !is_there(slug)) {
        let folder = config.paths.functions().join(slug);
        let lacks = if folder.is_dir() { "holds no function" } else { "is not there" };
        output::note(format_args!(
            "WARN: [functions.{slug}] of config.toml or banyan.toml is of no function: {} {lacks}, and none of that name is deployed.{}",
            folder.display(),
            function_sources::finished(&folder, slug)
        ));
    }
}

/// The functions of the configuration that are switched on and have no source.
fn configured_without_source<'a>(config: &'a Config, all: &[Function]) -> impl Iterator<Item = &'a str> {
    let on = config.functions.iter().filter(|(_, policy)| policy.enabled && policy.component.is_none());
    on.map(|(slug, _)| slug.as_str()).filter(|slug| !all.iter().any(|function| function.slug == *slug))
}

fn is_unbuilt(config: &Config, Function { slug, .. }: &Function) -> bool {
    is_enabled(config, slug) && !is_built(config, slug)
}

/// Returns whether a function can be called, wherever its component comes from.
pub(in crate::commands) fn is_there(config: &Config, slug: &str) -> bool {
    is_enabled(config, slug) && is_built(config, slug)
}

fn is_enabled(config: &Config, slug: &str) -> bool {
    config.edge_runtime.enabled && config.functions.get(slug).is_none_or(|policy| policy.enabled)
}

/// Built, deployed and served, or named by its policy: the places where the host looks as well.
fn is_built(config: &Config, slug: &str) -> bool {
    let prebuilt = config.functions.get(slug).and_then(|policy| policy.component.as_deref());
    config.paths.components().join(format!("{slug}.wasm")).is_file()
        || prebuilt.is_some_and(|component| component.is_file())
}

fn sentences<'a>(unbuilt: impl Iterator<Item = &'a Function>) -> Vec<String> {
    let (mut in_rust, mut sentences) = (Vec::new(), Vec::new());
    for Function { slug, source } in unbuilt {
        match source {
            Source::Crate(_) => in_rust.push(slug.as_str()),
            Source::TypeScript(path) => {
                sentences.push(format!(
                    "WARN: {slug} cannot be called: {}",
                    function_sources::for_deno(path, slug)
                ));
            }
        }
    }
    let (are, them) = if in_rust.len() == 1 { ("is", "it") } else { ("are", "them") };
    if !in_rust.is_empty() {
        sentences.push(format!(
            "{} {are} not built yet and cannot be called: `banyan functions build` builds {them}, and \
             `banyan functions serve` again whenever a source changes.",
            in_rust.join(", ")
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G03
    #[test]
    fn what_is_there_as_a_source_alone_is_named_with_what_to_do_next() {
        let function = |slug: &str, source: fn(std::path::PathBuf) -> Source| Function {
            slug: slug.to_owned(),
            source: source(slug.into()),
        };
        let all =
            [function("a", Source::Crate), function("old", Source::TypeScript), function("b", Source::Crate)];
        let said = sentences(all.iter());
        assert!(said[0].starts_with("WARN: old cannot be called: old is for Deno"), "{said:?}");
        assert!(said[1].starts_with("a, b are not built yet") && said[1].contains("builds them"), "{said:?}");
        assert!(sentences(all[..1].iter())[0].starts_with("a is not built yet"));
        assert_eq!(sentences([].iter()), Vec::<String>::new());
    }
}
