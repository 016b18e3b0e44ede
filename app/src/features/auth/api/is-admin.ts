import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';

/** Whether the user is an admin, as the database says; an error counts as no (screens.md S-161). */
export async function fetchIsAdmin(userId: string): Promise<boolean> {
  const { data, error } = await supabase.rpc('is_admin_user', { user_id_param: userId });
  return !error && data;
}

export function useIsAdmin(userId: string): boolean {
  return useAdminCheck(userId) ?? false;
}

/** The same, undefined while it is being asked (S-048). */
export function useAdminCheck(userId: string): boolean | undefined {
  const { data } = useQuery({ queryKey: ['auth', userId, 'is-admin'], queryFn: () => fetchIsAdmin(userId) });
  return data;
}
