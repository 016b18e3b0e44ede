-- A mail goes to those whom the server takes it for; who is busy gets it later, and nobody gets it twice.

alter table mail.messages add column taken_for text[] not null default '{}';

comment on column mail.messages.taken_for is
    'Recipients for whom a mail server has taken the message, which never goes to them again.';
comment on column mail.messages.reason is
    'Why the last try did not reach everybody, in the server''s words; of a sent message, who did not get it and why.';
