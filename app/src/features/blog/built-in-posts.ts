import type { Category } from './categories';

/** The posts that come with the product. Each text is its own chunk (SPECIFICATION.md S-361). */
export interface BuiltInPost {
  id: '1' | '2' | '3' | '4' | '5' | '6';
  title: string;
  category: Category;
  excerpt: string;
  date: string;
  /** In minutes. */
  readTime: number;
  icon: 'clock' | 'marks' | 'file' | 'book' | 'steps' | 'people';
  load: () => Promise<{ default: string }>;
}

export const builtInPosts: readonly BuiltInPost[] = [
  {
    id: '1',
    title: 'Forty minutes, fifty children: a period that fits',
    category: 'Teaching Tips',
    excerpt:
      'Five phases, one blackboard and no projector: how to cut a period so that the last five minutes still belong to you.',
    date: '2026-11-16',
    readTime: 4,
    icon: 'clock',
    load: () => import('./posts/forty-minutes'),
  },
  {
    id: '2',
    title: 'A question paper whose marks add up, made by hand',
    category: 'Assessment',
    excerpt:
      'The order in which careful paper setters work: numbers first, questions later, instructions last, and a key with steps.',
    date: '2026-11-09',
    readTime: 4,
    icon: 'marks',
    load: () => import('./posts/marks-add-up'),
  },
  {
    id: '3',
    title: 'One file that opens everywhere: Hindi, fonts and the office computer',
    category: 'Technology',
    excerpt:
      'Why a paper typed at home turns into boxes at school, what Unicode changes, and a checklist before you go to the printer.',
    date: '2026-11-02',
    readTime: 4,
    icon: 'file',
    load: () => import('./posts/one-file'),
  },
  {
    id: '4',
    title: 'From competency to Tuesday: reading the new textbooks',
    category: 'Curriculum',
    excerpt:
      'Stages, goals and outcomes sound far away. Four questions turn a chapter of the new books into the lesson of the week.',
    date: '2026-10-26',
    readTime: 4,
    icon: 'book',
    load: () => import('./posts/competency-to-tuesday'),
  },
  {
    id: '5',
    title: 'When half the class did not get it: a week of mending',
    category: 'Student Success',
    excerpt:
      'A remedial week inside the timetable: find the one missing step, teach it in small groups, and test it on Saturday.',
    date: '2026-10-19',
    readTime: 4,
    icon: 'steps',
    load: () => import('./posts/week-of-mending'),
  },
  {
    id: '6',
    title: 'Messages that parents read to the end',
    category: 'General',
    excerpt:
      'One subject, one date with its weekday, one thing to do: how to write the notice that nobody has to telephone about.',
    date: '2026-10-12',
    readTime: 4,
    icon: 'people',
    load: () => import('./posts/messages-to-parents'),
  },
];

export function builtInPost(id: string): BuiltInPost | undefined {
  return builtInPosts.find((post) => post.id === id);
}

/** Returns the next two built-in posts. After the last and after a stored post they start again. */
export function postsAfter(id: string): readonly BuiltInPost[] {
  const next = builtInPosts.findIndex((post) => post.id === id) + 1;
  return [...builtInPosts.slice(next), ...builtInPosts].slice(0, 2);
}
