import { describe, expect, test } from 'vitest';

const sources = new Map(
  Object.entries(
    import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
  ).map(([path, text]) => [pathFromSource('app/texts.test.ts', path), text]),
);
const english = import.meta.glob<Record<string, string>>('../locales/en/*.json', {
  import: 'default',
  eager: true,
});
const areaOf = new Map(
  Object.entries(english).flatMap(([path, texts]) =>
    Object.keys(texts).map((key) => [key, path.slice('../locales/en/'.length, -'.json'.length)] as const),
  ),
);

/** `../lib/x` of a file in app/ is `lib/x`, and so is `@/lib/x` of any file. */
function pathFromSource(importer: string, specifier: string): string {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  return new URL(specifier, `file:///${importer}`).pathname.slice(1);
}

/** A file and everything that it imports, statically or dynamically. */
function reach(file: string, seen = new Set<string>()): Set<string> {
  seen.add(file);
  for (const [, specifier = ''] of textOf(file).matchAll(/(?:from|import\()\s*'([@.][^']+)'/g)) {
    const path = pathFromSource(file, specifier);
    const imported = ['', '.ts', '.tsx', '/index.ts']
      .map((ending) => path + ending)
      .find((name) => sources.has(name));
    if (imported && !seen.has(imported) && !imported.startsWith('lib/i18n/')) reach(imported, seen);
  }
  return seen;
}

function textOf(file: string): string {
  return sources.get(file) ?? '';
}

/** The areas of all texts that are named in those files. */
function areasIn(files: Iterable<string>): Set<string> {
  const areas = new Set<string>();
  for (const file of files) {
    for (const [, key = ''] of textOf(file).matchAll(/['`]([\w]+\.[\w &]+)['`]/g)) {
      const area = areaOf.get(key) ?? areaOf.get(`${key}.other`);
      if (area) areas.add(area);
    }
  }
  return areas;
}

const app = textOf('app/app.tsx').replace(/\s+/g, ' ');
const routes = [
  ...app.matchAll(/(?:screenWithTexts\( ?(\[[^\]]*\]),|lazy\() ?\(\) => import\('\.\/(routes\/[\w-]+)'\)/g),
].map(([, areas = '', path = '']) => ({
  path,
  areas: [...areas.matchAll(/'(\w+)'/g)].map(([, area = '']) => area),
}));

describe('the texts that a screen loads', () => {
  test('every screen is checked', () => {
    expect(routes.length).toBeGreaterThan(20);
  });

  test.each(routes)('$path loads exactly the texts that it uses', ({ path, areas }) => {
    const used = areasIn(reach(`app/${path}.tsx`));
    used.delete('core');
    expect([...areas].sort()).toEqual([...used].sort());
  });
});
