import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { fetchAllPages } from '@/lib/fetch-all-pages';
import { supabase } from '@/lib/supabase';
import { momentOfPayment, type AdminUser } from '../admin-user';
import { adminKeys } from './keys';

/** The generated types of a function's columns do not say which may be null. */
const accountSchema = z.object({
  user_id: z.string(),
  email: z.nullable(z.string()),
  phone_number: z.nullable(z.string()),
  coins: z.number(),
  created_at: z.string(),
});

/**
 * Reads every user with roles and last payment, joined from three queries (SPECIFICATION.md D12).
 * Throws the message of the API.
 */
async function fetchUsers(): Promise<AdminUser[]> {
  const [accounts, roles, payments] = await Promise.all([
    fetchAllPages((from, to) => supabase.rpc('get_all_users').range(from, to)),
    fetchAllPages((from, to) =>
      supabase
        .from('user_roles')
        .select('user_id, role')
        .order('assigned_at', { ascending: false })
        .order('user_id')
        .order('role')
        .range(from, to),
    ),
    fetchAllPages((from, to) =>
      supabase
        .from('profiles')
        .select('user_id, last_payment_date, last_payment_time')
        .not('last_payment_date', 'is', null)
        .order('user_id')
        .range(from, to),
    ),
  ]);
  const rolesOf = grouped(roles);
  const paymentOf = new Map(payments.map((payment) => [payment.user_id, payment]));
  return z.parse(z.array(accountSchema), accounts).map((account) => {
    const payment = paymentOf.get(account.user_id);
    return {
      id: account.user_id,
      email: account.email ?? '',
      phone: account.phone_number ?? '',
      coins: account.coins,
      roles: rolesOf.get(account.user_id) ?? [],
      lastPayment: momentOfPayment(payment?.last_payment_date, payment?.last_payment_time),
      joined: new Date(account.created_at),
    };
  });
}

export function useAdminUsers() {
  return useQuery({ queryKey: adminKeys.users, queryFn: fetchUsers });
}

function grouped(rows: readonly { user_id: string; role: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { user_id, role } of rows) groups.set(user_id, [...(groups.get(user_id) ?? []), role]);
  return groups;
}
