/**
 * A teacher signs in, generates a lesson plan and has spent the first credits, on the real stack.
 * BASE_URL: the address of the application. INBOX_URL: the Mailpit calls of the inbox. SECRET_KEY:
 * the secret key of the stack, to give a teacher credits. SCREENSHOTS_DIR: the folder for pictures.
 * CHROMIUM_PATH: the browser.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { assertAccessible, assertNoSidewaysScroll } from './support/accessibility.mjs';
import { desktop, keepPicture, looks, phone, useBrowser } from './support/browser.mjs';
import { fillLessonPlan } from './support/forms.mjs';
import { readCode } from './support/inbox.mjs';
import { comparable, textOfRtf } from './support/rtf.mjs';

const baseURL = process.env.BASE_URL;
const inboxURL = process.env.INBOX_URL;
const secretKey = process.env.SECRET_KEY;
if (!baseURL || !inboxURL || !secretKey) {
  throw new Error('BASE_URL, INBOX_URL and SECRET_KEY say where the stack under test is');
}

describe('a teacher', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);

  for (const look of looks) {
    // rows: S-020 S-132 S-139 S-141 S-148 S-160 S-190 S-192 S-198 S-386
    test(`a teacher signs in, downloads a plan and pays for it at ${look.name}`, async () => {
      const { page, problems, close } = await openPage(look);
      const checked = async (screen) => {
        await assertNoSidewaysScroll(page, screen);
        await assertAccessible(page, screen);
        await keepPicture(page, `${screen}-${look.name}`);
      };

      await page.goto('/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await checked('landing');

      await signIn(page, checked);
      await page.getByText('You have 20 free credits to start with.').waitFor();
      await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
      await page.getByText('The first lesson plan is free.').waitFor();
      await checked('home');

      await page.getByRole('link', { name: /^Lesson Plan/ }).click();
      await fillLessonPlan(page);
      await checked('lesson-plan');

      const file = await downloadPlan(page);
      await page.getByText('Lesson Plans Generated!').waitFor();
      await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();
      const preview = page.getByRole('region', { name: 'Lesson plan, complete' });
      await preview
        .getByRole('heading', { name: /Electricity/ })
        .first()
        .waitFor();
      await checked('lesson-plan-finished');
      await assertSameText(file, await preview.textContent());

      const again = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download again' }).click();
      assert.deepEqual(await contentOf(await again), file.content, 'Download again saves the same file');
      await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();

      await page.getByRole('button', { name: /^Download All Lesson Plans/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Not enough credits' });
      await dialog.waitFor();
      assert.match(
        await dialog.innerText(),
        /Activity\s+Create Lesson Plan\s+Required credits\s+20\s+Your credits\s+0\b/,
      );
      await checked('insufficient');

      assert.deepEqual(problems, []);
      await close();
    });
  }

  test('the same plan is free for ten minutes, and a changed form is a new plan', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await page.goto('/');
    const address = await signIn(page, () => undefined);
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await setCoins(address, 60);
    await page.getByRole('link', { name: /^Lesson Plan/ }).click();
    await fillLessonPlan(page);
    const first = await downloadPlan(page);
    await page.getByRole('link', { name: '40 credits', exact: true }).waitFor();

    const second = await downloadPlan(page);
    assert.deepEqual(second.content, first.content, 'the stored plan is handed out');
    await page.getByRole('link', { name: '40 credits', exact: true }).waitFor();

    await page.getByLabel('Number of periods').selectOption('2');
    const changed = await downloadPlan(page);
    assert.notDeepEqual(changed.content, first.content);
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('a plan whose answer was lost arrives and is charged once', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const keys = [];
    await page.route('**/functions/v1/generate-lesson-plan', async (route) => {
      const key = route.request().headers()['idempotency-key'];
      if (key === undefined) return route.continue();
      keys.push(key);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.goto('/');
    await signIn(page, () => undefined);
    await page.getByRole('link', { name: /^Lesson Plan/ }).click();
    await fillLessonPlan(page);
    const file = await downloadPlan(page);
    assert.match(file.content.toString('latin1'), /^\{\\rtf1/);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('a teacher sees a wrong code, a payment and a draft frame before any charge', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'dark' });
    await page.goto('/');
    const address = await askForCode(page);
    const code = await readCode(inboxURL, address);
    await enterCode(page, code === '111111' ? '222222' : '111111');
    await page.locator('input[name=code][aria-invalid=true]').waitFor();
    await assertAccessible(page, 'wrong code');
    await enterCode(page, code);
    await page.waitForURL('**/home');

    await page.getByText('You have 20 free credits to start with.').waitFor();
    await page.getByRole('button', { name: 'Buy More Credits' }).click();
    await page.getByRole('button', { name: /^Basic Pack/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Make UPI Payment' });
    await dialog.waitFor();
    assert.equal(await page.getByText('You have 20 free credits').count(), 0, 'the toast is gone');
    for (const part of [
      dialog.getByRole('heading'),
      dialog.getByRole('img'),
      dialog.getByText(/You can confirm/),
    ]) {
      await assertInView(page, part);
    }
    await keepPicture(page, 'upi-360-dark');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: /^Lesson Plan/ }).click();
    await fillLessonPlan(page, 'A Chapter of Our Own');
    await page.getByText(/^Draft frame\. This chapter is not in the built-in bank/).waitFor();
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Generate$/);
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  test('a teacher stays signed in after a reload and is signed out by Logout', async () => {
    const { page, close } = await openPage({ viewport: desktop, colorScheme: 'light' });
    await page.goto('/');
    await signIn(page, () => undefined);
    await page.reload();
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.getByRole('button', { name: 'Continue with Email OTP' }).waitFor();
    await page.goto('/home');
    await page.waitForURL('**/auth');
    await close();
  });
});

async function signIn(page, checked) {
  const address = await askForCode(page);
  await checked('auth');
  await enterCode(page, await readCode(inboxURL, address));
  await page.waitForURL('**/home');
  return address;
}

async function askForCode(page) {
  const address = `teacher-${randomUUID()}@school.example`;
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByRole('button', { name: 'Continue with Email OTP' }).click();
  await page.getByLabel('Email address').fill(address);
  await page.getByRole('button', { name: 'Send OTP' }).click();
  await page.getByText('Check your email for the 6-digit verification code').waitFor();
  return address;
}

async function enterCode(page, code) {
  await page.getByLabel('6-digit code').fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
}

/** Whether a whole element is visible without scrolling. */
async function assertInView(page, element) {
  const box = await element.boundingBox();
  const { height } = page.viewportSize();
  assert.ok(box && box.y >= 0 && box.y + box.height <= height, `${JSON.stringify(box)} in ${height} px`);
}

/** Sets a teacher's balance with the secret key, as an administrator's server does. */
async function setCoins(address, coins) {
  const headers = { apikey: secretKey, 'Content-Type': 'application/json' };
  const found = await fetch(`${baseURL}/auth/v1/admin/users?per_page=1000`, { headers });
  const { users } = await found.json();
  const { id } = users.find(({ email }) => email === address);
  const written = await fetch(`${baseURL}/rest/v1/profiles?user_id=eq.${id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ coins }),
  });
  assert.equal(written.status, 204);
}

async function downloadPlan(page) {
  const download = page.waitForEvent('download', { timeout: 150_000 });
  await page.getByRole('button', { name: /^Download All Lesson Plans/ }).click();
  const saved = await download;
  assert.match(saved.suggestedFilename(), /^[a-z0-9-]+\.rtf$/);
  return { name: saved.suggestedFilename(), content: await contentOf(saved) };
}

async function contentOf(download) {
  return readFile(await download.path());
}

/** The file says what the screen says. */
async function assertSameText(file, previewText) {
  const rtf = file.content.toString('latin1');
  assert.match(rtf, /^\{\\rtf1/);
  const [written, shown] = [comparable(textOfRtf(rtf)), comparable(previewText)];
  const at = [...written].findIndex((letter, place) => letter !== shown[place]);
  const around = (text) => text.slice(Math.max(0, at - 40), at + 40);
  assert.ok(written === shown, `file and preview part at ${at}: “${around(written)}” and “${around(shown)}”`);
}
