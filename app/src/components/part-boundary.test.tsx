import { render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { PartBoundary } from './part-boundary';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

function Broken(): never {
  throw new Error('the chalk broke');
}

test('s423_a_part_that_failed_is_shown_once_there_is_another', () => {
  const onLost = vi.fn();
  const at = (part: React.ReactNode) => (
    <PartBoundary instead="its words" onLost={onLost}>
      {part}
    </PartBoundary>
  );
  const { rerender } = render(at(<Broken />));
  expect(screen.getByText('its words')).toBeInTheDocument();
  rerender(at(<p>the next document</p>));
  expect(screen.getByText('the next document')).toBeInTheDocument();
  rerender(at(<Broken />));
  expect(screen.getByText('its words')).toBeInTheDocument();
});

test('s423_the_same_part_is_not_tried_for_ever', () => {
  const onLost = vi.fn();
  const part = <Broken />;
  const at = (instead: string) => (
    <PartBoundary instead={instead} onLost={onLost}>
      {part}
    </PartBoundary>
  );
  const { rerender } = render(at('its words'));
  rerender(at('its other words'));
  expect(screen.getByText('its other words')).toBeInTheDocument();
  expect(onLost).toHaveBeenCalledTimes(1);
});
