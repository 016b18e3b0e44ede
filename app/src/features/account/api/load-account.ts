import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import { accountKeys } from './keys';

export interface Account {
  id: string;
  email: string;
  memberSince: Date;
}

/** The account as the server knows it. Throws when it cannot be read. */
async function loadAccount(): Promise<Account> {
  const { data, error } = await supabase.auth.getUser();
  if (error) throw new Error(error.message);
  return { id: data.user.id, email: data.user.email ?? '', memberSince: new Date(data.user.created_at) };
}

export function useAccount(userId: string) {
  return useQuery({ queryKey: accountKeys.account(userId), queryFn: loadAccount });
}
