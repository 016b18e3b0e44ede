-- Who the administrators are is told to nobody (S-381), and gifts and approvals stand in the ledger that a teacher reads: who
-- caused an entry moves to where no caller of the API reads. The ledger keeps being read by select *.

create table private.ledger_actors (
  entry_id bigint primary key,
  actor_id uuid not null
);

comment on table private.ledger_actors is
  'The signed-in user who caused an entry of the ledger; none for the service key. Append-only as the ledger, whose ids it holds without a reference, since a reference alone would answer a truncation before the rule that refuses it.';

alter table private.ledger_actors enable row level security;

insert into private.ledger_actors (entry_id, actor_id)
select id, actor_id
from public.credit_ledger
where actor_id is not null;

create trigger refuse_rewriting
before update or delete or truncate on private.ledger_actors
for each statement
execute function private.refuse_rewriting();

alter table public.credit_ledger disable trigger refuse_rewriting;

update public.credit_ledger
set actor_id = null
where actor_id is not null;

alter table public.credit_ledger enable trigger refuse_rewriting;

alter table public.credit_ledger
add constraint credit_ledger_names_nobody check (actor_id is null);

comment on column public.credit_ledger.actor_id is
  'Always empty, and kept for clients that name it: who caused an entry stands in private.ledger_actors.';

create or replace function private.write_entry(owner uuid, delta integer, balance integer, reason text, deduction_id uuid default null)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  previous constant public.credit_ledger := private.last_entry(owner);
  written bigint;
begin
  if coalesce(previous.balance, 0) + delta <> balance then
    raise serialization_failure using message = 'The balance changed at the same moment. Please try again.';
  end if;
  insert into public.credit_ledger (user_id, entry, delta, balance, reason, deduction_id, payment_id)
  values (
    owner, coalesce(previous.entry, 0) + 1, delta, balance, reason, deduction_id,
    nullif(current_setting('wallet.payment_id', true), '')
  )
  returning id into written;
  insert into private.ledger_actors (entry_id, actor_id)
  select written, auth.uid()
  where auth.uid() is not null;
end
$$;

create function private.just_gave(target uuid, credits integer)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.credit_ledger
    join private.ledger_actors on ledger_actors.entry_id = credit_ledger.id
    cross join private.settings
    where credit_ledger.user_id = target
      and credit_ledger.reason = 'admin'
      and credit_ledger.delta = credits
      and credit_ledger.written_at > now() - settings.repeated_gift_window
      and ledger_actors.actor_id = auth.uid()
  )
$$;

comment on function private.just_gave(uuid, integer) is
  'Whether the caller has added that number of credits to that account within repeated_gift_window.';

revoke all on function private.just_gave(uuid, integer) from public;

create or replace function public.admin_update_user_credits(target_user_id uuid, credit_change integer)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if credit_change is null or credit_change not between 1 and 100000 then
    raise check_violation using message = 'Between 1 and 100,000 credits can be added at once.';
  end if;
  if not private.lock_profile(target_user_id) then
    raise no_data_found using message = 'This user has no profile yet.';
  end if;
  if private.just_gave(target_user_id, credit_change) then
    raise check_violation using
      message = 'You have just added this number of credits to this account.',
      hint = 'Look at the balance. To add as many again, wait half a minute.';
  end if;
  perform private.change_coins(target_user_id, credit_change, 'admin');
  return (select coins from public.profiles where user_id = target_user_id);
end
$$;
