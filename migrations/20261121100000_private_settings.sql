-- The private schema and the numbers of the product that an operator may change.

create schema private;

comment on schema private is
  'What no caller of the API may touch directly. Functions of the schema public reach it as its owner, after their own checks.';

revoke all on schema private from public;

create table private.settings (
  only_row boolean primary key default true check (only_row),
  generation_price integer not null default 20 check (generation_price > 0),
  starting_balances integer[] not null default '{20,100}' check (cardinality(starting_balances) > 0),
  missing_profile_balance integer not null default 20 check (missing_profile_balance >= 0),
  open_deduction_lifetime interval not null default '10 minutes',
  replay_window interval not null default '10 minutes',
  history_window interval not null default '24 hours',
  generation_deadline interval not null default '150 seconds',
  model_generations_per_minute integer not null default 6 check (model_generations_per_minute > 0),
  model_generations_per_day integer not null default 60 check (model_generations_per_day > 0),
  generations_per_minute integer not null default 120 check (generations_per_minute > 0),
  payment_ceiling numeric not null default 100000 check (payment_ceiling > 0),
  pending_payments_per_user integer not null default 20 check (pending_payments_per_user > 0)
);

comment on table private.settings is 'One row: change a number with an update as the owner, and it holds from the next statement on.';
comment on column private.settings.generation_price is 'Credits that one generation costs, and the most an owner may take off the own balance at once.';
comment on column private.settings.starting_balances is 'Balances a teacher may start the own profile with.';
comment on column private.settings.missing_profile_balance is 'Balance given by create_user_profile_if_missing.';
comment on column private.settings.open_deduction_lifetime is 'An unclaimed deduction is given back after this time.';
comment on column private.settings.replay_window is 'The same request within this time gets the stored document and no second charge.';
comment on column private.settings.history_window is 'Finished documents are handed out to their owner this long, then erased.';
comment on column private.settings.generation_deadline is 'A generation that has not ended by then counts as failed.';
comment on column private.settings.model_generations_per_minute is 'Generations a user may start in any 60 seconds when a language model is asked.';
comment on column private.settings.model_generations_per_day is 'Generations a user may start in any 24 hours when a language model is asked.';
comment on column private.settings.generations_per_minute is 'Generations a user may start in any 60 seconds with the built-in generator.';
comment on column private.settings.payment_ceiling is 'Largest amount of one payment, in rupees.';
comment on column private.settings.pending_payments_per_user is 'Payments of one user that may wait for verification at the same time.';

insert into private.settings default values;

create table private.tools (
  name text primary key,
  charges_itself boolean not null default false
);

comment on table private.tools is 'The tools that cost credits, by the name of their function.';
comment on column private.tools.charges_itself is
  'The client does not deduct before it calls: without an open deduction the claim takes the price from the balance.';

insert into private.tools (name, charges_itself)
values
  ('generate-lesson-plan', false),
  ('generate-question-paper', false),
  ('generate-teaching-aids', false),
  ('generate-communication', true);

create table private.credit_packs (
  amount numeric not null check (amount > 0),
  credits integer not null check (credits > 0),
  primary key (amount, credits)
);

comment on table private.credit_packs is 'Packs that give more credits than their price in rupees.';

insert into private.credit_packs (amount, credits)
values
  (100, 150),
  (250, 400);

alter table private.settings enable row level security;
alter table private.tools enable row level security;
alter table private.credit_packs enable row level security;
