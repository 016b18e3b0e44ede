-- Deductions: the life of 20 credits between the balance and a document.

create table private.deductions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  amount integer not null check (amount > 0),
  state text not null default 'open' check (state in ('open', 'claimed', 'spent', 'returned')),
  generation_id uuid unique references public.generations (id),
  opened_at timestamptz not null default now(),
  settled_at timestamptz,
  constraint deductions_claimed_by_generation check (state in ('open', 'returned') or generation_id is not null),
  constraint deductions_settled check ((state in ('spent', 'returned')) = (settled_at is not null))
);

comment on table private.deductions is
  'Life of a deduction (D01): open when the balance was lowered, claimed by one generation, then spent with its result or returned to the balance.';
comment on column private.deductions.generation_id is 'The generation that claimed it. Unique: a generation is paid by one deduction.';

create index deductions_unsettled on private.deductions (user_id, opened_at)
where state in ('open', 'claimed');

alter table private.deductions enable row level security;

create function private.keep_deduction_order()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if (old.id, old.user_id, old.amount, old.opened_at) is distinct from (new.id, new.user_id, new.amount, new.opened_at)
    or (old.generation_id is not null and old.generation_id is distinct from new.generation_id)
    or (old.state, new.state) not in (('open', 'claimed'), ('open', 'returned'), ('claimed', 'spent'), ('claimed', 'returned'))
  then
    raise check_violation using message = format('A deduction does not go from %s to %s.', old.state, new.state);
  end if;
  return new;
end
$$;

comment on function private.keep_deduction_order() is
  'Lets a deduction go forward only, so that none is spent or returned twice whatever a procedure does.';

revoke all on function private.keep_deduction_order() from public;

create trigger keep_deduction_order
before update on private.deductions
for each row
execute function private.keep_deduction_order();

create trigger refuse_rewriting
before delete or truncate on private.deductions
for each statement
execute function private.refuse_rewriting();
