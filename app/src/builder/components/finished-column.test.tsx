import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import FinishedColumn from './finished-column';

const document = {
  file: { content: 'e30=', encoding: 'base64' as const, type: 'application/rtf' },
  text: 'LESSON PLAN: Electricity',
  filename: 'plan.rtf',
  content: null,
  warnings: ['The sample was not used: it is no file that you have uploaded.', 'अध्याय सूची में नहीं है।'],
  language: 'hi',
};

// rows: S-196
test('a document whose code fails to load is shown as its text', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  function Broken(): never {
    throw new Error('a part of it is missing');
  }
  render(
    <FinishedColumn title="Your plan" document={document} mail={{ kind: 'none' }}>
      <Broken />
    </FinishedColumn>,
  );
  expect(screen.getByRole('region', { name: 'Your plan' })).toHaveTextContent('LESSON PLAN: Electricity');
  expect(screen.getByRole('button', { name: 'Download again' })).toBeInTheDocument();
});

// rows: S-428
test('remarks about a document are read out in its language', () => {
  render(<FinishedColumn title="Your plan" document={document} mail={{ kind: 'none' }} asText="Plan" />);
  const [english = '', hindi = ''] = document.warnings;
  expect(screen.getByText(english)).toHaveAttribute('lang', 'en');
  expect(screen.getByText(hindi)).toHaveAttribute('lang', 'hi');
});

// rows: S-196
test('a remark that file and content share is shown once', () => {
  const content = { label: 'A label', warnings: ['It takes 202\u00a0minutes.', 'A\u00a0label'] };
  const both = { ...document, content, warnings: ['It takes 202 minutes.', 'A label'] };
  render(<FinishedColumn title="Your plan" document={both} mail={{ kind: 'none' }} asText="Plan" />);
  expect(screen.getAllByText(/It takes 202/)).toHaveLength(1);
  expect(screen.queryByText(/label$/)).toBeNull();
});

// rows: S-428
test('remarks in another language have an introduction in the language of the reader', () => {
  const introduced = (warnings: string[]) => {
    const { unmount } = render(
      <FinishedColumn title="Your plan" document={{ ...document, warnings }} mail={{ kind: 'none' }} />,
    );
    const found = screen.queryByText('Please note about this document:');
    unmount();
    return found !== null;
  };
  const [english = '', hindi = ''] = document.warnings;
  expect(introduced([english, hindi])).toBe(true);
  expect(introduced([english])).toBe(false);
  expect(introduced([])).toBe(false);
});
