/** What a post can be filed under (screens.md S-116). */
export const categories = [
  'General',
  'Teaching Tips',
  'Technology',
  'Assessment',
  'Curriculum',
  'Student Success',
] as const;

export type Category = (typeof categories)[number];

/** The row of chips above the list, in its own order; they do not filter (screens.md S-108). */
export const chips = [
  'All',
  'Teaching Tips',
  'Technology',
  'Assessment',
  'Curriculum',
  'Student Success',
  'General',
] as const satisfies readonly ('All' | Category)[];
