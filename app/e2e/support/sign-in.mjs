import { randomUUID } from 'node:crypto';
import { newestMail, readCode } from './inbox.mjs';

/** Signs a new teacher in by the code from the inbox, and returns the address. */
export async function signInAnew(page, inboxURL, name = 'teacher') {
  const address = `${name}-${randomUUID()}@school.example`;
  await signInAs(page, inboxURL, address);
  await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
  return address;
}

/**
 * Signs in the owner of an address by the code from the inbox, wherever the browser was sent first.
 */
export async function signInAs(page, inboxURL, address, from = '/auth') {
  const known = await newestMail(inboxURL, address);
  await page.goto(from);
  await page.getByRole('button', { name: 'Continue with Email OTP' }).click();
  await page.getByLabel('Email address').fill(address);
  await askForCode(page);
  await page.getByLabel('6-digit code').fill(await readCode(inboxURL, address, known));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.waitForURL('**/home');
}

/**
 * Sends the form until a code is mailed. Another test may
 * have asked for the same address in the last 30 seconds.
 */
async function askForCode(page) {
  const send = page.getByRole('button', { name: 'Send OTP' });
  const sent = page.getByText('Check your email for the 6-digit verification code');
  for (let refusals = 0; refusals < 4; refusals += 1) {
    await send.click();
    const mailed = await sent.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
    if (mailed) return;
  }
  throw new Error('no code is mailed');
}
