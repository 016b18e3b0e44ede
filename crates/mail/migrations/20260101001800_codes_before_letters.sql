-- What is of no use later goes out first: a function may queue a letter to everybody, and a code waits for nobody's letter.

drop index mail.messages_due;
create index messages_due on mail.messages ((expires_at is null), due_at) where state = 'queued';
