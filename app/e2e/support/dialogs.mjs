/**
 * The dialogs of the application and how each is opened, in any language.
 * A teacher who opens them has no credits. The dialogs of an administrator
 * need a waiting payment and a user with a role to remove.
 */
import { fillAids, fillMessage } from './fields.mjs';

const dialog = '[role=dialog]';

export const visitorDialogs = [
  { name: 'sign-in', path: '/teaching-aids', act: (page) => press(page, fillAids, 'form button:has(svg)') },
];

export const teacherDialogs = [
  { name: 'amount', path: '/home?buy=credits', act: () => undefined },
  { name: 'amount-upi', path: '/home?buy=credits', act: payAmount },
  { name: 'amount-phone', path: '/home?buy=credits', act: confirmAmount },
  { name: 'opened', path: '/home?buy=credits', act: comeBackUnreported },
  {
    name: 'insufficient',
    path: '/teaching-aids',
    act: (page) => press(page, fillAids, 'form button:has(svg)'),
  },
  { name: 'pack', path: '/communication-tool', act: openPack },
  { name: 'pack-upi', path: '/communication-tool', act: payPack },
  { name: 'pack-phone', path: '/communication-tool', act: confirmPack },
  { name: 'plan', path: '/subscription', act: openPlan },
  { name: 'plan-upi', path: '/subscription', act: payPlan },
  { name: 'thanks', path: '/subscription', act: confirmPlan },
  { name: 'delete-account', path: '/profile', act: (page) => page.locator('main button').last().click() },
];

export const adminDialogs = [
  { name: 'remove-role', path: '/admin', act: removeRole },
  {
    name: 'delete-user',
    path: '/admin',
    act: (page) => page.locator('tr button:enabled:has(.lucide-trash-2)').first().click(),
  },
  { name: 'approve', path: '/admin?view=payments', act: (page) => settle(page, 0) },
  { name: 'reject', path: '/admin?view=payments', act: (page) => settle(page, 1) },
  { name: 'new-post', path: '/blogs', act: (page) => page.locator('main button:has(.lucide-plus)').click() },
];

/** The dialogs of an administrator, who is on a later page once there are many users. */
async function removeRole(page) {
  await page.getByRole('searchbox').fill('admin');
  await page.locator('td li button').first().click();
}

const withClock = new WeakSet();

/**
 * Opens a dialog and waits until it is there. A payment that the dialog before began is stored, so
 * it is cleared here.
 */
export async function openDialog(page, { path, act }) {
  if (!withClock.has(page)) await page.clock.install();
  withClock.add(page);
  await page.goto('/faqs');
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('payment.')) localStorage.removeItem(key);
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await act(page);
  await page.locator(dialog).waitFor();
}

async function press(page, fill, button) {
  await fill(page);
  await page.locator(button).first().click();
}

function settle(page, which) {
  return page.locator('main li button').nth(which).click();
}

async function payAmount(page) {
  await page.locator(`${dialog} form button`).first().click();
  await page.locator(`${dialog} svg[role=img]`).waitFor();
}

async function confirmAmount(page) {
  await payAmount(page);
  await confirm(page, 21);
}

async function comeBackUnreported(page) {
  await confirmAmount(page);
  await page.reload({ waitUntil: 'networkidle' });
}

async function openPack(page) {
  await press(page, fillMessage, 'form button[type=submit]');
}

async function payPack(page) {
  await openPack(page);
  await page.locator(`${dialog} button`).first().click();
  await page.locator(`${dialog} svg[role=img]`).waitFor();
}

async function confirmPack(page) {
  await payPack(page);
  await confirm(page, 23);
}

async function openPlan(page) {
  await page.locator('main li section button').last().click();
}

async function payPlan(page) {
  await openPlan(page);
  await page.locator(`${dialog} input[type=tel]`).fill('9876543210');
  await page.locator(`${dialog} svg[role=img]`).waitFor();
}

async function confirmPlan(page) {
  await payPlan(page);
  await page.clock.runFor(31_000);
  await page.locator(`${dialog} .sticky button`).click();
  await page.locator(`${dialog} input[type=tel]`).waitFor({ state: 'detached' });
}

/**
 * The confirm button, and with it the question for the number, appears at the end of the countdown.
 */
async function confirm(page, seconds) {
  await page.clock.runFor(seconds * 1_000);
  await page.locator(`${dialog} .sticky button`).click();
  await page.locator(`${dialog} input[type=tel]`).waitFor();
}
