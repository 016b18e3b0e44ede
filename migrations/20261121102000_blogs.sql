-- The posts that administrators write; those that come with the product are part of the app.

create table public.blogs (
  id uuid primary key default gen_random_uuid(),
  title text not null check (title ~ '\S' and char_length(title) <= 200),
  content text not null check (content ~ '\S' and char_length(content) <= 50000),
  excerpt text not null check (char_length(excerpt) <= 153),
  category text not null default 'General' check (
    category in ('General', 'Teaching Tips', 'Technology', 'Assessment', 'Curriculum', 'Student Success')
  ),
  author_id uuid references auth.users (id) on delete set null,
  author_name text not null check (author_name ~ '\S' and char_length(author_name) <= 100),
  published boolean not null default true,
  created_at timestamptz not null default now()
);

comment on table public.blogs is 'Posts for everybody to read, as plain text with a few marks for headings (S-126, S-351).';
comment on column public.blogs.excerpt is 'The beginning of the content: 150 characters, and three dots where it goes on (S-121).';
comment on column public.blogs.author_id is 'Who wrote it; empty once that account is deleted.';

create index blogs_newest_first on public.blogs (created_at desc)
where published;

alter table public.blogs enable row level security;

revoke all on public.blogs from public, anon, authenticated, service_role;
grant select on public.blogs to anon, authenticated;
grant insert (title, content, excerpt, category, author_id, author_name) on public.blogs to authenticated;
grant select, insert, update, delete on public.blogs to service_role;

create policy blogs_select on public.blogs
for select
to anon, authenticated
using (published);

comment on policy blogs_select on public.blogs is 'Everybody reads published posts, and nobody the others (S-352).';

create policy blogs_insert on public.blogs
for insert
to authenticated
with check (author_id = (select auth.uid()) and (select private.caller_is_admin()));

comment on policy blogs_insert on public.blogs is
  'Administrators write posts in their own name (D14). Nobody changes or deletes them over the API.';
