use std::collections::HashMap;

use banyan_db::Login;
use banyan_identity::Caller;
use serde_json::value::RawValue;

use super::{Channel, Rig, all_of};

/// Types with values that are easily got wrong.
const VALUES: &[(&str, &[&str])] = &[
    ("bool", &["true", "false"]),
    ("int2", &["-32768"]),
    ("int4", &["2147483647"]),
    ("int8", &["9223372036854775807"]),
    ("numeric", &["12345678901234567890.123456789000", "'NaN'", "'-Infinity'", "0.00"]),
    ("numeric(6,2)", &["1.5"]),
    ("float4", &["0.1", "'Infinity'", "1e20", "'-0'"]),
    ("float8", &["0.1", "'NaN'", "1e300", "1e-7"]),
    ("money", &["12.5"]),
    ("text", &[r#"e'a "b" \\ \n \u0001 ü 🙂'"#, "''"]),
    ("varchar(9)", &["'ab'"]),
    ("bpchar(4)", &["'ab'"]),
    (r#""char""#, &["'x'"]),
    ("name", &["'n'"]),
    ("bytea", &[r"'\x00ff'"]),
    ("uuid", &["'00000000-0000-0000-0000-00000000000A'"]),
    ("json", &[r#"'{"b": 1.0, "a": [null, "x"]}'"#]),
    ("jsonb", &[r#"'{"b": 1.0, "a": {"c": []}}'"#, "'null'"]),
    ("jsonpath", &["'$.a'"]),
    ("date", &["'2025-11-19'", "'infinity'", "'0044-03-15 BC'", "'12025-01-01'"]),
    ("time", &["'00:22:40.877'"]),
    ("timetz", &["'00:22:40+05:30'"]),
    ("timestamp", &["'2025-11-19 00:22:40.877'", "'-infinity'", "'0044-03-15 01:00 BC'"]),
    ("timestamptz", &["'2025-11-19 00:22:40.877+05:30'", "'infinity'", "'0044-03-15 01:00+00 BC'"]),
    ("interval", &["'1 year 2 mons 3 days 04:05:06.7'"]),
    ("inet", &["'10.0.0.1/8'"]),
    ("cidr", &["'10.0.0.0/8'"]),
    ("macaddr", &["'08:00:2b:01:02:03'"]),
    ("bit(3)", &["b'101'"]),
    ("varbit", &["b'1'"]),
    ("xml", &["'<a>1</a>'"]),
    ("point", &["'(1,2)'"]),
    ("box", &["'(1,2),(3,4)'"]),
    ("circle", &["'<(1,2),3>'"]),
    ("tsvector", &["'a fat cat'"]),
    ("tsquery", &["'a & b'"]),
    ("int4range", &["'[1,5)'", "'empty'"]),
    ("tstzrange", &["'[2025-01-01 00:00+00,)'"]),
    ("int4multirange", &["'{[1,2),[5,6)}'"]),
    ("oid", &["7"]),
    ("regclass", &["'pg_catalog.pg_class'"]),
    ("pg_lsn", &["'0/16B3748'"]),
    ("int2vector", &["'1 2'"]),
    ("bool[]", &["'{t,f,NULL}'"]),
    ("int8[]", &["'{{1,2},{3,NULL}}'", "'{}'", "'[0:1]={1,2}'"]),
    ("numeric[]", &["'{1.50,NaN}'"]),
    ("text[]", &[r#"array['a "b"', 'c,d', null, 'NULL', '']"#]),
    ("jsonb[]", &[r#"array['{"a": 1}'::jsonb, null]"#]),
    ("timestamptz[]", &["'{2025-01-01 00:00+00}'"]),
    ("date[]", &["'{2025-01-01,NULL}'"]),
    ("box[]", &["'{(1,2),(3,4);(5,6),(7,8)}'"]),
    ("bytea[]", &[r#"array['\x0102'::bytea]"#]),
    ("public.colour", &["'red'"]),
    ("public.colour[]", &["'{red,green}'"]),
    ("public.positive", &["5"]),
    ("public.positive[]", &["'{1,2}'"]),
    ("public.pair", &["row(1, 'x')"]),
    ("public.pair[]", &["array[row(1, 'x')::public.pair]"]),
    ("public.documents", &[r#"'{"a": 1}'"#]),
    ("hstore", &["'a=>1,b=>NULL'"]),
    ("citext", &["'Ab'"]),
];

const TYPES: &str = "create extension hstore; create extension citext;
    create type public.colour as enum ('red', 'green');
    create domain public.positive as int check (value > 0);
    create domain public.documents as jsonb;
    create type public.pair as (a int, b text);";

/// The record of the next change as it came: numbers in it are of any precision.
async fn record(channel: &mut Channel) -> String {
    type Members<'m> = HashMap<&'m str, &'m RawValue>;
    let message = channel.socket.next().await;
    let message: [&RawValue; 5] = serde_json::from_slice(&message).expect("a message");
    let payload: Members<'_> = serde_json::from_str(message[4].get()).expect("a payload");
    let data: Members<'_> = serde_json::from_str(payload["data"].get()).expect("a change");
    data["record"].get().to_owned()
}

// rows: G11
#[tokio::test]
async fn values_of_every_type_are_as_to_jsonb_has_them() {
    let rig = Rig::new(TYPES).await;
    let columns: Vec<_> = VALUES.iter().enumerate().map(|(at, (name, _))| format!("c{at} {name}")).collect();
    let create = format!("create table public.every (id int primary key, {})", columns.join(", "));
    rig.run(&format!("{create}; alter publication supabase_realtime add table public.every")).await;
    let mut channel = rig.channel(Caller::anonymous(), all_of("every")).await;
    let most = VALUES.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
    for row in 0..=most {
        let values: Vec<_> =
            VALUES.iter().map(|(_, values)| values.get(row).copied().unwrap_or("null")).collect();
        rig.run(&format!("insert into every values ({row}, {})", values.join(", "))).await;
        let record = record(&mut channel).await;
        let different: Vec<String> = sqlx::query_scalar(
            "select concat_ws(' ', coalesce(wanted.key, heard.key), wanted.value, 'is not', heard.value)
             from (select w.* from every, jsonb_each(to_jsonb(every)) as w where id = $1) as wanted
             full join jsonb_each($2::jsonb) as heard on wanted.key = heard.key
             where wanted.value is distinct from heard.value",
        )
        .bind(i32::try_from(row).expect("small"))
        .bind(record)
        .fetch_all(rig.database.pool(Login::Postgres))
        .await
        .expect("compared");
        assert!(different.is_empty(), "{different:#?}");
    }
}
