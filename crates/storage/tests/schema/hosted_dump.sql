SET session_replication_role = replica;

--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: buckets; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."buckets" ("id", "name", "owner", "created_at", "updated_at", "public", "avif_autodetection", "file_size_limit", "allowed_mime_types", "owner_id", "type", "versioning_status") FROM stdin;
avatars	avatars	\N	2025-03-01 10:00:00+00	2025-03-01 10:00:00+00	t	f	5242880	{image/png,image/*}	\N	STANDARD	DISABLED
papers	papers	\N	2025-03-02 10:00:00+00	2025-03-02 10:00:00+00	f	f	\N	\N	\N	STANDARD	DISABLED
\.

--
-- Data for Name: buckets_analytics; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."buckets_analytics" ("name", "type", "format", "created_at", "updated_at", "id", "deleted_at") FROM stdin;
\.

--
-- Data for Name: buckets_vectors; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."buckets_vectors" ("id", "type", "created_at", "updated_at") FROM stdin;
\.

--
-- Data for Name: iceberg_namespaces; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."iceberg_namespaces" ("id", "bucket_name", "name", "created_at", "updated_at", "metadata", "catalog_id") FROM stdin;
\.

--
-- Data for Name: iceberg_tables; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."iceberg_tables" ("id", "namespace_id", "bucket_name", "name", "location", "created_at", "updated_at", "remote_table_id", "shard_key", "shard_id", "catalog_id") FROM stdin;
\.

--
-- Data for Name: objects; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."objects" ("id", "bucket_id", "name", "owner", "created_at", "updated_at", "last_accessed_at", "metadata", "version", "owner_id", "user_metadata", "archived_at", "is_delete_marker", "is_versioned") FROM stdin;
0c3c3c1e-30b5-4a1b-9d0e-1f0a5a6b7c01	avatars	11111111-1111-4111-8111-111111111111/me.png	11111111-1111-4111-8111-111111111111	2025-03-03 10:00:00.123456+00	2025-03-03 10:00:00.123456+00	2025-03-03 10:00:00.123456+00	{"eTag": "\\"0123456789abcdef0123456789abcdef\\"", "size": 18432, "mimetype": "image/png", "cacheControl": "max-age=3600", "lastModified": "2025-03-03T10:00:00.000Z", "contentLength": 18432, "httpStatusCode": 200}	5a3f6a0e-5f3b-4d53-9a63-0f5d3c1b2a10	11111111-1111-4111-8111-111111111111	{}	\N	f	f
0c3c3c1e-30b5-4a1b-9d0e-1f0a5a6b7c02	papers	term 1/maths.pdf	\N	2025-03-04 10:00:00+00	2025-03-04 10:00:00+00	2025-03-04 10:00:00+00	{"size": 90210, "mimetype": "application/pdf"}	9b0a7c22-7d7f-4a55-8d0e-3f1f5b6c7d20	\N	\N	\N	f	f
\.

--
-- Data for Name: s3_multipart_uploads; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."s3_multipart_uploads" ("id", "in_progress_size", "upload_signature", "bucket_id", "key", "version", "owner_id", "created_at", "user_metadata", "metadata") FROM stdin;
dXBsb2Fk	5242880	sig	papers	term 1/large.pdf	c0ffee00-0000-4000-8000-000000000000	\N	2025-03-05 10:00:00+00	\N	\N
\.

--
-- Data for Name: s3_multipart_uploads_parts; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."s3_multipart_uploads_parts" ("id", "upload_id", "size", "part_number", "bucket_id", "key", "etag", "owner_id", "version", "created_at") FROM stdin;
0c3c3c1e-30b5-4a1b-9d0e-1f0a5a6b7c03	dXBsb2Fk	5242880	1	papers	term 1/large.pdf	abc	\N	c0ffee00-0000-4000-8000-000000000000	2025-03-05 10:00:00+00
\.

--
-- Data for Name: vector_indexes; Type: TABLE DATA; Schema: storage; Owner: supabase_storage_admin
--

COPY "storage"."vector_indexes" ("id", "name", "bucket_id", "data_type", "dimension", "distance_metric", "metadata_configuration", "created_at", "updated_at") FROM stdin;
\.

--
-- PostgreSQL database dump complete
--

RESET ALL;
