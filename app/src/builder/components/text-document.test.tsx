import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { TextDocument } from './text-document';

function lines(text: string, headings?: string[]): string[] {
  const file = { content: text, encoding: 'text' as const, type: 'text/plain' };
  const document = {
    file,
    text,
    ...(headings && { headings }),
    filename: 'message.txt',
    content: null,
    warnings: [],
  };
  render(<TextDocument label="Message" document={document} />);
  return [...screen.getByRole('region', { name: 'Message' }).children].map(({ textContent }) => textContent);
}

test('a blank wraps together with its label and is never broken', () => {
  const slip = 'Signature of the parent/guardian: ________ Date: ____';
  expect(lines(`${slip}\nA line without one`)).toEqual([slip, 'A line without one']);
  const whole = ['the parent/guardian: ________', 'Date: ____'].map((part) => screen.getByText(part));
  expect(whole.map(({ tagName }) => tagName)).toEqual(['SPAN', 'SPAN']);
});

test('headings are headings anywhere, and cells stand side by side', () => {
  lines(
    'Teaching Aids: Light\n\nWorksheet\nBoard: CBSE\tClass: 10\n1. Why?\n\n\nFOR THE TEACHER\nWorksheet\n1. So.',
    ['Teaching Aids: Light', 'Worksheet'],
  );
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Teaching Aids: Light',
    'Worksheet',
    'FOR THE TEACHER',
    'Worksheet',
  ]);
  const [board, className] = [screen.getByText('Board: CBSE'), screen.getByText('Class: 10')];
  expect(board.parentElement).toBe(className.parentElement);
});

// rows: S-428
test('a document is read out in its own language', () => {
  const file = { content: '', encoding: 'text' as const, type: 'text/plain' };
  const document = { file, text: 'नमस्ते', filename: 'm.txt', content: null, warnings: [], language: 'hi' };
  render(<TextDocument label="Message" document={document} />);
  expect(screen.getByRole('region', { name: 'Message' })).toHaveAttribute('lang', 'hi');
});
