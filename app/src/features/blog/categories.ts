import { type MessageKey, type t } from '@/lib/i18n';

/** The categories of a post (SPECIFICATION.md S-116). */
export const categories = [
  'General',
  'Teaching Tips',
  'Technology',
  'Assessment',
  'Curriculum',
  'Student Success',
] as const;

export type Category = (typeof categories)[number];

/** The chips above the list, in their own order. They do not filter (SPECIFICATION.md S-108). */
export const chips = [
  'All',
  'Teaching Tips',
  'Technology',
  'Assessment',
  'Curriculum',
  'Student Success',
  'General',
] as const satisfies readonly ('All' | Category)[];

const names: Readonly<Record<(typeof chips)[number], MessageKey>> = {
  All: 'blog.All',
  'Teaching Tips': 'blog.Teaching Tips',
  Technology: 'blog.Technology',
  Assessment: 'blog.Assessment',
  Curriculum: 'blog.Curriculum',
  'Student Success': 'blog.Student Success',
  General: 'blog.General',
};

/** Returns the name of a category. An unknown category is shown as it is stored. */
export function categoryIn(text: typeof t, category: string): string {
  const known = chips.find((chip) => chip === category);
  return known ? text(names[known]) : category;
}
