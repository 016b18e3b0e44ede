-- Lets a role log in, with a verifier made by the stack as its password; the password itself never reaches the server.
do $$
begin
  execute format(
    'alter role %I login password %L', current_setting('banyan.role'), current_setting('banyan.verifier')
  );
end
$$;
