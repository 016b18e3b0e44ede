import { expect, test } from 'vitest';
import { formatDay } from './dates';
import { formatNumber, formatRupees } from './money';
import { whatsappLink } from './whatsapp';

test('a_day_is_the_indian_day', () => {
  expect(formatDay(new Date('2026-11-20T20:00:00Z'))).toBe('Saturday, 21 November');
});

test('money_and_numbers_are_grouped_in_lakhs', () => {
  expect(formatRupees(125000)).toBe('₹1,25,000');
  expect(formatRupees(20)).toBe('₹20');
  expect(formatNumber(1234567)).toBe('12,34,567');
});

test('s065_the_whatsapp_link_encodes_its_greeting', () => {
  expect(whatsappLink('919876543210', 'Namaste! A & B?')).toBe(
    'https://wa.me/919876543210?text=Namaste!%20A%20%26%20B%3F',
  );
});
