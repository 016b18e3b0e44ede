/**
 * The screens behind the guard on the real stack: question papers, profile, settings, the admin
 * panel, and the shell without a network. BASE_URL, INBOX_URL, SECRET_KEY: the stack.
 * SCREENSHOTS_DIR: the folder for pictures. CHROMIUM_PATH: the browser.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { assertAccessible, assertNoSidewaysScroll } from './support/accessibility.mjs';
import { desktop, keepPicture, looks, phone, useBrowser } from './support/browser.mjs';
import { fillMessage } from './support/fields.mjs';
import { fillPaper } from './support/forms.mjs';
import { comparable, textOfRtf } from './support/rtf.mjs';
import { signInAnew } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const baseURL = process.env.BASE_URL;
const inboxURL = process.env.INBOX_URL;
const secretKey = process.env.SECRET_KEY;
if (!baseURL || !inboxURL || !secretKey) {
  throw new Error('BASE_URL, INBOX_URL and SECRET_KEY say where the stack under test is');
}
const stack = adminCalls(baseURL, secretKey);

describe('the signed-in screens', { timeout: 300_000 }, () => {
  const openPage = useBrowser(baseURL);

  for (const look of looks) {
    // rows: S-424 S-428
    test(`account screens are accessible and fit the window at ${look.name}`, async () => {
      const { page, problems, close } = await openPage(look);
      const address = await signInAnew(page, inboxURL, 'admin');
      await stack.makeAdmin((await stack.userOf(address)).id);
      for (const path of [
        '/question-paper',
        '/teaching-aids',
        '/communication-tool',
        '/profile',
        '/settings',
        '/subscription',
        '/admin',
        '/admin?view=payments',
        '/admin?view=generations',
      ]) {
        await page.goto(path, { waitUntil: 'networkidle' });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await assertNoSidewaysScroll(page, path);
        await assertAccessible(page, path);
        await keepPicture(page, `signed-in-${path.slice(1).replace('?view=', '-')}-${look.name}`);
      }
      assert.deepEqual(problems, []);
      await close();
    });
  }

  for (const viewport of [phone, desktop]) {
    // rows: S-275
    test(`a message that asks for an OTP is refused at its field, at ${viewport.width}`, async () => {
      const { page, problems, close } = await openPage({ viewport, colorScheme: 'light' });
      await signInAnew(page, inboxURL);
      await page.goto('/communication-tool');
      await fillMessage(page);
      const details = page.locator('textarea[name=keyDetails]');
      await details.fill('Please reply with the OTP that came on your phone.');
      await page.locator('form button[type=submit]').click();
      const alert = page.getByRole('alert').filter({ hasText: 'Nothing was charged.' });
      await alert.waitFor();
      assert.ok(await details.evaluate((field) => field === document.activeElement), 'it has the focus');
      assert.ok(await alert.evaluate(isUncovered), 'nothing covers the alert');
      await assertNoSidewaysScroll(page, 'communication-tool-improper');
      await assertAccessible(page, 'communication-tool-improper');
      await keepPicture(page, `communication-tool-improper-${viewport.width}`);
      await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
      await details.fill('Time: 10 a.m.');
      await alert.waitFor({ state: 'detached' });
      // The answer of the function is no error of the page.
      assert.deepEqual(
        problems.filter((problem) => !problem.includes('422')),
        [],
      );
      await close();
    });
  }

  // rows: S-216 S-218 S-219 S-225 S-387
  test('a question paper is charged once, and its file says what the screen says', async () => {
    const { page, problems, close } = await openPage({ viewport: desktop, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    await page.goto('/question-paper');
    await fillPaper(page);
    await page.getByText('Total', { exact: true }).waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('Chapter', { exact: true }).inputValue(), 'Electricity');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download/ }).click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), 'question-paper.doc');
    await page.getByText('Question Paper Generated!').waitFor();
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();
    const paper = page.getByRole('region', { name: 'Question paper, complete' });
    await paper.getByRole('heading', { name: /ANSWER KEY/ }).waitFor();
    await assertAccessible(page, 'question-paper-finished');
    await page.setViewportSize(phone);
    await assertNoSidewaysScroll(page, 'question-paper-finished');
    await page.setViewportSize(desktop);
    assertSameText(await readFile(await saved.path(), 'latin1'), await paper.textContent());

    await page.reload();
    const again = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Save again: / }).click();
    assert.deepEqual(await readFile(await (await again).path()), await readFile(await saved.path()));
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();

    await fillPaper(page, 'Control and Coordination');
    await page.getByRole('button', { name: /^Download/ }).click();
    await page.getByText('You currently have 0 coins.', { exact: false }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-315 S-316 S-321
  test('language and theme stay on the device, and every screen is in Hindi', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const fonts = new Set();
    page.on('request', (request) => {
      if (request.resourceType() === 'font')
        fonts.add(new URL(request.url()).pathname.replace(/-[\w-]{8}\./, '.'));
    });
    await signInAnew(page, inboxURL);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Language').waitFor();
    assert.deepEqual([...fonts], ['/assets/anek-latin.woff2'], 'English screens load one font');
    await page.getByLabel('Language').selectOption('hi');
    await page.getByRole('heading', { level: 1, name: 'सेटिंग' }).waitFor();
    await page.getByRole('switch', { name: 'गहरा रूप' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'सेटिंग' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.className), 'dark');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'hi');
    for (const [path, heading] of [
      ['/', /घंटी बजने से पहले/],
      ['/home', 'नमस्ते। आज क्या तैयार करें?'],
      ['/question-paper', 'प्रश्न पत्र बनाएँ'],
      ['/profile', 'प्रोफ़ाइल'],
      ['/subscription', 'मूल्य'],
    ]) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await assertNoSidewaysScroll(page, path);
      await assertAccessible(page, `${path} in Hindi`);
    }
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-309 S-310 S-408
  test('an account is deleted after a question, and its user is signed out', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const address = await signInAnew(page, inboxURL);
    const { id } = await stack.userOf(address);
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByText(address).waitFor();
    await page.getByRole('button', { name: 'Delete Account' }).click();
    await page.getByRole('button', { name: 'Yes, delete my account' }).click();
    await page.waitForURL('**/auth');
    await page.getByText('Account Deletion Requested').waitFor();
    await page.getByText('You will be contacted within 24 hours.').waitFor();
    const rows = await (await stack.call(`/rest/v1/profiles?user_id=eq.${id}`)).json();
    assert.deepEqual(rows, []);
    await close();
  });

  // rows: S-048 S-340
  test('only an administrator sees the admin panel and approves a payment there', async () => {
    const payer = await openPage({ viewport: desktop, colorScheme: 'light' });
    const address = await signInAnew(payer.page, inboxURL, 'payer');
    const { id } = await stack.userOf(address);
    const asked = [];
    payer.page.on('request', (request) => {
      if (/get_all_users|rpc\/admin_|user_roles|payment_transactions/.test(request.url()))
        asked.push(request.url());
    });
    for (const path of ['/admin', '/admin?view=payments', '/admin?view=generations']) {
      await payer.page.goto(path);
      await payer.page.getByText("You don't have admin privileges").waitFor();
      assert.equal(new URL(payer.page.url()).pathname, '/');
      assert.equal(await payer.page.getByRole('heading', { name: 'Admin Panel' }).count(), 0);
    }
    assert.deepEqual(asked, [], 'nothing is even asked for');
    await stack.reportPayment(id);

    const { page, problems, close } = await openPage({ viewport: desktop, colorScheme: 'light' });
    const admin = await signInAnew(page, inboxURL, 'admin');
    await stack.makeAdmin((await stack.userOf(admin)).id);
    await page.goto('/admin');
    await page.getByRole('searchbox').fill(address);
    await page.getByRole('cell', { name: '9876543210' }).waitFor();
    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('button', { name: `Approve ₹100 of ${address}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Payment approved, 150 credits added').waitFor();

    await payer.page.goto('/home');
    await payer.page.getByRole('link', { name: '170 credits', exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await payer.close();
    await close();
  });

  test('screens that were seen open without a network', async () => {
    const { page, close } = await openPage({
      viewport: phone,
      colorScheme: 'light',
      serviceWorkers: 'allow',
    });
    await signInAnew(page, inboxURL);
    await page.evaluate(() => window.navigator.serviceWorker.ready.then(() => undefined));
    await page.reload();
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.reload();
    await page.getByText('You are offline. What you typed stays here.').waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.context().setOffline(false);
    await close();
  });
});

/** The file says what the screen says. */
function assertSameText(rtf, shownText) {
  assert.match(rtf, /^\{\\rtf1/);
  const [written, shown] = [comparable(textOfRtf(rtf)), comparable(shownText)];
  const at = [...written].findIndex((letter, place) => letter !== shown[place]);
  const around = (text) => text.slice(Math.max(0, at - 60), at + 60);
  assert.ok(written === shown, `file and screen part at ${at}: “${around(written)}” and “${around(shown)}”`);
}

/** Whether the corners of an element are in sight. */
function isUncovered(element) {
  const { left, top, bottom } = element.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + 2, y) === element);
}
