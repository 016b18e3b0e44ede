import { useQuery } from '@tanstack/react-query';
import { blogKeys } from './keys';
import { withErrorLogging, type StoredPost } from './published-posts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * One published post, or null where there is none; an id of another form is not asked for (SPECIFICATION.md
 * S-130).
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
    // Nothing else is on the screen, which tells a post that cannot be read from none in no way.
    .retry(true);
  if (error) throw new Error(error.message);
  return data;
}

export function usePublishedPost(id: string) {
  return useQuery({ queryKey: blogKeys.post(id), queryFn: withErrorLogging(() => fetchPublishedPost(id)) });
}
