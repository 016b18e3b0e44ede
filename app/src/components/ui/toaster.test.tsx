import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { toast } from '@/lib/toast';
import { Toaster } from './toaster';

// rows: S-421
test('one toast shows for five seconds, polite or assertive and dismissible', () => {
  vi.useFakeTimers();
  render(<Toaster />);
  const [status, alert] = [screen.getByRole('status'), screen.getByRole('alert')];
  act(() => {
    toast.success({ title: 'First' });
  });
  expect(status).toHaveTextContent('First');
  act(() => {
    toast.error({ title: 'Second' });
  });
  expect(status).toBeEmptyDOMElement();
  expect(alert).toHaveTextContent('Second');
  act(() => {
    vi.advanceTimersByTime(4_900);
  });
  expect(alert).toHaveTextContent('Second');
  act(() => {
    vi.advanceTimersByTime(200);
  });
  expect(alert).toBeEmptyDOMElement();
  act(() => {
    toast.plain({ title: 'Third' });
  });
  act(() => {
    screen.getByRole('button', { name: 'Dismiss' }).click();
  });
  expect(status).toBeEmptyDOMElement();
});

// rows: S-421
test('a toast that takes longer to read stays longer', () => {
  vi.useFakeTimers();
  render(<Toaster />);
  act(() => {
    toast.error({ title: 'Generation Failed', description: 'Please leave that out. '.repeat(12) });
  });
  act(() => {
    vi.advanceTimersByTime(19_000);
  });
  expect(screen.getByRole('alert')).toHaveTextContent('Please leave that out.');
  act(() => {
    vi.advanceTimersByTime(3_000);
  });
  expect(screen.getByRole('alert')).toBeEmptyDOMElement();
});
