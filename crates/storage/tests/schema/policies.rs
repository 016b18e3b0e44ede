use banyan_db::Login;
use banyan_testkit::{TestDatabase, platform_database};

use super::{as_anon, as_asha, as_ravi, as_service, run};
use crate::support::{ASHA, RAVI};

/// A database with objects of two users, and a policy as a project writes it.
async fn with_policy(policy: &str) -> TestDatabase {
    let database = platform_database().await;
    let rows = format!(
        "insert into storage.buckets (id, name) values ('avatars', 'avatars'), ('papers', 'papers');
         insert into storage.objects (bucket_id, name, owner, owner_id, metadata) values
         ('avatars', '{ASHA}/me.png', '{ASHA}', '{ASHA}', '{{\"contentLength\": 100, \"mimetype\": \"image/png\"}}'),
         ('avatars', '{RAVI}/me.jpg', '{RAVI}', '{RAVI}', '{{\"contentLength\": 5000, \"mimetype\": \"image/jpeg\"}}'),
         ('papers', 'public/a.pdf', null, null, '{{\"contentLength\": 7, \"mimetype\": \"application/pdf\"}}')"
    );
    run(&database, Login::Admin, &rows).await.expect("made");
    run(&database, Login::Postgres, policy).await.expect(policy);
    database
}

const NAMES: &str = "select storage.filename(name) from storage.objects order by name";

// rows: Q14 R03
#[tokio::test]
async fn a_user_reads_and_writes_his_own_folder() {
    let database = with_policy(
        "create policy \"Own folder\" on storage.objects for all to authenticated
         using (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text)",
    )
    .await;
    assert_eq!(as_asha(&database, NAMES).await, Ok(vec!["me.png".to_owned()]));
    assert_eq!(as_ravi(&database, NAMES).await, Ok(vec!["me.jpg".to_owned()]));
    assert_eq!(as_anon(&database, NAMES).await, Ok(vec![]));
    assert_eq!(as_service(&database, NAMES).await.expect("all of them").len(), 3);
    let insert = |id| {
        format!(
            "insert into storage.objects (bucket_id, name) values ('avatars', '{id}/new') returning 'made'"
        )
    };
    assert_eq!(as_asha(&database, &insert(ASHA)).await, Ok(vec!["made".to_owned()]));
    assert_eq!(as_ravi(&database, &insert(ASHA)).await, Err("42501".to_owned()));
    assert_eq!(as_anon(&database, &insert(ASHA)).await, Err("42501".to_owned()));
    let update =
        format!("update storage.objects set version = 'x' where name like '{ASHA}/%' returning 'changed'");
    assert_eq!(as_ravi(&database, &update).await, Ok(vec![]));
    assert_eq!(as_asha(&database, &update).await.expect("allowed").len(), 2);
    // Out of one's folder.
    let away = format!(
        "update storage.objects set name = '{RAVI}/mine' where name like '{ASHA}/new' returning 'moved'"
    );
    assert_eq!(as_asha(&database, &away).await, Err("42501".to_owned()));
    let delete = format!("delete from storage.objects where name like '{ASHA}/%' returning 'gone'");
    assert_eq!(as_ravi(&database, &delete).await, Ok(vec![]));
    assert_eq!(as_asha(&database, &delete).await.expect("allowed").len(), 2);
}

// rows: Q14
#[tokio::test]
async fn policies_by_bucket_extension_owner_size_and_type_work_as_they_stand() {
    for (condition, asha, ravi) in [
        ("bucket_id = 'avatars' and storage.extension(name) = 'png'", vec!["me.png"], vec!["me.png"]),
        ("owner_id = (select auth.uid()::text)", vec!["me.png"], vec!["me.jpg"]),
        ("auth.uid() = owner", vec!["me.png"], vec!["me.jpg"]),
        ("(metadata ->> 'contentLength')::int < 1000", vec!["me.png", "a.pdf"], vec!["me.png", "a.pdf"]),
        ("metadata ->> 'mimetype' like 'image/%'", vec!["me.png", "me.jpg"], vec!["me.png", "me.jpg"]),
        ("path_tokens[1] = auth.uid()::text", vec!["me.png"], vec!["me.jpg"]),
        ("storage.filename(name) = 'a.pdf'", vec!["a.pdf"], vec!["a.pdf"]),
        ("auth.jwt() ->> 'role' = 'nobody'", vec![], vec![]),
    ] {
        let policy =
            format!("create policy p on storage.objects for select to authenticated using ({condition})");
        let database = with_policy(&policy).await;
        let named = |names: Vec<&str>| Ok(names.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(as_asha(&database, NAMES).await, named(asha), "{condition}");
        assert_eq!(as_ravi(&database, NAMES).await, named(ravi), "{condition}");
        assert_eq!(as_anon(&database, NAMES).await, Ok(vec![]), "{condition}");
    }
}

// rows: Q14
#[tokio::test]
async fn a_policy_may_join_tables_of_the_project() {
    let tables = format!(
        "create table public.members (user_id uuid, folder text);
         alter table public.members enable row level security;
         create policy own on public.members to authenticated using (user_id = auth.uid());
         grant select on public.members to authenticated;
         insert into public.members values ('{ASHA}', 'public');
         create policy of_members on storage.objects for select to authenticated using (
             exists (select from public.members where folder = (storage.foldername(name))[1])
         )"
    );
    let database = with_policy(&tables).await;
    assert_eq!(as_asha(&database, NAMES).await, Ok(vec!["a.pdf".to_owned()]));
    assert_eq!(as_ravi(&database, NAMES).await, Ok(vec![]));
}

// rows: Q14 R06
#[tokio::test]
async fn policies_on_buckets_decide_who_sees_and_makes_them() {
    let database = with_policy(
        "create policy seen on storage.buckets for select to authenticated using (id = 'avatars');
         create policy made on storage.buckets for insert to authenticated with check (owner_id = auth.uid()::text)",
    )
    .await;
    let ids = "select id from storage.buckets order by id";
    assert_eq!(as_asha(&database, ids).await, Ok(vec!["avatars".to_owned()]));
    assert_eq!(as_anon(&database, ids).await, Ok(vec![]));
    let insert = format!("insert into storage.buckets (id, name, owner_id) values ('new', 'new', '{ASHA}')");
    let told = |sql: &str| format!("with made as ({sql}) select 'made'");
    assert_eq!(as_ravi(&database, &told(&insert)).await, Err("42501".to_owned()));
    assert_eq!(as_asha(&database, &told(&insert)).await, Ok(vec!["made".to_owned()]));
}

// rows: R01 R02 R05
#[tokio::test]
async fn an_insert_alone_needs_one_policy_and_an_upsert_three() {
    let database =
        with_policy("create policy written on storage.objects for insert to authenticated with check (true)")
            .await;
    let insert =
        "with made as (insert into storage.objects (bucket_id, name) values ('avatars', 'n')) select 'made'";
    let upsert = "insert into storage.objects (bucket_id, name) values ('avatars', 'n')
        on conflict (bucket_id, name) do update set version = excluded.version returning 'made'";
    assert_eq!(as_asha(&database, insert).await, Ok(vec!["made".to_owned()]));
    assert_eq!(as_asha(&database, upsert).await, Err("42501".to_owned()));
    let more = "create policy seen on storage.objects for select to authenticated using (true)";
    run(&database, Login::Postgres, more).await.expect("made");
    assert_eq!(as_asha(&database, upsert).await, Err("42501".to_owned()));
    let more = "create policy changed on storage.objects for update to authenticated using (true)";
    run(&database, Login::Postgres, more).await.expect("made");
    assert_eq!(as_asha(&database, upsert).await, Ok(vec!["made".to_owned()]));
    let delete = "delete from storage.objects where name = 'n' returning 'gone'";
    assert_eq!(as_asha(&database, delete).await, Ok(vec![]));
    assert_eq!(as_anon(&database, insert).await, Err("42501".to_owned()));
}

// rows: Q15
#[tokio::test]
async fn no_user_names_the_version_of_an_object() {
    let database = with_policy(
        "create policy everything on storage.objects for all to anon, authenticated using (true)",
    )
    .await;
    let foreign = "select gen_random_uuid()::text";
    let returning = "returning storage.filename(name)";
    for statement in [
        format!("insert into storage.objects (bucket_id, name, version) values ('papers', 'b', ({foreign})) {returning}"),
        format!("update storage.objects set version = ({foreign}) where name like '{ASHA}/%' {returning}"),
        format!(
            "insert into storage.objects (bucket_id, name, version) values ('papers', 'public/a.pdf', ({foreign}))
             on conflict (bucket_id, name) do update set version = excluded.version {returning}"
        ),
        format!(
            "insert into storage.objects (bucket_id, name, version) values ('papers', 'public/a.pdf', '1')
             on conflict (bucket_id, name) do update set version = ({foreign}) {returning}"
        ),
    ] {
        assert_eq!(as_asha(&database, &statement).await, Err("42501".to_owned()), "{statement}");
        assert_eq!(as_anon(&database, &statement).await, Err("42501".to_owned()), "{statement}");
        assert!(as_service(&database, &statement).await.is_ok(), "{statement}");
        run(&database, Login::Postgres, &statement.replace("'b'", "'c'")).await.expect("as a dump is restored");
    }
    // A version that stays, and one that names no bytes.
    for allowed in ["version = version, metadata = '{}'", "version = '1'", "version = null"] {
        let update = format!("update storage.objects set {allowed} where name like '{ASHA}/%' {returning}");
        assert_eq!(as_asha(&database, &update).await, Ok(vec!["me.png".to_owned()]), "{allowed}");
    }
}
