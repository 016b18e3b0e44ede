import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { toast } from '@/lib/toast';
import { Toaster } from './toaster';

test('s421_one_toast_at_a_time_for_five_seconds_polite_or_assertive_and_dismissible', () => {
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
