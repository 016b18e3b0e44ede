import { useQuery } from '@tanstack/react-query';
import type { Option } from '@/lib/curriculum';
import type { Books } from './catalogue';

/** Subjects that are taught from books of another name. */
const taughtFrom: Readonly<Record<string, string>> = {
  Maths: 'Mathematics',
  Physics: 'Science',
  Chemistry: 'Science',
  Biology: 'Science',
};

/**
 * Returns the chapters of a class and a subject. The label of a chapter has the other titles by
 * which it is found.
 */
export function chaptersOf(books: Books, grade: string, subject: string): Option[] {
  const number = Number(/\d+/.exec(grade)?.[0]);
  const wanted = taughtFrom[subject] ?? subject;
  const chapters = books
    .filter((book) => book.class === number && book.subject === wanted)
    .flatMap((book) => book.chapters);
  const titles = new Map(
    chapters.map(({ title, hindi, also }) => [title, [hindi, ...also].filter(Boolean).join(' · ') || title]),
  );
  return Array.from(titles, ([value, label]) => ({ value, label }));
}

/** Returns the chapters to choose from. The catalogue loads once class and subject are chosen. */
export function useChapters(grade: string, subject: string): readonly Option[] {
  const { data } = useQuery({
    queryKey: ['catalogue'],
    queryFn: async () => (await import('./catalogue')).books,
    enabled: grade !== '' && subject !== '',
    staleTime: Infinity,
  });
  return data ? chaptersOf(data, grade, subject) : [];
}
