-- A claim is renewed while its holder lives; one that is not goes back into the queue, whether or not its content had left.

comment on column mail.messages.claimed_at is 'When who sends it was last heard of.';
comment on column mail.messages.handed_over_at is
    'Set and committed just before the content goes to the mail server: from here on it may have been accepted. After a '
    'crash it is sent again under the same Message-ID.';

-- What is in hand is looked at as a whole.
drop index mail.messages_claimed;
create index messages_claimed on mail.messages (id) where state = 'sending';
