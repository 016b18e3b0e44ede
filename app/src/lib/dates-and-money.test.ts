import { expect, test } from 'vitest';
import en from '@/locales/en/account.json';
import gu from '@/locales/gu/account.json';
import hi from '@/locales/hi/account.json';
import mr from '@/locales/mr/account.json';
import { formatDay, formatTime, withNonBreakingDates } from './dates';
import { formatNumber, formatRupees } from './money';
import { whatsappLink } from './whatsapp';

test.each([en, hi, mr, gu].map((texts, at) => [['en', 'hi', 'mr', 'gu'][at] ?? '', texts] as const))(
  'days and months have the names of their language: %s',
  (language, texts) => {
    const words = new Intl.DateTimeFormat(`${language}-IN`, {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      numberingSystem: 'latn',
      timeZone: 'Asia/Kolkata',
    });
    for (let day = 0; day < 366; day += 1) {
      const moment = new Date(Date.UTC(2028, 0, 1 + day, 20));
      const parts = Object.fromEntries(words.formatToParts(moment).map(({ type, value }) => [type, value]));
      expect(formatDay(moment, texts['home.weekdays'], texts['home.months'])).toBe(
        `${parts.weekday ?? ''}, ${parts.day ?? ''} ${parts.month ?? ''}`,
      );
    }
  },
);

test('a day and a time are those of India', () => {
  expect(formatTime(new Date('2026-11-20T18:29:59Z'))).toBe('20-11-2026, 23:59');
  expect(formatTime(new Date('2026-12-31T18:30:00Z'))).toBe('01-01-2027, 00:00');
});

test('a date does not break, and a copied number stays as it was typed', () => {
  expect(withNonBreakingDates('On 22-11-2026, UPI 4321-8765-01, call 020-24-2026123.')).toBe(
    'On 22-\u206011-\u20602026, UPI 4321-8765-01, call 020-24-2026123.',
  );
});

test('money and numbers are grouped in lakhs', () => {
  expect(formatRupees(125000)).toBe('₹1,25,000');
  expect(formatRupees(20)).toBe('₹20');
  expect(formatNumber(1234567)).toBe('12,34,567');
  const numbers = new Intl.NumberFormat('en-IN');
  for (let value = 1; value < 1e15; value = value * 3 + 7)
    expect(formatNumber(value)).toBe(numbers.format(value));
  expect(formatNumber(0)).toBe('0');
  expect(formatNumber(-1234)).toBe('-1,234');
});

// rows: S-065
test('the WhatsApp link encodes its greeting', () => {
  expect(whatsappLink('919876543210', 'Namaste! A & B?')).toBe(
    'https://wa.me/919876543210?text=Namaste!%20A%20%26%20B%3F',
  );
});
