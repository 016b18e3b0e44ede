/** A user as the panel shows it. */
export interface AdminUser {
  id: string;
  email: string;
  phone: string;
  coins: number;
  roles: readonly string[];
  /** As the user reported it, in Indian time. */
  lastPayment: Date | null;
  joined: Date;
}

export interface Stats {
  users: number;
  credits: number;
  /** Rounded to a whole credit, and 0 without users (SPECIFICATION.md S-324). */
  average: number;
}

export function statsOf(users: readonly AdminUser[]): Stats {
  const credits = users.reduce((sum, user) => sum + user.coins, 0);
  return { users: users.length, credits, average: users.length ? Math.round(credits / users.length) : 0 };
}

/** The moment of a reported payment: its day and its time of day in India. */
export function momentOfPayment(
  day: string | null | undefined,
  time: string | null | undefined,
): Date | null {
  if (!day) return null;
  const moment = new Date(`${day}T${(time ?? '00:00:00').slice(0, 8)}+05:30`);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

export type SortColumn = 'lastPayment' | 'joined';

export interface View {
  search: string;
  sort: SortColumn;
  ascending: boolean;
  /** Counted from 1. */
  page: number;
}

const usersPerPage = 20;

export interface ViewOfUsers {
  users: readonly AdminUser[];
  found: number;
  /** The page that is shown. A search may leave fewer pages than the requested one. */
  page: number;
  pages: number;
}

/** Returns one page of the users, filtered by address or phone and sorted (S-326, S-327). */
export function viewOf(users: readonly AdminUser[], view: View): ViewOfUsers {
  const wanted = view.search.trim().toLowerCase();
  const found = users.filter(
    ({ email, phone }) => email.toLowerCase().includes(wanted) || phone.includes(wanted),
  );
  const sorted = [...found].sort((one, other) => compare(one[view.sort], other[view.sort], view.ascending));
  const pages = Math.max(1, Math.ceil(sorted.length / usersPerPage));
  const page = Math.min(Math.max(1, view.page), pages);
  const first = (page - 1) * usersPerPage;
  return { users: sorted.slice(first, first + usersPerPage), found: found.length, page, pages };
}

/** Empty dates are last in both directions. */
function compare(one: Date | null, other: Date | null, ascending: boolean): number {
  if (!one || !other) return Number(one === null) - Number(other === null);
  const difference = one.getTime() - other.getTime();
  return ascending ? difference : -difference;
}

/** Returns the typed credits if they are a whole number above 0, else null (S-328). */
export function creditsOf(text: string): number | null {
  if (!/^\d{1,6}$/.test(text.trim())) return null;
  const credits = Number(text);
  return credits > 0 && credits <= maximumCredits ? credits : null;
}

/** The limit of the database (SPECIFICATION.md D13). */
const maximumCredits = 100_000;

export const assignableRoles = ['admin', 'moderator', 'user'] as const;
