use super::{
    shape::{Shape, Shaped},
    *,
};

const README: &str = include_str!("../../README.md");

/// The rows of README.md: a key and its default.
fn documented() -> BTreeMap<String, String> {
    let cells = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        Some((cells.next()?.strip_suffix('`')?.to_owned(), cells.next()?.to_owned()))
    };
    let section = README.split("## Every key of banyan.toml").nth(1).expect("the section");
    section.lines().filter_map(cells).collect()
}

/// The keys of a section, each with its default where that is a plain value.
fn keys<S: Shaped + Default + serde::Serialize>(section: &str) -> Vec<(String, Option<String>)> {
    let Shape::Section(keys) = S::SHAPE else { panic!("{section} is no section") };
    let defaults = toml::Table::try_from(S::default()).expect("a table");
    let plain = |key: &str| defaults.get(key).filter(|value| !value.is_table()).map(toml::Value::to_string);
    keys.iter().map(|key| (format!("{section}.{}", key.name), plain(key.name))).collect()
}

// rows: CFG-BANYAN
#[test]
fn every_key_of_banyan_toml_stands_in_the_readme_with_its_default() {
    let mut documented = documented();
    let sections = [
        keys::<RawServer>("server"),
        keys::<RawBanyanApi>("api"),
        keys::<RawBanyanAuth>("auth"),
        keys::<RawLeakedPasswords>("auth.leaked_passwords"),
        keys::<RawAuditLog>("auth.audit_log"),
        keys::<RawCaptchaService>("auth.captcha"),
        keys::<RawBanyanMfa>("auth.mfa"),
        keys::<RawBanyanEmail>("auth.email"),
        keys::<RawBanyanSmtp>("auth.email.smtp"),
        keys::<RawTemplate>("auth.email.template.<mail>.<locale>"),
        keys::<RawBanyanStorage>("storage"),
        keys::<RawStorageS3>("storage.s3"),
        keys::<RawBanyanRealtime>("realtime"),
        keys::<RawBanyanEdgeRuntime>("edge_runtime"),
        keys::<RawFunction>("functions.<name>"),
    ]
    .concat();
    let all: Vec<String> = sections.iter().map(|(key, _)| format!("{key}.")).collect();
    for (key, default) in sections {
        // A key with keys of its own is reported by those.
        if all.iter().any(|longer| longer.len() > key.len() + 1 && longer.starts_with(&format!("{key}."))) {
            continue;
        }
        let row = documented.remove(&key).unwrap_or_else(|| panic!("{key} is not in README.md"));
        if let Some(default) = default {
            assert_eq!(row, format!("`{default}`"), "{key}");
        }
    }
    assert!(documented.is_empty(), "nothing reads these: {documented:?}");
}
