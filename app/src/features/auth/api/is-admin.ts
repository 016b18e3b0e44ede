import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';

/** Whether the database says that the user is an administrator. Throws if there is no answer. */
async function fetchIsAdmin(userId: string): Promise<boolean> {
  const { data, error } = await supabase.rpc('is_admin_user', { user_id_param: userId });
  if (error) throw new Error(error.message);
  return data;
}

/** An error counts as no until the next read, which comes by itself (SPECIFICATION.md S-161). */
export function useIsAdmin(userId: string): boolean {
  return useAdminCheck(userId) ?? false;
}

/** The same, but undefined while it loads (S-048). */
export function useAdminCheck(userId: string): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ['auth', userId, 'is-admin'],
    queryFn: () => fetchIsAdmin(userId),
  });
  return data ?? (isError ? false : undefined);
}
