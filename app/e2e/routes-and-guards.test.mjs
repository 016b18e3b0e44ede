/**
 * Every address in each state of its guard: a visitor, a
 * teacher, an administrator. Nothing is stubbed.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL, publishableKey, secretKey } from './support/env.mjs';
import { signInAnew, signInAs } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);

const publicPages = [
  ['/', /done before the bell/],
  ['/about-us', 'For the staff rooms of India'],
  ['/about', /^About /],
  ['/blogs', 'Reading for the staff room'],
  ['/blogs/3', /^One file/],
  ['/faqs', 'Frequently asked questions'],
  ['/sitemap', 'Sitemap'],
  ['/public-lesson-plan', 'AI Lesson Plan Generator'],
  ['/public-question-paper', 'Create Question Paper'],
  ['/public-teaching-aids', 'Teaching Aids'],
  ['/public-communication-tool', 'Communication Tool'],
  ['/terms', 'Terms & Conditions'],
  ['/privacy', 'Privacy Policy'],
  ['/error', 'Something Went Wrong'],
  ['/network-error', 'No Internet Connection'],
  ['/nowhere/at/all', 'Page Not Found'],
];
const forTeachers = [
  ['/home', /^Namaste/],
  ['/lesson-plan', 'Create Lesson Plan'],
  ['/question-paper', 'Create Question Paper'],
  ['/communication-tool', 'Communication Tools'],
  ['/profile', 'Profile'],
  ['/settings', 'Settings'],
];
const forBoth = [
  ['/teaching-aids', 'Teaching Aids'],
  ['/subscription', 'Pricing'],
];

describe('the guards', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);
  const look = { viewport: phone, colorScheme: 'light' };

  async function shows(page, pages) {
    for (const [path, name] of pages) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      assert.equal(new URL(page.url()).pathname, path);
    }
  }

  // rows: S-021 S-023 S-024 S-025 S-026 S-027 S-028 S-029 S-030 S-031 S-032 S-033 S-034 S-035
  // rows: S-052
  test('visitors read the public pages', async () => {
    const { page, problems, close } = await openPage(look);
    await shows(page, [...publicPages, ...forBoth]);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-022 S-037 S-038 S-039 S-041 S-043 S-044 S-045 S-152 S-202
  test('visitors are sent to /auth', async () => {
    const { page, close } = await openPage(look);
    for (const [path] of [...forTeachers, ['/admin']]) {
      await page.goto(path);
      await page.waitForURL('**/auth');
      await page.getByRole('button', { name: 'Continue with Email OTP' }).waitFor();
    }
    await page.goto('/teaching-aids');
    await page.getByText('Sign In to Generate').first().waitFor();
    await close();
  });

  // rows: S-040 S-042 S-051 S-146
  test('teachers land on /home, reopen every screen and never see the admin panel', async () => {
    const { page, problems, close } = await openPage(look);
    await signInAs(page, inboxURL, `deep-link-${Date.now()}@school.example`, '/settings');
    await shows(page, [...forTeachers, ...forBoth, ...publicPages]);
    await page.goto('/auth');
    await page.waitForURL('**/home');
    await page.goto('/admin');
    await page.getByText('Access Denied').waitFor();
    assert.equal(new URL(page.url()).pathname, '/');
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-131 S-153 S-155 S-161
  test('administrators have their button, their tile and the panel', async () => {
    const { page, close } = await openPage(look);
    const address = await signInAnew(page, inboxURL, 'admin');
    assert.equal(await page.getByRole('link', { name: 'Admin', exact: true }).count(), 0);
    await stack.makeAdmin((await stack.userOf(address)).id);
    await page.reload();
    await page.getByRole('link', { name: 'Admin', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Admin Panel' }).waitFor();
    await page.goto('/home');
    await page.getByRole('link', { name: /^Manage Blogs/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Reading for the staff room' }).waitFor();
    await close();
  });

  // rows: S-107
  test('the application answers an unknown address', async () => {
    for (const path of ['/nowhere', '/home', '/blogs/unknown']) {
      const answer = await fetch(baseURL + path);
      assert.equal(answer.status, 200, path);
      assert.match(await answer.text(), /<div id="root"/);
    }
  });

  // rows: S-054 S-057 S-058
  test('the bottom bar marks one entry, is large enough to touch and covers nothing', async () => {
    const { page, close } = await openPage(look);
    await signInAnew(page, inboxURL);
    for (const [path, entry] of [
      ['/home', 'Home'],
      ['/subscription', 'Pricing'],
      ['/profile', 'Profile'],
      ['/settings', 'Settings'],
    ]) {
      await page.goto(path);
      const bar = page.getByRole('navigation', { name: 'Main' });
      await bar.locator('[aria-current=page]').waitFor();
      assert.deepEqual(await bar.locator('[aria-current=page]').allTextContents(), [entry]);
      for (const link of await bar.getByRole('link').all()) {
        const { width, height } = await link.boundingBox();
        assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
      }
      const last = page.locator('main a, main button').last();
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const [control, cover] = [await last.boundingBox(), await bar.boundingBox()];
      assert.ok(control.y + control.height <= cover.y, `the last control of ${path} stands above the bar`);
    }
    await close();
  });

  // rows: S-147 S-149 S-400
  test('a sign-out in one tab is seen in the other', async () => {
    const { page, close } = await openPage(look);
    await signInAnew(page, inboxURL);
    const other = await page.context().newPage();
    await other.goto('/settings');
    await other.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/auth');
    await other.waitForURL('**/auth');
    assert.equal(await other.evaluate(() => localStorage.getItem('session')), null);
    await close();
  });

  // rows: S-149
  test('logout ends the session of this device on the server, and no other', async () => {
    const { page, close } = await openPage(look);
    const address = await signInAnew(page, inboxURL);
    const elsewhere = await sessionOf(address);
    const { refresh_token } = JSON.parse(await page.evaluate(() => localStorage.getItem('session')));
    const told = page.waitForResponse((response) => response.url().includes('/auth/v1/logout'));
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/auth');
    assert.equal((await told).status(), 204);
    const refreshed = (token) => post('/auth/v1/token?grant_type=refresh_token', { refresh_token: token });
    assert.equal((await refreshed(refresh_token)).status, 400, 'nobody comes back with it');
    assert.equal((await refreshed(elsewhere.refresh_token)).status, 200);
    await close();
  });
});

/** This is another device of the same teacher. An address gets no second mail at once. */
async function sessionOf(email) {
  const link = await stack.call('/auth/v1/admin/generate_link', 'POST', { type: 'magiclink', email });
  const { email_otp: token } = await link.json();
  return (await post('/auth/v1/verify', { type: 'email', email, token })).json();
}

function post(path, body) {
  return fetch(baseURL + path, {
    method: 'POST',
    headers: { apikey: publishableKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}
