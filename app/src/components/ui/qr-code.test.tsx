import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { QrCode } from './qr-code';

test('s321_a_code_is_dark_on_white_with_its_quiet_zone_in_both_themes', async () => {
  render(<QrCode value="upi://pay?pa=a%40b" label="QR code" />);
  const code = await screen.findByRole('img', { name: 'QR code' });
  expect(code.parentElement).toHaveClass('bg-white');
  expect(code.querySelector('path')).toHaveAttribute('fill', '#111827');
  expect(code.querySelector('path')?.getAttribute('d')).toMatch(/^M4 4h1/);
});

test('a_code_that_does_not_arrive_says_what_to_do_instead', async () => {
  vi.doMock('uqr', () => {
    throw new TypeError('Failed to fetch');
  });
  render(<QrCode value="upi://pay" label="QR code" instead="Pay to the number." />);
  expect(await screen.findByText('Pay to the number.')).toBeInTheDocument();
  vi.doUnmock('uqr');
});
