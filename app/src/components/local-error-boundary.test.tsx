import { render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { LocalErrorBoundary } from './local-error-boundary';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

function Broken(): never {
  throw new Error('the chalk broke');
}

test('s423_a_part_that_failed_is_shown_once_there_is_another', () => {
  const onError = vi.fn();
  const at = (part: React.ReactNode) => (
    <LocalErrorBoundary fallback="its words" onError={onError}>
      {part}
    </LocalErrorBoundary>
  );
  const { rerender } = render(at(<Broken />));
  expect(screen.getByText('its words')).toBeInTheDocument();
  rerender(at(<p>the next document</p>));
  expect(screen.getByText('the next document')).toBeInTheDocument();
  rerender(at(<Broken />));
  expect(screen.getByText('its words')).toBeInTheDocument();
});

test('s423_the_same_part_is_not_tried_for_ever', () => {
  const onError = vi.fn();
  const part = <Broken />;
  const at = (fallback: string) => (
    <LocalErrorBoundary fallback={fallback} onError={onError}>
      {part}
    </LocalErrorBoundary>
  );
  const { rerender } = render(at('its words'));
  rerender(at('its other words'));
  expect(screen.getByText('its other words')).toBeInTheDocument();
  expect(onError).toHaveBeenCalledTimes(1);
});
