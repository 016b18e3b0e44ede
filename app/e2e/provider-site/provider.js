/* The smallest application that signs in with a provider: `?flow=implicit` or `?flow=pkce`. */
const flowType = new URLSearchParams(location.search).get('flow') ?? 'pkce';
// The public key of every local stack.
const key = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH';
const client = window.supabase.createClient(location.origin, key, { auth: { flowType } });

document.querySelector('#sign-in').addEventListener('click', () =>
  client.auth.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: `${location.origin}/provider?flow=${flowType}` },
  }),
);

const arrived = new URL(location.href);
const told = new URLSearchParams(arrived.search + '&' + arrived.hash.slice(1));
const { error } = await client.auth.initialize();
const { data } = await client.auth.getSession();
const verified = data.session ? await client.auth.getUser() : undefined;
document.querySelector('#session').textContent = JSON.stringify(
  {
    session: data.session,
    user: verified?.data.user ?? null,
    error: error?.message ?? told.get('error_description'),
    code: told.get('error_code') ?? told.get('error'),
  },
  null,
  2,
);
document.querySelector('#outcome').textContent = data.session ? 'Signed in' : 'Not signed in';
