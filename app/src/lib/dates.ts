const timeZone = 'Asia/Kolkata';
const day = new Intl.DateTimeFormat('en-IN', { weekday: 'long', day: 'numeric', month: 'long', timeZone });

/** `Saturday, 21 November`, in Indian time. */
export function formatDay(date: Date): string {
  const parts = Object.fromEntries(day.formatToParts(date).map((part) => [part.type, part.value]));
  return `${parts.weekday ?? ''}, ${parts.day ?? ''} ${parts.month ?? ''}`;
}
