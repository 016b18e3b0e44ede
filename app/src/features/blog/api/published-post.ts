import { useQuery } from '@tanstack/react-query';
import { blogKeys } from './keys';
import { withErrorLogging, type StoredPost } from './published-posts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads one published post, or null. An id of another
 * form is not requested (SPECIFICATION.md S-130).
 */
async function fetchPublishedPost(id: string): Promise<StoredPost | null> {
  if (!uuid.test(id)) return null;
  const { supabase } = await import('@/lib/supabase');
  const { data, error } = await supabase
    .from('blogs')
    .select('*')
    .eq('id', id)
    .eq('published', true)
    .maybeSingle()
    // The screen shows nothing else, and cannot tell a failed read from a missing post.
    .retry(true);
  if (error) throw new Error(error.message);
  return data;
}

export function usePublishedPost(id: string) {
  return useQuery({ queryKey: blogKeys.post(id), queryFn: withErrorLogging(() => fetchPublishedPost(id)) });
}
