use banyan_db::Login;
use banyan_testkit::platform_database;

use super::{API_ROLES, as_anon, as_asha, as_role, as_service, run, sqlstate, texts};
use crate::support::ASHA;

/// Columns in their order: name, type, `not null`, default.
const COLUMNS: &str = "
    select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
        case a.attgenerated when 's' then 'stored' else 'default' end || ' ' || pg_get_expr(d.adbin, d.adrelid))
    from pg_attribute as a
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = 'storage.TABLE'::regclass and a.attnum > 0
    order by a.attnum";

// rows: Q01
#[tokio::test]
async fn buckets_have_the_columns_of_the_reference() {
    let database = platform_database().await;
    assert_eq!(
        texts(&database, &COLUMNS.replace("TABLE", "buckets")).await,
        [
            "id text not null",
            "name text not null",
            "owner uuid",
            "created_at timestamp with time zone default now()",
            "updated_at timestamp with time zone default now()",
            "public boolean default false",
            "avif_autodetection boolean default false",
            "file_size_limit bigint",
            "allowed_mime_types text[]",
            "owner_id text",
            "type storage.buckettype not null default 'STANDARD'::storage.buckettype",
            "versioning_status text not null default 'DISABLED'::text",
        ]
    );
    let kinds =
        "select enumlabel::text from pg_enum where enumtypid = 'storage.buckettype'::regtype order by 1";
    assert_eq!(texts(&database, kinds).await, ["ANALYTICS", "STANDARD", "VECTOR"]);
    for refused in [
        "insert into storage.buckets (id, name, versioning_status) values ('a', 'a', 'ENABLED')",
        "insert into storage.buckets (id, name, versioning_status) values ('a', 'a', 'nonsense')",
    ] {
        let error = run(&database, Login::Postgres, refused).await.expect_err(refused);
        assert_eq!(sqlstate(&error), "23514");
    }
}

// rows: Q02
#[tokio::test]
async fn objects_have_the_columns_of_the_reference() {
    let database = platform_database().await;
    assert_eq!(
        texts(&database, &COLUMNS.replace("TABLE", "objects")).await,
        [
            "id uuid not null default gen_random_uuid()",
            "bucket_id text",
            "name text",
            "owner uuid",
            "created_at timestamp with time zone default now()",
            "updated_at timestamp with time zone default now()",
            "last_accessed_at timestamp with time zone default now()",
            "metadata jsonb",
            "path_tokens text[] stored string_to_array(name, '/'::text)",
            "version text",
            "owner_id text",
            "user_metadata jsonb",
            "archived_at timestamp with time zone",
            "is_delete_marker boolean not null default false",
            "is_versioned boolean not null default false",
        ]
    );
    let orphan = "insert into storage.objects (bucket_id, name) values ('nowhere', 'a')";
    let error = run(&database, Login::Postgres, orphan).await.expect_err("there is no such bucket");
    assert_eq!(sqlstate(&error), "23503");
}

// rows: Q03
#[tokio::test]
async fn the_indexes_of_buckets_and_objects_are_those_of_the_contract() {
    let database = platform_database().await;
    let indexes = "select replace(indexdef, ' USING btree', '') from pg_indexes
        where schemaname = 'storage' and tablename in ('buckets', 'objects') order by indexname";
    assert_eq!(
        texts(&database, indexes).await,
        [
            "CREATE INDEX banyan_objects_version ON storage.objects (version)",
            "CREATE UNIQUE INDEX bname ON storage.buckets (name)",
            "CREATE UNIQUE INDEX bucketid_objname ON storage.objects (bucket_id, name)",
            "CREATE UNIQUE INDEX buckets_pkey ON storage.buckets (id)",
            "CREATE INDEX idx_objects_bucket_id_name ON storage.objects (bucket_id, name COLLATE \"C\")",
            "CREATE INDEX idx_objects_bucket_id_name_lower ON storage.objects (bucket_id, storage.banyan_lower(name) COLLATE \"C\")",
            "CREATE INDEX name_prefix_search ON storage.objects (name text_pattern_ops)",
            "CREATE UNIQUE INDEX objects_pkey ON storage.objects (id)",
        ]
    );
    // Without it a list below policies would read the whole bucket.
    let leakproof = "select proleakproof::text from pg_proc where oid = 'storage.banyan_lower'::regproc";
    assert_eq!(texts(&database, leakproof).await, ["true"]);
}

// rows: Q04 Q05
#[tokio::test]
async fn unfinished_uploads_of_s3_have_the_columns_of_the_reference() {
    let database = platform_database().await;
    assert_eq!(
        texts(&database, &COLUMNS.replace("TABLE", "s3_multipart_uploads")).await,
        [
            "id text not null",
            "in_progress_size bigint not null default 0",
            "upload_signature text not null",
            "bucket_id text not null",
            "key text not null",
            "version text not null",
            "owner_id text",
            "created_at timestamp with time zone not null default now()",
            "user_metadata jsonb",
            "metadata jsonb",
        ]
    );
    assert_eq!(
        texts(&database, &COLUMNS.replace("TABLE", "s3_multipart_uploads_parts")).await,
        [
            "id uuid not null default gen_random_uuid()",
            "upload_id text not null",
            "size bigint not null default 0",
            "part_number integer not null",
            "bucket_id text not null",
            "key text not null",
            "etag text not null",
            "owner_id text",
            "version text not null",
            "created_at timestamp with time zone not null default now()",
        ]
    );
    let an_upload = "insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
        values ('u', '', 'b', 'k', 'v');
        insert into storage.s3_multipart_uploads_parts (upload_id, part_number, bucket_id, key, etag, version)
        values ('u', 1, 'b', 'k', 'e', 'v');
        delete from storage.s3_multipart_uploads";
    run(&database, Login::Admin, an_upload).await.expect("a part goes with its upload");
    let left = "select count(*)::text from storage.s3_multipart_uploads_parts";
    assert_eq!(texts(&database, left).await, ["0"]);
}

// rows: Q06
#[tokio::test]
async fn the_history_names_all_changes_of_the_reference() {
    let database = platform_database().await;
    let summary = "select concat_ws(' ', count(*), min(id), max(id), bool_and(hash ~ '^[0-9a-f]{40}$'), count(executed_at))
        from storage.migrations";
    assert_eq!(texts(&database, summary).await, ["64 0 63 t 64"]);
    let ends =
        "select concat_ws(' ', id, name, hash) from storage.migrations where id in (0, 1, 63) order by id";
    assert_eq!(
        texts(&database, ends).await,
        [
            "0 create-migrations-table e18db593bcde2aca2a408c4d1100f6abba2195df",
            "1 initialmigration 6ab16121fbaa08bbd11b712d05f358f9b555d777",
            "63 fix-search-name-relative-to-prefix c7485e417624f795ce8bb2da21927f48e088904d",
        ]
    );
}

// rows: Q08
#[tokio::test]
async fn every_table_has_row_level_security_no_policy_and_the_grants_of_the_reference() {
    let database = platform_database().await;
    let open = "select relname::text from pg_class
        where relnamespace = 'storage'::regnamespace and relkind in ('r', 'p') and not relrowsecurity
        union all select polname::text from pg_policy where polrelid in ('storage.objects'::regclass, 'storage.buckets'::regclass)";
    assert_eq!(texts(&database, open).await, [""; 0]);
    let grants = "select concat_ws(' ', c.relname, r.rolname, string_agg(p.letter, '' order by p.place))
        from pg_class as c
        cross join unnest(array['anon', 'authenticated', 'service_role']) as r (rolname)
        cross join unnest(
            array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'],
            array['s', 'i', 'u', 'd', 't', 'r', 'g']
        ) with ordinality as p (privilege, letter, place)
        where c.relnamespace = 'storage'::regnamespace and c.relkind = 'r'
          and has_table_privilege(r.rolname, c.oid, p.privilege)
        group by c.relname, r.rolname order by c.relname, r.rolname";
    assert_eq!(
        texts(&database, grants).await,
        [
            "buckets anon siudtrg",
            "buckets authenticated siudtrg",
            "buckets service_role siudtrg",
            "buckets_analytics anon siudtrg",
            "buckets_analytics authenticated siudtrg",
            "buckets_analytics service_role siudtrg",
            "buckets_vectors anon s",
            "buckets_vectors authenticated s",
            "buckets_vectors service_role s",
            "iceberg_namespaces anon s",
            "iceberg_namespaces authenticated s",
            "iceberg_namespaces service_role siudtrg",
            "iceberg_tables anon s",
            "iceberg_tables authenticated s",
            "iceberg_tables service_role siudtrg",
            "objects anon siudtrg",
            "objects authenticated siudtrg",
            "objects service_role siudtrg",
            "s3_multipart_uploads anon s",
            "s3_multipart_uploads authenticated s",
            "s3_multipart_uploads service_role siudtrg",
            "s3_multipart_uploads_parts anon s",
            "s3_multipart_uploads_parts authenticated s",
            "s3_multipart_uploads_parts service_role siudtrg",
            "vector_indexes anon s",
            "vector_indexes authenticated s",
            "vector_indexes service_role s",
        ]
    );
    let may_grant = "select has_table_privilege('postgres', relation, 'select with grant option')::text
        from unnest(array['storage.buckets', 'storage.objects']) as relation";
    assert_eq!(texts(&database, may_grant).await, ["true", "true"]);
}

// rows: Q08
#[tokio::test]
async fn without_a_policy_only_service_role_sees_and_changes_rows() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.objects (bucket_id, name) values ('b', 'a')";
    run(&database, Login::Postgres, rows).await.expect("postgres passes policies");
    for (role, sub) in [("anon", uuid::Uuid::nil()), ("authenticated", ASHA)] {
        for table in ["buckets", "objects"] {
            for harmless in ["select", "update", "delete"] {
                let statement = match harmless {
                    "select" => format!("select name from storage.{table}"),
                    "update" => format!("update storage.{table} set name = 'x' returning name"),
                    _ => format!("delete from storage.{table} returning name"),
                };
                let seen = as_role(&database, role, sub, &statement).await;
                assert_eq!(seen, Ok(vec![]), "{role}: {statement}");
            }
        }
        for refused in [
            "insert into storage.buckets (id, name) values ('c', 'c') returning 'made'",
            "insert into storage.objects (bucket_id, name) values ('b', 'c') returning 'made'",
            "insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
             values ('u', '', 'b', 'k', 'v') returning 'made'",
            "insert into storage.s3_multipart_uploads_parts (upload_id, part_number, bucket_id, key, etag, version)
             values ('u', 1, 'b', 'k', 'e', 'v') returning 'made'",
            "delete from storage.s3_multipart_uploads returning 'gone'",
            "insert into storage.buckets_analytics (name) values ('a') returning 'made'",
            "insert into storage.buckets_vectors (id) values ('a') returning 'made'",
            "select name::text from storage.migrations",
        ] {
            assert_eq!(as_role(&database, role, sub, refused).await, Err("42501".to_owned()), "{role}: {refused}");
        }
    }
    let seen =
        "select b.name || o.name from storage.buckets as b join storage.objects as o on o.bucket_id = b.id";
    assert_eq!(as_service(&database, seen).await, Ok(vec!["ba".to_owned()]));
    assert_eq!(
        as_service(&database, "select name::text from storage.migrations").await,
        Err("42501".to_owned())
    );
}

// rows: Q08 Q14
#[tokio::test]
async fn no_role_of_the_api_reaches_what_the_stack_keeps_for_itself() {
    let database = platform_database().await;
    let own = "select c.oid::regclass::text from pg_class as c
        where relnamespace = '_banyan'::regnamespace and relkind = 'r' and relname like 'storage\\_%' order by 1";
    let tables = texts(&database, own).await;
    assert!(tables.len() >= 5, "{tables:?}");
    let unguarded = "select relname::text from pg_class
        where relnamespace = '_banyan'::regnamespace and relkind = 'r' and not relrowsecurity";
    assert_eq!(texts(&database, unguarded).await, [""; 0]);
    let calls = "select format('select %s(%s)::text', p.oid::regproc,
            (select string_agg('null::' || format_type(a, null), ', ') from unnest(p.proargtypes) as a))
        from pg_proc as p
        where pronamespace = '_banyan'::regnamespace and proname like 'storage\\_%' and prorettype <> 'trigger'::regtype
          and not proretset order by 1";
    let calls = texts(&database, calls).await;
    for role in API_ROLES {
        for table in &tables {
            for tried in [
                "select 'x' from {}",
                "delete from {} returning 'x'",
                "insert into {} default values returning 'x'",
            ] {
                let tried = tried.replace("{}", table);
                assert_eq!(
                    as_role(&database, role, ASHA, &tried).await,
                    Err("42501".to_owned()),
                    "{role}: {tried}"
                );
            }
        }
        for call in &calls {
            assert_eq!(as_role(&database, role, ASHA, call).await, Err("42501".to_owned()), "{role}: {call}");
        }
    }
    let open = "select p.oid::regprocedure::text from pg_proc as p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
        where pronamespace = '_banyan'::regnamespace and proname like 'storage\\_%' and a.grantee <> p.proowner";
    assert_eq!(texts(&database, open).await, [""; 0], "only the owner may call them");
}

// rows: Q09
#[tokio::test]
async fn supabase_storage_admin_owns_tables_and_functions() {
    let database = platform_database().await;
    let of_others = "select relname::text from pg_class
        where relnamespace = 'storage'::regnamespace and relowner <> 'supabase_storage_admin'::regrole
        union all
        select proname::text from pg_proc
        where pronamespace = 'storage'::regnamespace and proowner <> 'supabase_storage_admin'::regrole";
    assert_eq!(texts(&database, of_others).await, [""; 0]);
    let as_superuser = "select proname::text from pg_proc
        where prosecdef and proowner <> 'supabase_storage_admin'::regrole
          and (
            pronamespace = 'storage'::regnamespace
            or pronamespace = '_banyan'::regnamespace and proname like 'storage\\_%'
          )";
    assert_eq!(texts(&database, as_superuser).await, [""; 0], "a project may change what they read");
}

// rows: Q10
#[tokio::test]
async fn a_plain_delete_is_refused_unless_the_session_allows_it() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.objects (bucket_id, name) values ('b', 'a')";
    run(&database, Login::Postgres, rows).await.expect("made");
    for table in ["storage.objects", "storage.buckets"] {
        let delete = format!("delete from {table}");
        let error = run(&database, Login::Postgres, &delete).await.expect_err("it is protected");
        assert_eq!(sqlstate(&error), "42501");
        assert!(error.to_string().contains("Direct deletion from storage tables is not allowed"), "{error}");
        let allowed = format!("begin; set local storage.allow_delete_query = 'true'; {delete}; commit");
        run(&database, Login::Postgres, &allowed).await.expect("allowed");
    }
}

// rows: Q10
#[tokio::test]
async fn an_update_sets_the_time_and_a_long_bucket_name_is_refused() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', repeat('é', 100));
        insert into storage.objects (bucket_id, name, updated_at) values ('b', 'a', '2000-01-01')";
    run(&database, Login::Postgres, rows).await.expect("100 characters are allowed");
    run(&database, Login::Postgres, "update storage.objects set metadata = '{}'").await.expect("updated");
    let is_new = "select (updated_at > now() - interval '1 hour')::text from storage.objects";
    assert_eq!(texts(&database, is_new).await, ["true"]);
    for refused in [
        "insert into storage.buckets (id, name) values ('c', repeat('c', 101))",
        "update storage.buckets set name = repeat('c', 101)",
    ] {
        assert_eq!(sqlstate(&run(&database, Login::Postgres, refused).await.expect_err(refused)), "P0001");
    }
}

// rows: Q13
#[tokio::test]
async fn sizes_by_bucket_count_what_the_caller_sees() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('a', 'a'), ('b', 'b');
        insert into storage.objects (bucket_id, name, metadata)
        values ('a', '1', '{\"size\": 3000000000}'), ('a', '2', '{\"size\": 1}'), ('b', '3', '{\"size\": 7}');
        create policy of_a on storage.objects for select to authenticated using (bucket_id = 'a')";
    run(&database, Login::Postgres, rows).await.expect("made");
    let sizes = "select concat_ws(' ', bucket_id, size) from storage.get_size_by_bucket() order by 1";
    assert_eq!(as_service(&database, sizes).await, Ok(vec!["a 3000000001".to_owned(), "b 7".to_owned()]));
    assert_eq!(as_asha(&database, sizes).await, Ok(vec!["a 3000000001".to_owned()]));
    assert_eq!(as_anon(&database, sizes).await, Ok(vec![]));
}
