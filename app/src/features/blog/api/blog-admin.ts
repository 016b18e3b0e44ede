import { useQuery } from '@tanstack/react-query';
import { env } from '@/lib/env';
import { hasStoredSession, storedUserId } from '@/lib/stored-session';

/** Whether the signed-in user has the configured email address (SPECIFICATION.md S-114). */
async function fetchIsBlogAdmin(): Promise<boolean> {
  if (!env.blogAdminEmail || !hasStoredSession()) return false;
  const { supabase } = await import('@/lib/supabase');
  const { data } = await supabase.auth.getSession();
  return data.session?.user.email?.toLowerCase() === env.blogAdminEmail.toLowerCase();
}

export function useIsBlogAdmin(): boolean {
  const { data } = useQuery({
    queryKey: ['blog', storedUserId(), 'is-admin'],
    queryFn: fetchIsBlogAdmin,
    staleTime: 0,
  });
  return data ?? false;
}
