import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { supabase } from '@/lib/supabase';

/** How many payments of a teacher nobody has looked at yet, and their rupees together. */
export interface WaitingPayments {
  count: number;
  amount: number;
}

const waitingKey = ['payments', 'waiting'] as const;

/** Throws what the API says. An administrator may read the rows of others, too: only the own ones count. */
async function fetchWaitingPayments(userId: string): Promise<WaitingPayments> {
  const { data, error } = await supabase
    .from('payment_transactions')
    .select('amount')
    .eq('user_id', userId)
    .eq('status', 'PENDING');
  if (error) throw new Error(error.message);
  return { count: data.length, amount: data.reduce((sum, row) => sum + row.amount, 0) };
}

/** Undefined until they are known; without the network nothing is said of them. */
export function useWaitingPayments(userId: string): WaitingPayments | undefined {
  return useQuery({
    queryKey: [...waitingKey, userId],
    queryFn: () => fetchWaitingPayments(userId),
    retry: false,
  }).data;
}

/** Asks for them again, after one was reported. */
export function useRefreshWaitingPayments(): () => void {
  const client = useQueryClient();
  return useCallback(() => void client.invalidateQueries({ queryKey: waitingKey }), [client]);
}
