/**
 * Both ways to buy credits, and the one inside the communication tool, up to the row that an
 * administrator verifies.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible } from './support/accessibility.mjs';
import { phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL, secretKey } from './support/env.mjs';
import { fillCommunication } from './support/forms.mjs';
import { signInAnew } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);

describe('a purchase', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);

  async function openAsTeacher() {
    const opened = await openPage({ viewport: phone, colorScheme: 'light' });
    await opened.page.clock.install();
    const address = await signInAnew(opened.page, inboxURL);
    const { id } = await stack.userOf(address);
    const payments = async () => (await stack.call(`/rest/v1/payment_transactions?user_id=eq.${id}`)).json();
    const elsewhere = [];
    opened.page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!['data:', 'blob:'].includes(protocol) && origin !== new URL(baseURL).origin) {
        elsewhere.push(request.url());
      }
    });
    return { ...opened, id, payments, elsewhere };
  }

  // rows: S-006 S-017 S-018 S-162 S-163 S-165 S-168 S-169 S-170 S-171 S-172 S-373
  test('the purchase on /home waits 20 seconds and asks for the phone number', async () => {
    const { page, problems, payments, elsewhere, close } = await openAsTeacher();
    await page.getByText('A payment of ₹100 gives 150 credits.').waitFor();
    await page.getByRole('button', { name: 'Buy More Credits' }).click();
    const amount = page.getByRole('dialog', { name: 'Buy More Credits' });
    await amount.getByText('10 rupees = 10 credits').waitFor();
    await amount.getByLabel('Another amount in rupees').fill('60');
    await amount.getByRole('button', { name: 'Buy Credits' }).click();
    const upi = page.getByRole('dialog', { name: 'Make UPI Payment' });
    await upi.getByText('You can confirm in 20 seconds').waitFor();
    assert.equal(await upi.getByRole('button', { name: 'Confirm Payment' }).count(), 0);
    const link = new URL(await upi.getByRole('link', { name: 'Pay with UPI App' }).getAttribute('href'));
    assert.equal(link.protocol, 'upi:');
    assert.deepEqual([link.searchParams.get('am'), link.searchParams.get('cu')], ['60', 'INR']);
    await assertAccessible(page, 'UPI dialog');
    await page.clock.runFor(20_500);
    await upi.getByRole('button', { name: 'Confirm Payment' }).click();
    const complete = page.getByRole('dialog', { name: 'Complete Credit Purchase' });
    await complete.getByRole('button', { name: 'Submit' }).click();
    await complete.getByText('Please enter your phone number').waitFor();
    assert.deepEqual(await payments(), []);
    await complete.getByLabel('Phone number').fill('98-7654 3210');
    await complete.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('credit your account within 4 hours').waitFor();
    const [row] = await payments();
    assert.match(row.transaction_id, /^MANUAL_\d{13}/);
    assert.deepEqual(
      [row.amount, row.credits, row.status, row.phone_number, row.customer_info],
      [60, 60, 'PENDING', '9876543210', { mobile: '9876543210' }],
    );
    await page.getByRole('button', { name: 'Buy More Credits' }).click();
    assert.equal(
      await amount.getByLabel('Another amount in rupees').inputValue(),
      '',
      'the amount is cleared',
    );
    assert.deepEqual(elsewhere, [], 'no payment gateway is called');
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-006 S-018 S-292 S-294 S-296 S-297 S-298 S-301 S-371 S-408
  test('the purchase on /subscription waits 30 seconds and records the payment', async () => {
    const { page, problems, id, payments, elsewhere, close } = await openAsTeacher();
    await page.getByRole('link', { name: 'Pricing' }).click();
    await page.getByRole('button', { name: /^Buy 150 credits/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Standard' });
    await dialog.getByLabel('Phone number').fill('987654321');
    assert.equal(await dialog.getByRole('img').count(), 0, 'no code below ten digits');
    await dialog.getByLabel('Phone number').fill('9876543210');
    await dialog.getByRole('img', { name: /₹100/ }).waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Wait 30s' }).isDisabled());
    await assertAccessible(page, 'plan payment');
    await page.clock.runFor(30_500);
    await dialog.getByRole('button', { name: "I've Made the Payment" }).click();
    await page.getByRole('dialog', { name: 'Thank You' }).getByText('2 to 6 hours').waitFor();
    const [row] = await payments();
    assert.match(row.transaction_id, /^UPI_\d{13}/);
    assert.deepEqual([row.amount, row.credits, row.status], [100, 150, 'PENDING']);
    assert.equal(row.customer_info.phone, '9876543210');
    const [profile] = await (await stack.call(`/rest/v1/profiles?user_id=eq.${id}`)).json();
    assert.equal(profile.last_payment_amount, 100);
    assert.match(profile.last_payment_date, /^\d{4}-\d{2}-\d{2}$/);
    assert.match(profile.last_payment_time, /^\d{2}:\d{2}/);
    assert.deepEqual(elsewhere, [], 'no payment gateway is called');
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-428
  test('the focus returns to the answer that opened the report of a payment', async () => {
    const { page, problems, id, close } = await openAsTeacher();
    const begun = { transactionId: 'MANUAL_1', amount: 60, credits: 60, plan: '', phoneOptional: false };
    await page.evaluate(
      ([key, payment]) => window.localStorage.setItem(key, payment),
      [`payment.${id}`, JSON.stringify({ ...begun, startedAt: Date.now() })],
    );
    // The browser reads the focus while the dialog is loading.
    await page.route(/\/assets\/report-payment-[^/]*\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.goto('/home');
    const paid = page.getByRole('button', { name: 'Yes, I have paid' });
    await paid.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Phone number').waitFor();
    const question = page.locator('section').filter({ hasText: 'You began to pay' });
    assert.equal(await question.evaluate((section) => window.getComputedStyle(section).opacity), '0');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The focus returns a moment later.
    await page.locator('button:focus', { hasText: 'Yes, I have paid' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-269 S-278 S-280 S-281 S-282
  test('the purchase in the communication tool waits 22 seconds and needs no number', async () => {
    const { page, problems, id, payments, close } = await openAsTeacher();
    await stack.setCoins(id, 0);
    await page.goto('/communication-tool');
    await fillCommunication(page);
    const generate = page.getByRole('button', { name: /^Generate Communication/ });
    await generate.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Buy', exact: true }).click();
    await dialog.getByText('You can confirm in 22 seconds').waitFor();
    await page.keyboard.press('Escape');
    await generate.click();
    await dialog.getByRole('button', { name: 'Buy', exact: true }).click();
    await dialog.getByText('You can confirm in 22 seconds').waitFor();
    await page.clock.runFor(22_500);
    await dialog.getByRole('button', { name: 'I have made the payment' }).click();
    await dialog.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('credit your account within 4 hours').waitFor();
    const [row] = await payments();
    assert.deepEqual([row.amount, row.credits, row.phone_number, row.customer_info], [20, 20, null, null]);
    assert.deepEqual(problems, []);
    await close();
  });
});
