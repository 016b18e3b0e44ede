import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { TextDocument } from './text-document';

function lines(text: string): string[] {
  const file = { content: text, encoding: 'text' as const, type: 'text/plain' };
  const document = { file, text, filename: 'message.txt', content: null, warnings: [] };
  render(<TextDocument label="Message" document={document} />);
  return [...screen.getByRole('region', { name: 'Message' }).children].map(({ textContent }) => textContent);
}

test('a_blank_goes_to_the_next_line_together_with_its_label', () => {
  expect(lines('Name: ________ Roll No.: ____ Date: ____\nA line without one')).toEqual([
    'Name:\u00a0________ Roll\u00a0No.:\u00a0____ Date:\u00a0____',
    'A line without one',
  ]);
});
