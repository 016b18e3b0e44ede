import { expect, test } from 'vitest';
import { headTags } from './use-page-head';

const faqs = { title: 'FAQs', visibility: 'public', description: 'Ten answers.', path: '/faqs' } as const;

function valueOf(name: string, origin: string): string | undefined {
  return headTags(faqs, origin).find((tag) => tag.name === name)?.value;
}

test('a public page names its address, its title and its description', () => {
  const origin = 'https://saathi.example';
  expect(valueOf('canonical', origin)).toBe('https://saathi.example/faqs');
  expect(valueOf('og:url', origin)).toBe('https://saathi.example/faqs');
  expect(valueOf('og:title', origin)).toBe('FAQs');
  expect(valueOf('description', origin)).toBe('Ten answers.');
  expect(valueOf('robots', origin)).toBe('index,follow');
});

test('no address is named without an origin', () => {
  expect(valueOf('canonical', '')).toBeUndefined();
  expect(valueOf('og:url', '')).toBeUndefined();
});

test('a private page only says that it is not to be listed', () => {
  expect(headTags({ ...faqs, visibility: 'private' }, 'https://saathi.example')).toEqual([
    { tag: 'meta', key: 'name', name: 'robots', value: 'noindex,nofollow' },
  ]);
});
