import { act, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { toast } from '@/lib/toast';
import { PaperSheet } from './paper-sheet';

test('a document leaves space for the visible toast', () => {
  const { container } = render(
    <>
      <Toaster />
      <PaperSheet label="Paper" lang="en">
        text
      </PaperSheet>
    </>,
  );
  expect(screen.getByRole('region', { name: 'Paper' }).className).toContain('-var(--toast-room,0rem)');
  expect(container.querySelector('[data-toast]')).toBeNull();
  act(() => {
    toast.success({ title: 'Done' });
  });
  expect(container.querySelector('[data-toast]')).not.toBeNull();
});
