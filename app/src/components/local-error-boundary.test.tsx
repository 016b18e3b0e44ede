import { render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { LocalErrorBoundary } from './local-error-boundary';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

function Broken(): never {
  throw new Error('the chalk broke');
}

// rows: S-423
test('a failed part is shown once there is another', () => {
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

// rows: S-423
test('the same failed part is not rendered again and again', () => {
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
