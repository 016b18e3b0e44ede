-- Who the administrators are is told to nobody (S-381): the author of a post and who settled a payment move to where no caller
-- of the API reads. The tables keep being read by select *.

create table private.blog_authors (
  blog_id uuid primary key references public.blogs (id) on delete cascade,
  author_id uuid not null references auth.users (id) on delete cascade
);

comment on table private.blog_authors is 'Who wrote a post, as long as that account exists.';

create index blog_authors_by_account on private.blog_authors (author_id);

alter table private.blog_authors enable row level security;

create function private.keep_author_private()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into private.blog_authors (blog_id, author_id)
  values (new.id, new.author_id)
  on conflict (blog_id) do update
  set author_id = excluded.author_id;
  update public.blogs
  set author_id = null
  where id = new.id;
  return null;
end
$$;

comment on function private.keep_author_private() is
  'Moves the author out of a post once the policies have looked at it, so that nobody reads it there.';

revoke all on function private.keep_author_private() from public;

insert into private.blog_authors (blog_id, author_id)
select id, author_id
from public.blogs
where author_id is not null;

update public.blogs
set author_id = null
where author_id is not null;

create trigger keep_author_private
after insert or update of author_id on public.blogs
for each row
when (new.author_id is not null)
execute function private.keep_author_private();

comment on column public.blogs.author_id is
  'Whoever inserts a post names the own account here; it is kept in private.blog_authors, and read by nobody.';

create table private.payment_settlements (
  transaction_id text primary key references public.payment_transactions (transaction_id) on delete cascade,
  settled_by uuid not null
);

comment on table private.payment_settlements is 'The administrator who approved or rejected a payment. When and how stands in the payment.';

alter table private.payment_settlements enable row level security;

insert into private.payment_settlements (transaction_id, settled_by)
select transaction_id, settled_by
from public.payment_transactions
where settled_by is not null;

alter table public.payment_transactions
drop column settled_by;

create or replace function public.admin_settle_payment(payment_id text, approved_credits integer)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  payment public.payment_transactions;
begin
  perform private.require_admin();
  -- The order of locks is that of the wallet: the profile first.
  select * into payment from public.payment_transactions where transaction_id = payment_id;
  if not found then
    raise no_data_found using message = 'There is no such payment.';
  end if;
  if approved_credits is null or approved_credits not between 1 and payment.credits then
    raise check_violation using message = 'Between 1 credit and those of the payment can be given.';
  end if;
  if not private.lock_profile(payment.user_id) then
    raise no_data_found using message = 'This user has no profile yet.';
  end if;
  update public.payment_transactions
  set status = 'APPROVED', granted_credits = approved_credits, settled_at = now()
  where transaction_id = payment_id
    and status = 'PENDING';
  if not found then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  perform private.note_settlement(payment_id);
  perform private.add_paid_credits(payment.user_id, approved_credits, payment_id);
  return (select coins from public.profiles where user_id = payment.user_id);
end
$$;

comment on function public.admin_settle_payment(text, integer) is
  'Approves a pending payment with credits named by the administrator, at most those of the row, and answers the new balance. Who and when is kept, and nothing is settled twice (D11).';

create or replace function public.admin_reject_payment(payment_id text, reason text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if coalesce(reason, '') !~ '\S' or char_length(btrim(reason)) > 300 then
    raise check_violation using message = 'A payment is rejected with a reason of 1 to 300 characters.';
  end if;
  update public.payment_transactions
  set status = 'REJECTED', rejection_reason = btrim(reason), settled_at = now()
  where transaction_id = payment_id
    and status = 'PENDING';
  if found then
    perform private.note_settlement(payment_id);
    return;
  end if;
  if exists (select from public.payment_transactions where transaction_id = payment_id) then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  raise no_data_found using message = 'There is no such payment.';
end
$$;

comment on function public.admin_reject_payment(text, text) is
  'Rejects a pending payment and keeps why, for its payer to read. Who and when is kept, and nothing is settled twice (D11).';

create function private.note_settlement(payment_id text)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into private.payment_settlements (transaction_id, settled_by)
  values (payment_id, auth.uid())
$$;

comment on function private.note_settlement(text) is 'Notes that the caller settled that payment.';

revoke all on function private.note_settlement(text) from public;
