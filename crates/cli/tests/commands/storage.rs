use crate::project::Project;

const BUCKETS: &str = "\n[storage.buckets.docs]\npublic = true\nobjects_path = \"./docs\"\n\
    [storage.buckets.images]\nfile_size_limit = \"1KB\"\nallowed_mime_types = [\"image/*\"]\n";

/// A project with two buckets, one of them with files.
fn project() -> Project {
    let project = Project::new();
    let config = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&config).expect("read");
    std::fs::write(&config, text + BUCKETS).expect("written");
    let docs = project.path().join("supabase/docs");
    std::fs::create_dir_all(docs.join("deep")).expect("made");
    std::fs::write(docs.join("a.txt"), "a").expect("written");
    std::fs::write(docs.join("deep/b.json"), "{}").expect("written");
    project
}

/// The lines that a command prints.
fn lines(project: &Project, arguments: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = project.succeed(arguments).out.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

// rows: CLI-SEED-BUCKETS CLI-STORAGE-LS CLI-STOP-STORAGE
#[test]
fn a_first_start_and_a_reset_make_the_buckets_of_the_project() {
    let project = project();
    let started = project.succeed(&["start"]).notes;
    for said in ["Creating Storage bucket: docs", "Creating Storage bucket: images", "=> docs/deep/b.json"] {
        assert!(started.contains(said), "{said} is not in {started}");
    }
    let all = ["storage", "ls", "-r", "ss:///", "--local", "--experimental"];
    assert_eq!(lines(&project, &["storage", "ls"]), ["docs/", "images/"]);
    assert_eq!(lines(&project, &all), ["/docs/a.txt", "/docs/deep/b.json", "images/"]);
    let rows = project
        .query("select id, public, file_size_limit, allowed_mime_types from storage.buckets order by id");
    assert_eq!((&rows[0]["public"], &rows[1]["file_size_limit"]), (&true.into(), &1024.into()), "{rows}");

    std::fs::write(project.path().join("supabase/docs/c.txt"), "c").expect("written");
    let seeded = project.succeed(&["seed", "buckets"]).notes;
    assert!(seeded.contains("Updating Storage bucket: docs") && seeded.contains("=> docs/c.txt"), "{seeded}");
    let image = project.run(&["storage", "cp", "supabase/docs/a.txt", "ss:///images/a.txt"]);
    assert!(image.notes.starts_with("Error status 400: {") && image.code == 1, "{}", image.notes);

    project.succeed(&["db", "reset"]);
    assert_eq!(lines(&project, &all), ["/docs/a.txt", "/docs/c.txt", "/docs/deep/b.json", "images/"]);
    project.succeed(&["storage", "cp", "ss:///docs/c.txt", "copy.txt"]);
    assert_eq!(std::fs::read_to_string(project.path().join("copy.txt")).expect("read"), "c");
    project.succeed(&["stop", "--no-backup"]);
    assert!(!project.path().join("state/storage").exists());
}

// rows: CLI-STORAGE CLI-STORAGE-LS CLI-STORAGE-CP CLI-STORAGE-MV CLI-STORAGE-RM CLI-STATUS
#[test]
fn objects_are_copied_moved_and_removed_from_the_command_line() {
    let project = project();
    project.succeed(&["start"]);
    let fails = |arguments: &[&str], said: &str| {
        let told = project.run(arguments);
        assert!(told.code == 1 && told.notes.contains(said), "{arguments:?}: {}", told.notes);
    };
    let list = |path: &str| lines(&project, &["storage", "ls", "-r", path]);

    // A folder gets the name that is asked for, and goes into one that is there.
    project.succeed(&["storage", "cp", "-r", "supabase/docs", "ss:///new/copy", "--jobs", "3"]);
    project.succeed(&["storage", "cp", "-r", "supabase/docs", "ss:///new/copy"]);
    let both =
        ["/new/copy/a.txt", "/new/copy/deep/b.json", "/new/copy/docs/a.txt", "/new/copy/docs/deep/b.json"];
    assert_eq!(list("ss:///new/"), both);
    assert_eq!(lines(&project, &["storage", "ls", "ss:///new/copy/d"]), ["deep/", "docs/"]);

    let options = ["--content-type", "text/html", "--cache-control", "no-store"];
    project.succeed(&[&["storage", "cp", "supabase/docs/a.txt", "ss:///new/page"], &options[..]].concat());
    let row = project.query("select metadata from storage.objects where name = 'page'");
    assert_eq!(
        (&row[0]["metadata"]["mimetype"], &row[0]["metadata"]["cacheControl"]),
        (&"text/html".into(), &"no-store".into()),
        "{row}"
    );
    let row = project.query("select metadata from storage.objects where name = 'copy/deep/b.json'");
    assert_eq!(row[0]["metadata"]["mimetype"], "application/json", "{row}");

    project.succeed(&["storage", "cp", "-r", "ss:///new/copy", "downloaded"]);
    let read = |path: &str| std::fs::read_to_string(project.path().join(path)).expect("read");
    assert_eq!(
        (read("downloaded/a.txt"), read("downloaded/docs/deep/b.json")),
        ("a".to_owned(), "{}".to_owned())
    );
    fails(&["storage", "cp", "ss:///new/page", "downloaded/a.txt"], "failed to create file");
    fails(&["storage", "cp", "ss:///new/none", "none.txt"], "Error status 400: {");
    fails(
        &["storage", "cp", "ss:///new/page", "ss:///docs/page"],
        "Copying between buckets is not supported",
    );
    fails(&["storage", "cp", "a", "b"], "Unsupported operation");
    fails(&["storage", "ls", "new/"], "URL must match pattern ss:///bucket/[prefix]");
    fails(&["storage", "ls", "--linked"], "there is no linked project");

    let moved = project.succeed(&["storage", "mv", "ss:///new/page", "ss:///new/page.html"]).notes;
    assert_eq!(moved, "Moving object: /new/page => /new/page.html\nSuccessfully moved\n");
    project.succeed(&["storage", "mv", "-r", "ss:///new/copy/docs", "ss:///new/moved"]);
    assert_eq!(list("ss:///new/moved/"), ["/new/moved/a.txt", "/new/moved/deep/b.json"]);
    fails(&["storage", "mv", "ss:///new/a", "ss:///docs/a"], "Moving between buckets is unsupported");

    // Without a terminal nobody has confirmed it.
    project.succeed(&["storage", "rm", "ss:///new/page.html"]);
    assert_eq!(list("ss:///new/page.html"), ["/new/page.html"]);
    project.succeed(&["--yes", "storage", "rm", "ss:///new/page.html", "ss:///new/none"]);
    fails(&["--yes", "storage", "rm", "ss:///new/copy/"], "You must specify -r flag to delete directories.");
    project.succeed(&["--yes", "storage", "rm", "-r", "ss:///new/copy"]);
    assert_eq!(list("ss:///new/"), ["/new/moved/a.txt", "/new/moved/deep/b.json"]);
    project.succeed(&["--yes", "storage", "rm", "-r", "ss:///new"]);
    assert_eq!(lines(&project, &["storage", "ls"]), ["docs/", "images/"]);

    let status = project.status();
    let api = status["API_URL"].as_str().expect("an address");
    assert_eq!(status["STORAGE_S3_URL"], format!("{api}/storage/v1/s3"));
    assert_eq!(status["S3_PROTOCOL_ACCESS_KEY_ID"], "625729a08b95bf1b7ff351a663f3a23c");
    assert_eq!(status["S3_PROTOCOL_REGION"], "local");
    assert!(status["S3_PROTOCOL_ACCESS_KEY_SECRET"].as_str().is_some_and(|secret| secret.len() == 64));
    assert!(project.succeed(&["status"]).out.contains("Storage (S3)"));
}

/// What the admin listener says of the parts of the stack.
async fn ready(project: &Project) -> (u16, serde_json::Value) {
    let status = project.status();
    let admin = status["BANYAN_ADMIN_URL"].as_str().expect("an address");
    let answer = reqwest::get(format!("{admin}/ready")).await.expect("an answer");
    let status = answer.status().as_u16();
    let body: serde_json::Value = serde_json::from_str(&answer.text().await.expect("text")).expect("JSON");
    (status, body["parts"]["storage"].clone())
}

// rows: server/GW-READY CLI-STATUS storage/C01
#[tokio::test]
async fn a_stack_is_ready_once_its_objects_can_be_reached() {
    let project = Project::new();
    project.succeed(&["start"]);
    assert_eq!(ready(&project).await, (200, true.into()));
    let mut stacks = std::fs::read_dir(project.path().join("state/storage")).expect("a folder");
    let mark = stacks.next().expect("one stack").expect("read").path().join("stack");
    std::fs::remove_file(&mark).expect("removed");
    assert_eq!(ready(&project).await, (200, true.into()), "without its mark the sweep alone stops");
    std::os::unix::fs::symlink("elsewhere", &mark).expect("linked");
    assert_eq!(ready(&project).await, (503, false.into()), "no link is followed");
    project.succeed(&["stop"]);

    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, text.replace("[storage]\nenabled = true", "[storage]\nenabled = false"))
        .expect("written");
    project.succeed(&["start"]);
    assert_eq!(ready(&project).await, (200, serde_json::Value::Null));
    let status = project.succeed(&["status", "-o", "env"]).out;
    assert!(!status.contains("S3"), "{status}");
}
