/**
 * Chunks of the application that fail to load once. The screen stays, and what was paid is shown.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL } from './support/env.mjs';
import { fillLessonPlan } from './support/forms.mjs';
import { signInAnew } from './support/sign-in.mjs';

describe('chunks that fail to load', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);
  const look = { viewport: phone, colorScheme: 'light' };

  /** Fails the first request for a chunk, and counts all of them. */
  async function loseOnce(page, name) {
    const asked = [];
    await page.route(new RegExp(`/assets/${name}-[^/]*\\.js`), (route) => {
      asked.push(new URL(route.request().url()).search);
      return asked.length === 1 ? route.abort('connectionreset') : route.continue();
    });
    return asked;
  }

  /** Playwright's own waiting treats the promise of an asynchronous condition as true. */
  async function until(page, holds) {
    while (!(await page.evaluate(holds))) await setTimeout(50);
  }

  // rows: S-423
  test('a dialog that fails to load leaves the screen and opens at the next press', async () => {
    const { page, problems, close } = await openPage(look);
    await signInAnew(page, inboxURL);
    const asked = await loseOnce(page, 'buy-credits');
    await page.getByRole('button', { name: 'Buy More Credits' }).click();
    await page.getByText('Part of this page did not arrive').waitFor();
    await page.getByRole('heading', { level: 1, name: /^Namaste/ }).waitFor();
    assert.equal(await page.getByText('No Internet Connection').count(), 0);
    await page.getByRole('button', { name: 'Buy More Credits' }).click();
    await page.getByRole('dialog', { name: 'Buy More Credits' }).waitFor();
    assert.deepEqual(asked, ['', '?again=1']);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-423
  test('a screen that fails to load reloads the page by itself', async () => {
    const { page, close } = await openPage(look);
    await signInAnew(page, inboxURL);
    const asked = await loseOnce(page, 'subscription');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pricing' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pricing' }).waitFor();
    assert.ok(asked.length >= 2, 'it was lost');
    await close();
  });

  // rows: S-196
  test('the code that shows a paid document loads before the document is there', async () => {
    const { page, problems, close } = await openPage(look);
    await signInAnew(page, inboxURL);
    const asked = await Promise.all(['plan-document', 'finished-column'].map((name) => loseOnce(page, name)));
    await page.goto('/lesson-plan');
    await fillLessonPlan(page);
    await page.getByText('The document will say of itself:').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download/ }).click();
    await download;
    await page.getByRole('heading', { level: 4 }).first().waitFor();
    for (const requests of asked) assert.deepEqual(requests.slice(0, 2), ['', '?again=1']);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-423
  test('chunks of an older version stay cached while its pages may be open', async () => {
    const { page, close } = await openPage({ ...look, serviceWorkers: 'allow' });
    await page.goto('/robots.txt');
    await page.evaluate(async () => {
      for (const name of ['first', 'second', 'third']) await window.caches.open(name);
    });
    await page.goto('/faqs');
    const cachedVersions = async () => {
      await window.navigator.serviceWorker.ready;
      return window.caches.keys();
    };
    await until(page, async () => !(await window.caches.keys()).includes('first'));
    const names = await page.evaluate(cachedVersions);
    assert.deepEqual(names.slice(0, 2), ['second', 'third']);
    assert.equal(names.length, 3);
    await close();
  });

  // rows: S-423
  test('a version whose shell did not load is not kept as a version', async () => {
    const { page, close } = await openPage({ ...look, serviceWorkers: 'allow' });
    const asked = page.context().waitForEvent('request', (request) => request.url().endsWith('/app.html'));
    await page.context().route('**/app.html', (route) => route.abort());
    await page.goto('/faqs');
    await asked;
    await until(page, async () => !(await window.navigator.serviceWorker.getRegistration()));
    assert.deepEqual(await page.evaluate(() => window.caches.keys()), []);
    await close();
  });
});
