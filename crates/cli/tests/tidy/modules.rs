//! The order of modules: each knows only those below it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

#[test]
fn modules_of_auth_know_those_below_them_alone() {
    let auth = Modules::of_layers("auth", &["endpoints", "guards", "domain", "wire", "model"]);
    let arrows = auth.arrows_down(&[]);
    assert!(arrows > 500, "the modules were not read: {arrows}");
    let elsewhere = auth.elsewhere();
    let of = |names: &BTreeMap<String, String>, name| names.get(name).cloned().unwrap_or_default();
    assert_eq!(of(&elsewhere.exported, "State"), "service", "what lib.rs exports was not read");
    assert_eq!(of(&elsewhere.methods, "begin"), "domain/transaction", "methods were not read");
}

#[test]
fn modules_of_server_know_those_below_them_alone() {
    let arrows = Modules::of("server").arrows_down(&[]);
    assert!(arrows > 100, "the modules were not read: {arrows}");
}

#[test]
fn modules_of_storage_know_those_below_them_alone() {
    let arrows = Modules::of("storage").arrows_down(&[]);
    assert!(arrows > 50, "the modules were not read: {arrows}");
}

#[test]
fn modules_of_realtime_know_those_below_them_alone() {
    let arrows = Modules::of("realtime").arrows_down(&[]);
    assert!(arrows > 50, "the modules were not read: {arrows}");
}

#[test]
fn modules_of_edge_know_those_below_them_alone() {
    let arrows = Modules::of("edge").arrows_down(&[]);
    assert!(arrows > 100, "the modules were not read: {arrows}");
}

#[test]
fn modules_in_the_folders_of_edge_know_those_below_them_alone() {
    let edge = Modules::of("edge");
    let arrows: usize = order(&edge.list).map(|folder| edge.arrows_down_inside(folder)).sum();
    assert!(arrows > 25, "the modules were not read: {arrows}");
}

#[test]
fn modules_of_db_know_those_below_them_alone() {
    let arrows = Modules::of("db").arrows_down(&[]);
    assert!(arrows > 50, "the modules were not read: {arrows}");
}

#[test]
fn modules_in_the_folders_of_db_know_those_below_them_alone() {
    let db = Modules::of("db");
    let arrows: usize = order(&db.list).map(|folder| db.arrows_down_inside(folder)).sum();
    assert!(arrows > 25, "the modules were not read: {arrows}");
}

#[test]
fn modules_of_these_crates_know_each_other_in_no_circle() {
    for name in ["config", "identity", "local", "mail", "rest"] {
        let modules = Modules::of(name);
        assert!(modules.arrows().len() > 5, "the modules of {name} were not read");
        assert_eq!(modules.circles(), Vec::<&str>::new(), "{name}: these modules stand on a circle");
    }
}

/// The modules of a crate, which its `src/lib.rs` lists from top to bottom.
struct Modules {
    source: PathBuf,
    list: String,
    /// Each module by its path below `src`, from top to bottom.
    order: Vec<String>,
    /// Each file with its module and its code.
    files: Vec<(String, PathBuf, String)>,
}

impl Modules {
    fn of(name: &str) -> Self {
        Self::of_layers(name, &[])
    }

    /// A layer is a folder that holds modules alone; its `mod.rs` lists them from top to bottom.
    fn of_layers(name: &str, layers: &[&str]) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let read = |file: &Path| std::fs::read_to_string(file).expect("a module");
        let list = read(&source.join("lib.rs"));
        let order: Vec<String> = order(&list)
            .flat_map(|module| match layers.contains(&module) {
                true => {
                    let list = read(&source.join(module).join("mod.rs"));
                    self::order(&list).map(|below| format!("{module}/{below}")).collect()
                }
                false => vec![module.to_owned()],
            })
            .collect();
        let files = order
            .iter()
            .flat_map(|module| files(&source, module).into_iter().map(move |file| (module.clone(), file)))
            .map(|(module, file)| {
                let code = code_of(&read(&file));
                (module, file, code)
            })
            .collect();
        Self { source, list, order, files }
    }

    fn elsewhere(&self) -> Elsewhere {
        let each = self.files.iter().map(|(module, _, code)| (module, code));
        let methods =
            each.flat_map(|(module, code)| methods(code).map(|name| (name.to_owned(), module.clone())));
        Elsewhere { exported: exported(&self.list), methods: methods.collect() }
    }

    /// Where a module stands whose path begins a path of code, such as `domain/accounts/create`.
    fn place(&self, path: &str) -> Option<usize> {
        self.order.iter().position(|module| {
            path.strip_prefix(module.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Each module with another that it knows outside of tests, by their places.
    fn arrows(&self) -> BTreeSet<(usize, usize)> {
        let elsewhere = self.elsewhere();
        let is_code = |file: &Path| !file.to_string_lossy().ends_with("tests.rs");
        let files = self.files.iter().filter(|(_, file, _)| is_code(file));
        let each = files.flat_map(|(module, _, code)| {
            let known = elsewhere.known(code).into_iter();
            known.filter_map(|known| Some((self.place(module)?, self.place(&known)?)))
        });
        each.filter(|(from, to)| from != to).collect()
    }

    /// The modules that are left once each that knows none of those left was taken away, again and
    /// again: those of circles, and those that know them.
    fn circles(&self) -> Vec<&str> {
        let mut arrows = self.arrows();
        loop {
            let knowing: BTreeSet<usize> = arrows.iter().map(|(from, _)| *from).collect();
            let before = arrows.len();
            arrows.retain(|(_, to)| knowing.contains(to));
            if arrows.len() == before {
                return knowing.iter().map(|module| self.order[*module].as_str()).collect();
            }
        }
    }

    /// How often a module knows others, none of which may stand above.
    fn arrows_down(&self, may_go_up: &[(&str, &str)]) -> usize {
        let elsewhere = self.elsewhere();
        let mut arrows = 0;
        for (module, file, code) in &self.files {
            let above = self.place(module);
            for known in elsewhere.known(code) {
                let Some(below) = self.place(&known) else { continue };
                arrows += 1;
                let is_allowed = above <= Some(below)
                    || may_go_up.contains(&(module.as_str(), known.split('/').next().unwrap_or_default()));
                assert!(is_allowed, "{} knows {known}, which stands above {module}", file.display());
            }
            let outside = "super::".repeat(depth(&self.source, module, file) + 1);
            assert!(!code.contains(&outside), "{} leaves its module by super", file.display());
        }
        arrows
    }

    /// How often a file of a folder knows another one by `super`, none of which may stand above in
    /// the list of the folder's `mod.rs`. A module without a folder knows none.
    fn arrows_down_inside(&self, folder: &str) -> usize {
        let list = std::fs::read_to_string(self.source.join(folder).join("mod.rs")).unwrap_or_default();
        let order: Vec<&str> = order(&list).collect();
        let place = |name: &str| order.iter().position(|module| *module == name);
        let mut arrows = 0;
        for (_, file, code) in
            self.files.iter().filter(|(module, file, _)| depth(&self.source, module, file) == 1)
        {
            let inside = file.strip_prefix(self.source.join(folder)).ok();
            let name = inside.and_then(|path| path.iter().next()?.to_str());
            let Some(above) = name.and_then(|name| place(name.trim_end_matches(".rs"))) else { continue };
            let code = code.replace("crate::", "").replace("super::", "crate::");
            let known = modules_named(&code);
            let known = known.iter().filter_map(|path| place(path.split('/').next()?));
            for below in known {
                arrows += 1;
                assert!(above < below, "{} knows {}, which stands above", file.display(), order[below]);
            }
        }
        arrows
    }
}

/// The names of the modules in a `lib.rs` or a `mod.rs`, as they stand there.
fn order(list: &str) -> impl Iterator<Item = &str> {
    let modules = list.lines().map(|line| line.strip_prefix("pub ").unwrap_or(line));
    let modules = modules.map(|line| line.strip_prefix("pub(crate) ").unwrap_or(line));
    modules.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
}

#[test]
fn the_modules_that_a_file_knows_are_found() {
    let text = "use crate::{\n    Body, codes::{self, Code}, // crate::comments\n    store::{users::User},\n};\n\
                fn f() { crate::hex::hex(); }\n#[cfg(test)]\nmod tests {\n    use crate::tests_alone;\n}\n";
    assert_eq!(
        modules_named(&code_of(text)),
        ["Body", "codes/self", "codes/Code", "store/users/User", "hex/hex"]
    );
    assert_eq!(
        code_of("let a = \"https://a\"; crate::b(); // crate::c"),
        "let a = \"https://a\"; crate::b(); "
    );
    let elsewhere = Elsewhere {
        exported: exported("pub use wire::page::Body;\npub use service::{State, handle};\n"),
        methods: methods(
            "impl ServiceContext {\n    pub(crate) async fn begin(&self) {\n    }\n    fn own(&self) {}\n}\nfn free() {}\n",
        )
        .map(|name| (name.to_owned(), "work".to_owned()))
        .collect(),
    };
    let known = elsewhere.known(
        "use crate::{Body, State, codes};\nasync fn f() { service.begin(); other.begin(); service.own(); }",
    );
    assert_eq!(known, ["wire/page", "service", "codes", "work"]);
    let at = |file: &str| depth(Path::new("src"), "m", &Path::new("src").join(file));
    assert_eq!(["m.rs", "m/mod.rs", "m/a.rs", "m/a/mod.rs", "m/a/b.rs"].map(at), [0, 0, 1, 1, 2]);
}

/// What stands in a module and is called without its name.
struct Elsewhere {
    /// What lib.rs exports, each with its module.
    exported: BTreeMap<String, String>,
    /// Methods that modules give to the state of the service, each with its module.
    methods: BTreeMap<String, String>,
}

impl Elsewhere {
    /// The paths that a code knows.
    fn known(&self, code: &str) -> Vec<String> {
        let named =
            modules_named(code).into_iter().map(|name| self.exported.get(&name).cloned().unwrap_or(name));
        let called = self.methods.iter().filter(|(name, _)| code.contains(&format!("service.{name}(")));
        named.chain(called.map(|(_, module)| module.clone())).collect()
    }
}

/// What lib.rs exports, each with its module.
fn exported(list: &str) -> BTreeMap<String, String> {
    let uses =
        list.lines().filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';')?.rsplit_once("::"));
    let each = uses.flat_map(|(module, names)| {
        let names = names.trim_matches(['{', '}']).split(", ");
        names.map(move |name| (name.to_owned(), module.replace("::", "/")))
    });
    each.collect()
}

/// The methods for other modules that a code gives to `ServiceContext`.
fn methods(code: &str) -> impl Iterator<Item = &str> {
    let blocks = code
        .split("\nimpl ServiceContext {")
        .skip(1)
        .map(|rest| rest.split("\n}").next().unwrap_or_default());
    let blocks = blocks.chain(
        code.strip_prefix("impl ServiceContext {").map(|rest| rest.split("\n}").next().unwrap_or_default()),
    );
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.trim_start().strip_prefix("pub(crate) "));
    lines.filter_map(|line| {
        line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?.split(['(', '<']).next()
    })
}

/// How many modules a file lies below that of its crate's root.
fn depth(source: &Path, module: &str, file: &Path) -> usize {
    let below = file.strip_prefix(source.join(module)).map_or(0, |below| below.components().count());
    below - usize::from(below > 0 && file.ends_with("mod.rs"))
}

/// The files of a module.
fn files(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut folders = vec![source.join(module)];
    let mut files = vec![source.join(format!("{module}.rs"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| path.extension().is_some_and(|end| end == "rs") && path.is_file());
    files
}

/// What of a file is neither comment nor test.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(without_comment).collect::<Vec<_>>().join("\n")
}

/// A line up to its comment, which begins outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut ends = line.match_indices("//").map(|(at, _)| &line[..at]);
    ends.find(|code| code.matches('"').count() % 2 == 0).unwrap_or(line)
}

/// The paths behind `crate::`, also in lists, with `/` in place of `::`.
fn modules_named(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        paths("", &code[at + path.len()..], &mut names);
    }
    names
}

/// Reads one path, or all of a list, and gives what follows.
fn paths<'a>(before: &str, text: &'a str, found: &mut Vec<String>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            rest = paths(before, rest, found).trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        return &rest.trim_start()[1..];
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = if before.is_empty() { name.to_owned() } else { format!("{before}/{name}") };
    match rest.strip_prefix("::") {
        Some(below) if below.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{') => {
            paths(&path, below, found)
        }
        _ => {
            found.push(path);
            // A list may give a name of its own.
            match rest.strip_prefix(" as ") {
                Some(own) => own.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
                None => rest,
            }
        }
    }
}
