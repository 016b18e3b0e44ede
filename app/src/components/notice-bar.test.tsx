import { act, render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { NoticeBar } from './notice-bar';

test('toasts begin below the notice, even when it wraps later', () => {
  let look: () => void = () => undefined;
  vi.stubGlobal(
    'ResizeObserver',
    class extends ResizeObserver {
      constructor(callback: ResizeObserverCallback) {
        super(callback);
        look = () => {
          callback([], this);
        };
      }
    },
  );
  const height = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(28);
  const { rerender } = render(<NoticeBar>No network</NoticeBar>);
  const place = () => document.documentElement.style.getPropertyValue('--notice-height');
  act(look);
  expect(place()).toBe('28px');
  height.mockReturnValue(49);
  act(look);
  expect(place()).toBe('49px');
  rerender(<NoticeBar>{null}</NoticeBar>);
  expect(place()).toBe('');
});
