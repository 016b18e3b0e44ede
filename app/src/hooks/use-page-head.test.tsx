import { expect, test } from 'vitest';
import { headTags } from './use-page-head';

const faqs = { title: 'FAQs', visibility: 'public', description: 'Ten answers.', path: '/faqs' } as const;

function valueOf(name: string, origin: string): string | undefined {
  return headTags(faqs, origin).find((tag) => tag.name === name)?.value;
}

test('a_public_page_names_its_address_its_title_and_its_description', () => {
  const origin = 'https://saathi.example';
  expect(valueOf('canonical', origin)).toBe('https://saathi.example/faqs');
  expect(valueOf('og:url', origin)).toBe('https://saathi.example/faqs');
  expect(valueOf('og:title', origin)).toBe('FAQs');
  expect(valueOf('description', origin)).toBe('Ten answers.');
  expect(valueOf('robots', origin)).toBe('index,follow');
});

test('without_an_origin_no_address_is_named', () => {
  expect(valueOf('canonical', '')).toBeUndefined();
  expect(valueOf('og:url', '')).toBeUndefined();
});

test('a_private_page_says_only_that_it_is_not_to_be_listed', () => {
  expect(headTags({ ...faqs, visibility: 'private' }, 'https://saathi.example')).toEqual([
    { tag: 'meta', key: 'name', name: 'robots', value: 'noindex,nofollow' },
  ]);
});
