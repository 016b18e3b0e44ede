-- Tables of the reference for what this version does not offer. They stay empty; a dump that names
-- them restores (CONTRACT.md Q07).

create table storage.buckets_analytics (
    name text not null,
    type storage.buckettype not null default 'ANALYTICS',
    format text not null default 'ICEBERG',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    id uuid not null default gen_random_uuid(),
    deleted_at timestamptz,
    constraint buckets_analytics_pkey primary key (id)
);

create unique index buckets_analytics_unique_name_idx on storage.buckets_analytics (name) where deleted_at is null;

create table storage.iceberg_namespaces (
    id uuid not null default gen_random_uuid(),
    bucket_name text not null,
    name text collate "C" not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    metadata jsonb not null default '{}',
    catalog_id uuid not null,
    constraint iceberg_namespaces_pkey primary key (id),
    constraint iceberg_namespaces_catalog_id_fkey foreign key (catalog_id)
        references storage.buckets_analytics (id) on delete cascade
);

create unique index idx_iceberg_namespaces_bucket_id on storage.iceberg_namespaces (catalog_id, name);

create table storage.iceberg_tables (
    id uuid not null default gen_random_uuid(),
    namespace_id uuid not null,
    bucket_name text not null,
    name text collate "C" not null,
    location text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    remote_table_id text,
    shard_key text,
    shard_id text,
    catalog_id uuid not null,
    constraint iceberg_tables_pkey primary key (id),
    constraint iceberg_tables_namespace_id_fkey foreign key (namespace_id)
        references storage.iceberg_namespaces (id) on delete cascade,
    constraint iceberg_tables_catalog_id_fkey foreign key (catalog_id)
        references storage.buckets_analytics (id) on delete cascade
);

create unique index idx_iceberg_tables_namespace_id on storage.iceberg_tables (catalog_id, namespace_id, name);
create unique index idx_iceberg_tables_location on storage.iceberg_tables (location);

create table storage.buckets_vectors (
    id text not null,
    type storage.buckettype not null default 'VECTOR',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint buckets_vectors_pkey primary key (id)
);

create table storage.vector_indexes (
    id text not null default gen_random_uuid(),
    name text collate "C" not null,
    bucket_id text not null,
    data_type text not null,
    dimension integer not null,
    distance_metric text not null,
    metadata_configuration jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint vector_indexes_pkey primary key (id),
    constraint vector_indexes_bucket_id_fkey foreign key (bucket_id) references storage.buckets_vectors (id)
);

create unique index vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);

alter table storage.buckets_analytics enable row level security;
alter table storage.iceberg_namespaces enable row level security;
alter table storage.iceberg_tables enable row level security;
alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;

grant all on storage.buckets_analytics to anon, authenticated, service_role;
grant all on storage.iceberg_namespaces, storage.iceberg_tables to service_role;
grant select on storage.iceberg_namespaces, storage.iceberg_tables to anon, authenticated;
grant select on storage.buckets_vectors, storage.vector_indexes to anon, authenticated, service_role;
