import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { drawnQr, qrOf } from '@/test/qr';
import { QrCode } from './qr-code';

// rows: S-321
test('a QR code is dark on white with its quiet zone in both themes', async () => {
  render(<QrCode value="upi://pay?pa=a%40b" label="QR code" />);
  const code = await screen.findByRole('img', { name: 'QR code' });
  expect(code.parentElement).toHaveClass('bg-white');
  expect(code.querySelector('path')).toHaveAttribute('fill', '#111827');
  expect(code.querySelector('path')?.getAttribute('d')).toMatch(/^M4 4h1/);
});

// rows: S-165
test('a QR code holds its value, module by module', async () => {
  render(<QrCode value="upi://pay?pa=a@b&am=20" label="QR code" />);
  expect(drawnQr(await screen.findByRole('img', { name: 'QR code' }))).toEqual(
    qrOf('upi://pay?pa=a@b&am=20'),
  );
});

test('a QR code that fails to load says what to do', async () => {
  vi.doMock('uqr', () => {
    throw new TypeError('Failed to fetch');
  });
  render(<QrCode value="upi://pay" label="QR code" fallback="Pay to the number." />);
  expect(await screen.findByText('Pay to the number.')).toBeInTheDocument();
  vi.doUnmock('uqr');
});

// rows: S-071
test('a QR code out of view waits until it is near, but not in a dialog', async () => {
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
