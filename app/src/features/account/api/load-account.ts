import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import { accountKeys } from './keys';

export interface Account {
  id: string;
  email: string;
  /** The new address, until both are confirmed. */
  newEmail: string | undefined;
  memberSince: Date;
}

/** Reads the account from the server. Throws if it cannot be read. */
async function loadAccount(): Promise<Account> {
  const { data, error } = await supabase.auth.getUser();
  if (error) throw new Error(error.message);
  const { id, email = '', new_email, created_at } = data.user;
  return { id, email, newEmail: new_email || undefined, memberSince: new Date(created_at) };
}

export function useAccount(userId: string) {
  return useQuery({ queryKey: accountKeys.account(userId), queryFn: loadAccount });
}
