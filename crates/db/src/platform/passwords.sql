-- Sets the password of a role to a verifier made by the stack; the password itself never reaches the server.
do $$
begin
  execute format(
    'alter role %I password %L', current_setting('banyan.role'), current_setting('banyan.verifier')
  );
end
$$;
