import { expect, test } from 'vitest';
import { formatDay, withWholeDates } from './dates';
import { formatNumber, formatRupees } from './money';
import { whatsappLink } from './whatsapp';

test('a_day_is_the_indian_day', () => {
  expect(formatDay(new Date('2026-11-20T20:00:00Z'))).toBe('Saturday, 21 November');
});

test('a_date_stays_whole_and_what_is_copied_stays_as_it_was_typed', () => {
  expect(withWholeDates('On 22-11-2026, UPI 4321-8765-01, call 020-24-2026123.')).toBe(
    'On 22-\u206011-\u20602026, UPI 4321-8765-01, call 020-24-2026123.',
  );
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
