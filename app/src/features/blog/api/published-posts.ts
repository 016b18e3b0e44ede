import { useQuery } from '@tanstack/react-query';
import type { Tables } from '@/types/database.gen';
import { blogKeys } from './keys';

export type StoredPost = Tables<'blogs'>;

/** The published posts, newest first. Throws what the API says. */
async function fetchPublishedPosts(): Promise<StoredPost[]> {
  // The client comes after the page: the built-in posts do not wait for it.
  const { supabase } = await import('@/lib/supabase');
  const { data, error } = await supabase
    .from('blogs')
    .select('*')
    .eq('published', true)
    .order('created_at', { ascending: false });
  if (error) throw new Error(error.message);
  return data;
}

/**
 * The stored posts; none while they load or when they cannot be read, which is only logged (SPECIFICATION.md
 * S-112).
 */
export function usePublishedPosts(): readonly StoredPost[] {
  const { data } = useQuery({ queryKey: blogKeys.list, queryFn: withErrorLogging(fetchPublishedPosts) });
  return data ?? [];
}

/** Lets a failure pass on, and writes it to the console on its way. */
export function withErrorLogging<Result>(read: () => Promise<Result>): () => Promise<Result> {
  return async () => {
    try {
      return await read();
    } catch (error) {
      console.error('posts could not be read', error);
      throw error;
    }
  };
}
