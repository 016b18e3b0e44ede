-- Live updates: open screens of a user and of administrators hear that something changed, and read it again by the calls
-- that they have anyway. A message names no person and no document.

create policy live_updates_select on realtime.messages
for select
to authenticated
using (
  extension = 'broadcast'
  and (
    topic = 'user:' || (select auth.uid())
    or (topic = 'admin' and (select private.caller_is_admin()))
  )
);

comment on policy live_updates_select on realtime.messages is
  'A user hears the own topic, an administrator who may act also the topic admin. Without an insert policy nobody speaks there but the triggers (S-432, S-433).';

create function private.tell_of_balance()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform realtime.send(
    jsonb_build_object('reason', new.reason, 'credits', new.delta), 'balance', 'user:' || new.user_id
  );
  return null;
end
$$;

comment on function private.tell_of_balance() is
  'Tells the screens of a user that the balance changed. realtime.send never fails the change.';

create function private.tell_of_payment()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform realtime.send('{}', 'payments', 'user:' || coalesce(new.user_id, old.user_id));
  perform realtime.send('{}', 'payments', 'admin');
  return null;
end
$$;

comment on function private.tell_of_payment() is
  'Tells the payer and the administrators that a payment was reported, settled or deleted.';

create function private.tell_of_generation()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform realtime.send('{}', 'generations', 'user:' || new.user_id);
  perform realtime.send('{}', 'generations', 'admin');
  return null;
end
$$;

comment on function private.tell_of_generation() is
  'Tells its user and the administrators that a generation began or ended.';

revoke all on function private.tell_of_balance() from public;
revoke all on function private.tell_of_payment() from public;
revoke all on function private.tell_of_generation() from public;

create trigger tell_of_balance
after insert on public.credit_ledger
for each row
execute function private.tell_of_balance();

create trigger tell_of_payment
after insert or delete or update of status on public.payment_transactions
for each row
execute function private.tell_of_payment();

create trigger tell_of_generation
after insert or update of status on public.generations
for each row
execute function private.tell_of_generation();
