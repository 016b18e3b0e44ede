comment on function private.keep_author_private() is
  'Moves the author out of a post once the policies have looked at it, so that nobody reads it there. The row is written with its author first, so public.blogs must stay out of every publication: who follows one would be sent that row.';
