import { describe, expect, test } from 'vitest';

type Catalogue = Record<string, string>;

const files = import.meta.glob<Catalogue>('./*/*.json', { import: 'default', eager: true });
const translated = ['hi', 'mr', 'gu'];
const areas = Object.keys(files)
  .filter((path) => path.startsWith('./en/'))
  .map((path) => path.slice('./en/'.length, -'.json'.length));

/** What a text leaves room for, without the server's English message: other languages may say it in their own words. */
function placeholders(text: string): string[] {
  const names = [...text.matchAll(/\{\w+\}/g)].map(([name]) => name);
  return names.filter((name) => name !== '{message}').sort();
}

function textsOf(language: string, area: string): Catalogue {
  return files[`./${language}/${area}.json`] ?? {};
}

test('a_key_belongs_to_one_area', () => {
  const keys = areas.flatMap((area) => Object.keys(textsOf('en', area)));
  expect(keys.length).toBe(new Set(keys).size);
});

describe.each(translated)('%s', (language) => {
  test.each(areas)('s320_%s_is_complete', (area) => {
    const english = textsOf('en', area);
    const texts = textsOf(language, area);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) {
      expect(placeholders(texts[key] ?? ''), key).toEqual(placeholders(text));
      expect(texts[key]?.trim(), key).not.toBe('');
    }
  });
});
