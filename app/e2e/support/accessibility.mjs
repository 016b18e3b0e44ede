import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs axe on the current screen and fails with its findings (WCAG 2.2 A and AA). */
export async function assertAccessible(page, screen) {
  // The debugger evaluates it, so that the content security policy of the page stays as it is.
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const results = await window.axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
    );
  });
  assert.deepEqual(violations, [], `axe on ${screen}`);
}

/** Nothing is wider than the window (SPECIFICATION.md S-424). */
export async function assertNoSidewaysScroll(page, screen) {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(excess <= 0, `${screen} is ${excess} px too wide`);
}
