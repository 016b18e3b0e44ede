/**
 * Open screens hear at once what changes elsewhere:
 * credits, payments, generations and the end of a session.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible } from './support/accessibility.mjs';
import { desktop, keepPicture, phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL, publishableKey, secretKey } from './support/env.mjs';
import { fillCommunication } from './support/forms.mjs';
import { signInAnew, signInAs } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);

/** Resolves when the page has joined a topic. Called before the screen opens. */
function joined(page, topic) {
  return new Promise((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        const text = String(payload);
        if (text.includes(`realtime:${topic}`) && text.includes('"status":"ok"')) resolve();
      });
    });
  });
}

describe('live updates', { timeout: 240_000 }, () => {
  const openPage = useBrowser(baseURL);

  async function openAsTeacher(look = { viewport: phone, colorScheme: 'light' }) {
    const opened = await openPage(look);
    const live = joined(opened.page, 'user:');
    const address = await signInAnew(opened.page, inboxURL);
    const { id } = await stack.userOf(address);
    await live;
    return { ...opened, address, id };
  }

  async function openAsAdmin(view) {
    const opened = await openPage({ viewport: desktop, colorScheme: 'light' });
    const address = await signInAnew(opened.page, inboxURL, 'admin');
    await stack.makeAdmin((await stack.userOf(address)).id);
    const live = joined(opened.page, 'admin');
    await opened.page.goto(`/admin?view=${view}`);
    await live;
    return { ...opened, address };
  }

  // rows: S-432 S-434 S-435 S-437
  test('an approved payment changes the coins in both tabs of its payer, who is told', async () => {
    const teacher = await openAsTeacher();
    const second = await teacher.page.context().newPage();
    const live = joined(second, 'user:');
    await second.goto('/home');
    await live;
    const admin = await openAsAdmin('payments');
    await stack.reportPayment(teacher.id);
    const waiting = '1 payment waits for verification';
    await teacher.page.getByText(waiting).waitFor();

    await admin.page.getByRole('button', { name: `Approve ₹100 of ${teacher.address}`, exact: true }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await admin.page.getByText('Payment approved, 150 credits added').waitFor();
    for (const page of [teacher.page, second]) {
      await page.getByRole('link', { name: '170 credits', exact: true }).waitFor();
      await page.getByText('150 credits have been added to your balance.').waitFor();
      assert.equal(await page.getByText(waiting).count(), 0);
    }
    await assertAccessible(teacher.page, 'home with the toast of a payment');
    await keepPicture(teacher.page, 'payment-approved-360');
    assert.equal(await admin.page.getByText('have been added to your balance').count(), 0);
    assert.deepEqual([...teacher.problems, ...admin.problems], []);
    await Promise.all([teacher.close(), admin.close()]);
  });

  // rows: S-438 S-439
  test('the queue of payments fills while an administrator reads it', async () => {
    const [first, next] = [await openAsTeacher(), await openAsTeacher()];
    const { page, problems, close } = await openAsAdmin('payments');
    await stack.reportPayment(first.id);
    const approve = page.getByRole('button', { name: `Approve ₹100 of ${first.address}`, exact: true });
    await approve.click();
    const reason = page.getByRole('dialog').getByRole('textbox');
    await reason.fill('14');

    await stack.reportPayment(next.id);
    const added = page.getByRole('button', { name: `Approve ₹100 of ${next.address}`, includeHidden: true });
    await added.waitFor({ state: 'attached' });
    assert.equal(await reason.inputValue(), '14', 'what is typed stays');
    assert.ok(await reason.evaluate((field) => field === document.activeElement), 'and the focus');
    await page.keyboard.press('Escape');
    await page.getByRole('status').filter({ hasText: 'payments wait for verification' }).waitFor();
    await keepPicture(page, 'payments-live-1280');

    await approve.focus();
    const place = await added.boundingBox();
    await stack.call(`/rest/v1/payment_transactions?user_id=eq.${first.id}`, 'PATCH', { status: 'APPROVED' });
    const remove = page.getByRole('button', { name: 'Remove from list' });
    await remove.waitFor();
    await keepPicture(page, 'payment-settled-elsewhere-1280');
    assert.ok(await remove.evaluate((button) => button === document.activeElement), 'the focus stays');
    assert.deepEqual(await added.boundingBox(), place, 'nothing moves');
    await assertAccessible(page, 'a payment that was settled elsewhere');
    await page.keyboard.press('Enter');
    await remove.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await Promise.all([first.close(), next.close(), close()]);
  });

  // rows: S-438
  test('a generation appears in the panel while it is open', async () => {
    const teacher = await openAsTeacher();
    const { page, problems, close } = await openAsAdmin('generations');
    await teacher.page.goto('/communication-tool');
    await fillCommunication(teacher.page);
    await teacher.page.getByRole('button', { name: 'Generate Communication' }).click();
    const row = page.getByRole('row').filter({ hasText: teacher.address });
    await row.filter({ hasText: 'Finished' }).waitFor();
    await keepPicture(page, 'generations-live-1280');
    assert.deepEqual(problems, []);
    await Promise.all([teacher.close(), close()]);
  });

  // rows: S-436
  test('a sign-out everywhere reaches every browser', async () => {
    const first = await openAsTeacher();
    const other = await openPage({ viewport: phone, colorScheme: 'dark' });
    const live = joined(other.page, 'user:');
    await signInAs(other.page, inboxURL, first.address);
    await live;
    const token = await first.page.evaluate(() => JSON.parse(localStorage.getItem('session')).access_token);
    const answer = await fetch(`${baseURL}/auth/v1/logout?scope=global`, {
      method: 'POST',
      headers: { apikey: publishableKey, Authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 204);
    for (const { page } of [first, other]) {
      await page.waitForURL('**/auth');
      await page.getByText('Your session has ended. Please sign in again.').waitFor();
    }
    await keepPicture(other.page, 'session-ended-360-dark');
    assert.deepEqual([...first.problems, ...other.problems], []);
    await Promise.all([first.close(), other.close()]);
  });

  // rows: S-440
  test('without a socket the screens work as before and try it seldom', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    let sockets = 0;
    const tried = new Promise((resolve) => {
      void page.routeWebSocket(/realtime/, (socket) => {
        sockets += 1;
        resolve();
        void socket.close({ code: 1011 });
      });
    });
    await page.clock.install();
    const address = await signInAnew(page, inboxURL);
    await page.clock.runFor(2_000);
    await tried;
    for (let minute = 0; minute < 15; minute += 1) await page.clock.runFor(60_000);
    assert.ok(sockets < 10, `${sockets} sockets in a quarter of an hour`);
    const { id } = await stack.userOf(address);
    await stack.setCoins(id, 70);
    await page.reload();
    await page.getByRole('link', { name: '70 credits', exact: true }).waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });
});
