/**
 * Opens every dialog on a phone in the light theme and on a desktop in the dark theme. Each has no
 * axe violations and fits the window. Nothing is stubbed.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, assertNoSidewaysScroll } from './support/accessibility.mjs';
import { looks, useBrowser } from './support/browser.mjs';
import { adminDialogs, openDialog, teacherDialogs, visitorDialogs } from './support/dialogs.mjs';
import { baseURL, inboxURL, secretKey } from './support/env.mjs';
import { signInAnew, signInAs } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);
/** PRODUCT_BLOG_ADMIN of the build under test (supabase/.env). */
const blogAdmin = process.env.PRODUCT_BLOG_ADMIN ?? 'admin@shikshak-saathi.example';

describe('the dialogs', { timeout: 300_000 }, () => {
  const openPage = useBrowser(baseURL);
  let adminState;

  /**
   * A page of the administrator, who signs in once, because an address gets one code in 30 seconds.
   */
  async function openAdminPage(at) {
    const admin = await openPage({ ...at, storageState: adminState });
    if (adminState) {
      await admin.page.goto('/home');
    } else {
      await signInAs(admin.page, inboxURL, blogAdmin);
      adminState = await admin.page.context().storageState();
    }
    return admin;
  }

  async function look(page, dialogs) {
    for (const dialog of dialogs) {
      await openDialog(page, dialog);
      await assertAccessible(page, dialog.name);
      await assertNoSidewaysScroll(page, dialog.name);
      const box = await page.locator('[role=dialog]').boundingBox();
      const window = page.viewportSize();
      assert.ok(
        box.x >= 0 && box.y >= 0 && box.x + box.width <= window.width && box.y + box.height <= window.height,
        `${dialog.name} stands inside the window`,
      );
    }
  }

  // Each width and each theme is used once, because a dialog differs in nothing else.
  for (const at of looks.filter(({ name }) => ['360-light', '1280-dark'].includes(name))) {
    // rows: S-424 S-428
    test(`dialogs are accessible and fit the window at ${at.name}`, async () => {
      const { page, problems, close } = await openPage(at);
      await look(page, visitorDialogs);
      const { id } = await stack.userOf(await signInAnew(page, inboxURL));
      await stack.setCoins(id, 0);
      await look(page, teacherDialogs);
      await close();

      const admin = await openAdminPage(at);
      const user = await stack.userOf(blogAdmin);
      await stack.makeAdmin(user.id);
      await stack.reportPayment(user.id);
      await look(admin.page, adminDialogs);
      await admin.close();
      assert.deepEqual([...problems, ...admin.problems], []);
    });
  }
});
