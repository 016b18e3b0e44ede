import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import FinishedColumn from './finished-column';

const document = {
  file: { content: 'e30=', encoding: 'base64' as const, type: 'application/rtf' },
  text: 'LESSON PLAN: Electricity',
  filename: 'plan.rtf',
  content: null,
  warnings: ['sample not available to the generator', 'अध्याय सूची में नहीं है।'],
  language: 'hi',
};

test('s196_a_document_that_cannot_be_set_is_shown_as_its_text', () => {
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

test('s428_what_is_said_of_a_document_is_read_out_in_its_language', () => {
  render(<FinishedColumn title="Your plan" document={document} mail={{ kind: 'none' }} asText="Plan" />);
  const [english = '', hindi = ''] = document.warnings;
  expect(screen.getByText(english)).toHaveAttribute('lang', 'en');
  expect(screen.getByText(hindi)).toHaveAttribute('lang', 'hi');
});

test('s196_what_file_and_content_both_say_is_said_once', () => {
  const content = { label: 'A label', warnings: ['It takes 202\u00a0minutes.', 'A\u00a0label'] };
  const both = { ...document, content, warnings: ['It takes 202 minutes.', 'A label'] };
  render(<FinishedColumn title="Your plan" document={both} mail={{ kind: 'none' }} asText="Plan" />);
  expect(screen.getAllByText(/It takes 202/)).toHaveLength(1);
  expect(screen.queryByText(/label$/)).toBeNull();
});

test('s428_what_is_said_in_another_language_than_the_readers_is_introduced_in_the_readers', () => {
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
