import { useQuery } from '@tanstack/react-query';
import type { Tables } from '@/types/database.gen';
import { blogKeys } from './keys';

export type StoredPost = Tables<'blogs'>;

/** Reads the published posts, newest first. Throws the message of the API. */
async function fetchPublishedPosts(): Promise<StoredPost[]> {
  // The client loads after the page, so that the built-in posts do not wait for it.
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
 * Returns the stored posts. There are none while they load or if reading fails, which is only
 * logged (SPECIFICATION.md S-112).
 */
export function usePublishedPosts(): readonly StoredPost[] {
  const { data } = useQuery({ queryKey: blogKeys.list, queryFn: withErrorLogging(fetchPublishedPosts) });
  return data ?? [];
}

/** Writes a failure to the console and passes it on. */
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
