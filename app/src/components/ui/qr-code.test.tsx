import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { drawnQr, qrOf } from '@/test/qr';
import { QrCode } from './qr-code';

test('s321_a_code_is_dark_on_white_with_its_quiet_zone_in_both_themes', async () => {
  render(<QrCode value="upi://pay?pa=a%40b" label="QR code" />);
  const code = await screen.findByRole('img', { name: 'QR code' });
  expect(code.parentElement).toHaveClass('bg-white');
  expect(code.querySelector('path')).toHaveAttribute('fill', '#111827');
  expect(code.querySelector('path')?.getAttribute('d')).toMatch(/^M4 4h1/);
});

test('s165_a_code_holds_its_value_module_by_module', async () => {
  render(<QrCode value="upi://pay?pa=a@b&am=20" label="QR code" />);
  expect(drawnQr(await screen.findByRole('img', { name: 'QR code' }))).toEqual(
    qrOf('upi://pay?pa=a@b&am=20'),
  );
});

test('a_code_that_does_not_arrive_says_what_to_do_instead', async () => {
  vi.doMock('uqr', () => {
    throw new TypeError('Failed to fetch');
  });
  render(<QrCode value="upi://pay" label="QR code" fallback="Pay to the number." />);
  expect(await screen.findByText('Pay to the number.')).toBeInTheDocument();
  vi.doUnmock('uqr');
});

test('s071_a_code_far_from_view_waits_until_it_is_near_and_one_in_a_dialog_does_not', async () => {
  let look: (seen: { isIntersecting: boolean }[]) => void = () => undefined;
  class Observer {
    constructor(callback: typeof look) {
      look = callback;
    }
    observe = vi.fn();
    disconnect = vi.fn();
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  render(<QrCode value="https://far.example" label="Far" />);
  render(
    <div role="dialog">
      <QrCode value="upi://pay" label="Near" />
    </div>,
  );
  expect(await screen.findByRole('img', { name: 'Near' })).toBeInTheDocument();
  expect(screen.queryByRole('img', { name: 'Far' })).toBeNull();
  act(() => {
    look([{ isIntersecting: false }, { isIntersecting: true }]);
  });
  expect(await screen.findByRole('img', { name: 'Far' })).toBeInTheDocument();
});
