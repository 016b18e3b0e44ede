const timeZone = 'Asia/Kolkata';
/** The offset of Indian time, which is the same on every day of the year. */
const indianOffsetMs = 330 * 60_000;

/**
 * Returns `Saturday, 21 November`, in Indian time. The names are in order
 * and separated by spaces. The names of the browser take a slow phone 100
 * ms, which the first screen after a sign-in need not wait for.
 */
export function formatDay(moment: Date, weekdays: string, months: string): string {
  const day = toIndianTime(moment);
  const [weekday, month] = [weekdays.split(' ')[day.getUTCDay()], months.split(' ')[day.getUTCMonth()]];
  return `${weekday ?? ''}, ${String(day.getUTCDate())} ${month ?? ''}`;
}

/** Returns `21-11-2026`, in Indian time. */
export function formatDate(moment: Date): string {
  return toIndianTime(moment).toISOString().slice(0, 10).split('-').reverse().join('-');
}

/** Returns `Saturday, 21-11-2026` for the value of a date field, which is a day without a time. */
export function formatDateWithWeekday(day: string, language = 'en'): string {
  const moment = new Date(`${day}T12:00:00+05:30`);
  if (Number.isNaN(moment.getTime())) return '';
  const weekday = new Intl.DateTimeFormat(`${language}-IN`, { weekday: 'long', timeZone });
  return `${weekday.format(moment)}, ${formatDate(moment)}`;
}

/** Returns `21-11-2026, 14:05`, in Indian time. */
export function formatTime(moment: Date): string {
  return `${formatDate(moment)}, ${toIndianTime(moment).toISOString().slice(11, 16)}`;
}

/**
 * The same for running text, in which it must not break.
 * In an Indian language browsers break lines at hyphens.
 */
export function formatTimeInText(moment: Date): string {
  return withNonBreakingDates(formatTime(moment));
}

/**
 * Keeps the dates in a text from breaking. A number
 * that may be copied from it stays as it was typed.
 */
export function withNonBreakingDates(words: string): string {
  return words.replaceAll(/\b(\d\d)-(\d\d)-(?=\d{4}\b)/g, '$1-\u2060$2-\u2060');
}

/** Returns the moment whose UTC time is the Indian time. */
function toIndianTime(moment: Date): Date {
  return new Date(moment.getTime() + indianOffsetMs);
}
