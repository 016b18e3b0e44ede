import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';

/** Whether the user is an admin, as the database says; throws when it cannot say. */
async function fetchIsAdmin(userId: string): Promise<boolean> {
  const { data, error } = await supabase.rpc('is_admin_user', { user_id_param: userId });
  if (error) throw new Error(error.message);
  return data;
}

/** An error counts as no, until the next asking, which comes by itself (SPECIFICATION.md S-161). */
export function useIsAdmin(userId: string): boolean {
  return useAdminCheck(userId) ?? false;
}

/** The same, undefined while it is being asked (S-048). */
export function useAdminCheck(userId: string): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ['auth', userId, 'is-admin'],
    queryFn: () => fetchIsAdmin(userId),
  });
  return data ?? (isError ? false : undefined);
}
