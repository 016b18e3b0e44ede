import { describe, expect, test } from 'vitest';

type Catalogue = Record<string, string>;

const written = import.meta.glob<string>('./*/*.json', { import: 'default', eager: true, query: '?raw' });
const files = import.meta.glob<Catalogue>('./*/*.json', { import: 'default', eager: true });
const translated = ['hi', 'mr', 'gu'];
const areas = Object.keys(files)
  .filter((path) => path.startsWith('./en/'))
  .map((path) => path.slice('./en/'.length, -'.json'.length));

/**
 * The placeholders of a text, without the server's
 * English message, which other languages may leave out.
 */
function placeholders(text: string): string[] {
  const names = [...text.matchAll(/\{\w+\}/g)].map(([name]) => name);
  return names.filter((name) => name !== '{message}').sort();
}

function textsOf(language: string, area: string): Catalogue {
  return files[`./${language}/${area}.json`] ?? {};
}

test('a key belongs to one area', () => {
  const keys = areas.flatMap((area) => Object.keys(textsOf('en', area)));
  expect(keys.length).toBe(new Set(keys).size);
});

test('a number stays on a line with its noun, and files have plain spaces', () => {
  const shown = Object.values(files).flatMap((catalogue) => Object.values(catalogue));
  expect(shown.filter((text) => /\d \p{L}/u.test(text))).toEqual([]);
  expect(textsOf('en', 'landing')['landing.promiseTime']).toBe('1\u00a0to\u00a02\u00a0minutes');
  expect(Object.keys(written).filter((path) => /[\u00a0\u2060]/.test(written[path] ?? ''))).toEqual([]);
});

describe.each(translated)('%s', (language) => {
  // rows: S-320
  test.each(areas)('%s is complete', (area) => {
    const english = textsOf('en', area);
    const texts = textsOf(language, area);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) {
      expect(placeholders(texts[key] ?? ''), key).toEqual(placeholders(text));
      expect(texts[key]?.trim(), key).not.toBe('');
    }
  });
});
