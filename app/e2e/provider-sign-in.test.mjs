/**
 * Somebody signs in with Google in a browser, by the official client, against a test provider of
 * OpenID Connect. BASE_URL: a stack that serves the application with provider-site/ beside it and
 * uses the test provider as Google (scripts/lib/provider-journey.sh). SCREENSHOTS_DIR: the folder
 * for pictures. CHROMIUM_PATH: the browser.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { desktop, keepPicture, useBrowser } from './support/browser.mjs';

const baseURL = process.env.BASE_URL;
if (!baseURL) throw new Error('BASE_URL says where the stack under test is');

describe('a sign-in with Google', { timeout: 60_000 }, () => {
  const openPage = useBrowser(baseURL);
  const open = async () => {
    const opened = await openPage({ viewport: desktop, colorScheme: 'light', name: 'desktop' });
    const callbacks = [];
    opened.page.on('request', (request) => {
      if (request.url().includes('/auth/v1/callback')) callbacks.push(request.url());
    });
    return { ...opened, callbacks };
  };

  for (const flow of ['pkce', 'implicit']) {
    test(`a sign-in brings session and identity, with the ${flow} flow, twice the same`, async () => {
      const { page, problems, close, callbacks } = await open();
      const email = `${flow}@school.example`;
      const landings = [];
      page.on('framenavigated', (frame) => landings.push(frame.url()));
      const first = await signIn(page, flow, email);
      await keepPicture(page, `provider-signed-in-${flow}`);
      const { user_metadata: said, app_metadata: kept, identities } = first.user;
      assert.equal(first.user.email, email);
      assert.equal(said.full_name, 'Asha K');
      assert.equal(said.email, email);
      assert.equal(said.email_verified, true);
      assert.ok(said.iss.startsWith('http://127.0.0.1:'), said.iss);
      assert.deepEqual([kept.provider, kept.providers], ['google', ['google']]);
      assert.deepEqual(
        [identities.length, identities[0].provider, identities[0].id],
        [1, 'google', said.sub],
      );
      assert.ok(first.session.provider_token, 'the tokens of the provider come along');
      const landed = landings.filter(
        (url) => url.startsWith(`${baseURL}/provider?flow=`) && /[?&#](code|access_token)=/.test(url),
      );
      assert.ok(landed.length > 0, landings.join('\n'));
      assert.equal(
        landed.some((url) => url.includes('access_token=')),
        flow === 'implicit',
        'tokens travel in the fragment alone',
      );
      assert.doesNotMatch(page.url(), /access_token|[?&]code=/, 'nothing of it stays in the address');

      const second = await signIn(page, flow, email);
      assert.equal(second.user.id, first.user.id);
      assert.equal(callbacks.length, 2);
      assert.deepEqual(problems, []);
      await close();
    });
  }

  test('a refusal at the provider comes back with its reason and without a session', async () => {
    const { page, close } = await open();
    await leaveForGoogle(page, 'pkce');
    await page.getByRole('button', { name: 'Refuse' }).click();
    const shown = await outcome(page, 'Not signed in');
    assert.equal(shown.code, 'access_denied');
    assert.equal(shown.session, null);
    await close();
  });

  test('a foreign state is refused', async () => {
    const { page, close } = await open();
    const url = new URL(await returnOf(page, 'pkce'));
    url.searchParams.set('state', randomUUID());
    await page.goto(url.href);
    const shown = await outcome(page, 'Not signed in');
    assert.equal(shown.code, 'bad_oauth_state');
    assert.equal(shown.session, null);
    await close();
  });

  test('a code counts once, and only in the browser that began the sign-in', async () => {
    const { page, close } = await open();
    const stranger = await open();
    const url = await returnOf(page, 'implicit');
    await stranger.page.goto(url);
    const elsewhere = await outcome(stranger.page, 'Not signed in');
    assert.equal(elsewhere.session, null, 'somebody sent the address on');
    await page.goto(await returnOf(page, 'implicit'));
    await outcome(page, 'Signed in');
    const used = await returnOf(page, 'implicit');
    await page.goto(used);
    await outcome(page, 'Signed in');
    await page.evaluate(() => localStorage.clear());
    await page.goto(used);
    assert.equal((await outcome(page, 'Not signed in')).session, null, 'it was used');
    await stranger.close();
    await close();
  });

  test('a code with a challenge is useless to whoever sees it', async () => {
    const { page, close } = await open();
    const stranger = await open();
    const answer = await page.context().request.get(await returnOf(page, 'pkce'), { maxRedirects: 0 });
    const landing = answer.headers().location;
    assert.match(landing, /[?&]code=/);
    await stranger.page.goto(landing);
    assert.equal((await outcome(stranger.page, 'Not signed in')).session, null);
    await page.goto(landing);
    assert.ok((await outcome(page, 'Signed in')).session, 'it still counts where it began');
    await stranger.close();
    await close();
  });
});

describe('a sign-in with Google in the application', { timeout: 60_000 }, () => {
  const openPage = useBrowser(baseURL);

  async function leaveTheApplication() {
    const opened = await openPage({ viewport: desktop, colorScheme: 'light' });
    await opened.page.goto('/auth');
    await opened.page.getByRole('button', { name: 'Continue with Google' }).click();
    await opened.page.getByRole('heading', { name: 'Sign in with the test provider' }).waitFor();
    return opened;
  }

  // rows: S-144
  test('a sign-in leads to /home and leaves neither code nor token in the address', async () => {
    const { page, problems, close } = await leaveTheApplication();
    const landings = [];
    page.on('framenavigated', (frame) => landings.push(frame.url()));
    await page.getByLabel('E-mail').fill('app@school.example');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: /^Namaste/ }).waitFor();
    assert.ok(
      landings.some((url) => url.startsWith(`${baseURL}/home?code=`)),
      landings.join('\n'),
    );
    assert.ok(!landings.some((url) => /access_token|refresh_token/.test(url)), 'no token in any address');
    assert.equal(page.url(), `${baseURL}/home`);
    const session = JSON.parse(await page.evaluate(() => localStorage.getItem('session')));
    assert.equal(session.user.email, 'app@school.example');
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-144
  test('a refused sign-in is shown with the reason of the provider', async () => {
    const { page, problems, close } = await leaveTheApplication();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('alert').filter({ hasText: 'Authentication Error' }).waitFor();
    await page.getByRole('button', { name: 'Continue with Google' }).waitFor();
    assert.equal(page.url(), `${baseURL}/auth`);
    assert.equal(await page.evaluate(() => localStorage.getItem('session')), null);
    assert.deepEqual(problems, []);
    await close();
  });
});

async function leaveForGoogle(page, flow) {
  await page.goto(`/provider?flow=${flow}`);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`/provider?flow=${flow}`);
  await page.getByText('Not signed in').waitFor();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('heading', { name: 'Sign in with the test provider' }).waitFor();
}

/** The address to which the provider sends the browser back. The browser does not follow it. */
async function returnOf(page, flow) {
  await leaveForGoogle(page, flow);
  const caught = new Promise((resolve) =>
    page.route(
      '**/decide?*',
      async (route) => {
        const answer = await route.fetch({ maxRedirects: 0 });
        resolve(answer.headers().location);
        await route.fulfill({ body: 'Caught on the way back' });
      },
      { times: 1 },
    ),
  );
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Caught on the way back').waitFor();
  return caught;
}

/** Signs in and returns what the application then knows. */
async function signIn(page, flow, email) {
  await leaveForGoogle(page, flow);
  await page.getByLabel('E-mail').fill(email);
  await keepPicture(page, 'provider-asks');
  await page.getByRole('button', { name: 'Sign in' }).click();
  return outcome(page, 'Signed in');
}

async function outcome(page, text) {
  await page.getByText(text, { exact: true }).waitFor();
  return JSON.parse(await page.locator('#session').textContent());
}
