import { render } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { setLanguage } from '@/lib/i18n';
import { languageOfRemark } from '@/lib/sentence-language';
import { Sentences } from './sentences';

afterEach(() => setLanguage('en'));

const said = 'The generator is resting. 20 क्रेडिट लौटा दिए गए।';

describe('sentences of a message', () => {
  // rows: S-428
  test('English sentences of the server are marked on a Hindi screen', async () => {
    await setLanguage('hi');
    const { container } = render(<Sentences text={said} />);
    expect(container).toHaveTextContent(said);
    const marked = [...container.querySelectorAll('[lang=en]')].map(({ textContent }) => textContent);
    expect(marked).toEqual(['The generator is resting.']);
  });

  test('the English interface marks nothing', () => {
    const { container } = render(<Sentences text="No. Later?" />);
    expect(container).toHaveTextContent('No. Later?');
    expect(container.querySelector('[lang]')).toBeNull();
  });

  // rows: S-428
  test.each([
    ['The sample was not used: it is no file that you have uploaded.', 'hi', 'en'],
    ['सूची में “Light” कक्षा 10 की पुस्तक में है।', 'hi', 'hi'],
    ['The bank has it.', 'en', 'en'],
  ])('a remark about a document: "%s" in a document in %s is %s', (remark, document, language) => {
    expect(languageOfRemark(remark, document)).toBe(language);
  });
});
