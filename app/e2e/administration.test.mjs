/**
 * What an administrator does in the browser (roles,
 * credits, deletion, posts), checked in the database.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { assertAccessible } from './support/accessibility.mjs';
import { desktop, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL, secretKey } from './support/env.mjs';
import { readMail } from './support/inbox.mjs';
import { signInAnew, signInAs } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);
/** PRODUCT_BLOG_ADMIN of the build under test (supabase/.env). */
const blogAdmin = process.env.PRODUCT_BLOG_ADMIN ?? 'admin@shikshak-saathi.example';

describe('an administrator', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);
  const look = { viewport: desktop, colorScheme: 'light' };

  async function becomeAdmin(address) {
    await stack.makeAdmin((await stack.userOf(address)).id);
  }

  // rows: S-325 S-328 S-329 S-332 S-334 S-335 S-392
  test('an administrator gives credits and roles, takes them away and deletes a user', async () => {
    const teacher = await openPage(look);
    const address = await signInAnew(teacher.page, inboxURL);
    const { id } = await stack.userOf(address);
    const { page, problems, close } = await openPage(look);
    await becomeAdmin(await signInAnew(page, inboxURL, 'admin'));
    await page.goto('/admin');

    await page.getByLabel('User', { exact: true }).selectOption(id);
    await page.getByLabel('Role', { exact: true }).selectOption('moderator');
    await page.getByRole('button', { name: 'Assign Role' }).click();
    await page.getByText(`Role moderator assigned to ${address}`).waitFor();
    await page.getByRole('searchbox').fill(address);
    await page.getByRole('textbox', { name: `Credits to add for ${address}` }).fill('40');
    await page.getByRole('button', { name: `Add credits for ${address}` }).click();
    await page.getByText('The user is told by mail.').waitFor();
    await page.getByRole('cell', { name: '60', exact: true }).waitFor();
    const { Text, files } = await readMail(inboxURL, address, 'Your Shikshak Saathi credits: 60');
    assert.match(Text, /You now have 60 credits\./);
    assert.deepEqual(files, []);
    await teacher.page.reload();
    await teacher.page.getByRole('link', { name: '60 credits', exact: true }).waitFor();

    await page.getByRole('button', { name: `Remove role moderator from ${address}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove role' }).click();
    await page.getByText('Role removed').waitFor();
    assert.equal(await page.getByRole('button', { name: `Remove role user from ${address}` }).count(), 0);

    await page.getByRole('button', { name: `Delete ${address}` }).click();
    await assertAccessible(page, 'deleting a user');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('User deleted').waitFor();
    await assert.rejects(stack.userOf(address));
    await teacher.page.reload();
    await teacher.page.waitForURL('**/auth');
    assert.deepEqual(problems, []);
    await teacher.close();
    await close();
  });

  // rows: S-114 S-115 S-116 S-117 S-118 S-119 S-122 S-124 S-126 S-127
  test('an administrator publishes a post and visitors read it', async () => {
    const { page, problems, close } = await openPage(look);
    await signInAs(page, inboxURL, blogAdmin);
    await becomeAdmin(blogAdmin);
    const title = `Board work that stays ${randomUUID().slice(0, 8)}`;
    await page.goto('/blogs');
    await page.getByRole('button', { name: 'Create New Blog Post' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create New Blog Post' });
    await dialog.getByRole('button', { name: 'Create Blog' }).click();
    await page.getByText('Please fill in all required fields').waitFor();
    await dialog.getByLabel('Title').fill(title);
    await dialog.getByLabel('Category').selectOption('Assessment');
    await dialog.getByLabel('Content').fill('## Draw first\n\n**Then speak.**\n<img src=x onerror=alert(1)>');
    await assertAccessible(page, 'new post');
    await dialog.getByRole('button', { name: 'Create Blog' }).click();
    await page.getByText('Blog post created successfully').waitFor();
    await dialog.waitFor({ state: 'detached' });

    const visitor = await openPage(look);
    await visitor.page.goto('/blogs');
    await visitor.page.getByRole('link', { name: title }).waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: 'Create New Blog Post' }).count(), 0);
    await visitor.page.getByRole('link', { name: title }).click();
    await visitor.page.getByRole('heading', { level: 1, name: title }).waitFor();
    await visitor.page.getByRole('heading', { level: 2, name: 'Draw first' }).waitFor();
    await visitor.page.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.deepEqual([...problems, ...visitor.problems], []);
    await visitor.close();
    await close();
  });
});
