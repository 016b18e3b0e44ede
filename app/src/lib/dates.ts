import { once } from './once';

const timeZone = 'Asia/Kolkata';
const date = once(
  () => new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: '2-digit', year: 'numeric', timeZone }),
);
const time = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }));

/** `Saturday, 21 November`, in Indian time and in the language of the interface. */
export function formatDay(moment: Date, language = 'en'): string {
  const day = new Intl.DateTimeFormat(`${language}-IN`, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    numberingSystem: 'latn',
    timeZone,
  });
  const parts = Object.fromEntries(day.formatToParts(moment).map((part) => [part.type, part.value]));
  return `${parts.weekday ?? ''}, ${parts.day ?? ''} ${parts.month ?? ''}`;
}

/** `21-11-2026`, in Indian time. */
export function formatDate(moment: Date): string {
  return date().format(moment).replaceAll('/', '-');
}

/** `Saturday, 21-11-2026` for the value of a date field, which is a day and no moment. */
export function formatDateWithWeekday(day: string, language = 'en'): string {
  const moment = new Date(`${day}T12:00:00+05:30`);
  if (Number.isNaN(moment.getTime())) return '';
  const weekday = new Intl.DateTimeFormat(`${language}-IN`, { weekday: 'long', timeZone });
  return `${weekday.format(moment)}, ${formatDate(moment)}`;
}

/** `21-11-2026, 14:05`, in Indian time. */
export function formatTime(moment: Date): string {
  return `${formatDate(moment)}, ${time().format(moment)}`;
}

/** The same for running text, which may not tear it: in an Indian language a browser breaks lines at its hyphens. */
export function formatTimeInText(moment: Date): string {
  return withWholeDates(formatTime(moment));
}

/** Keeps the dates of somebody's words in one piece; a number that may be copied from them stays as it was typed. */
export function withWholeDates(words: string): string {
  return words.replaceAll(/\b(\d\d)-(\d\d)-(?=\d{4}\b)/g, '$1-\u2060$2-\u2060');
}
