import { useQuery } from '@tanstack/react-query';
import { everyPage } from '@/lib/every-page';
import { supabase } from '@/lib/supabase';
import type { Tables } from '@/types/database.gen';
import { adminKeys } from './keys';

export type PendingPayment = Tables<'payment_transactions'>;

/** The payments that wait for verification, the oldest first. Throws what the API says. */
function fetchPendingPayments(): Promise<PendingPayment[]> {
  return everyPage((from, to) =>
    supabase
      .from('payment_transactions')
      .select('*')
      .eq('status', 'PENDING')
      .order('created_at')
      .order('transaction_id')
      .range(from, to),
  );
}

export function usePendingPayments() {
  return useQuery({ queryKey: adminKeys.payments, queryFn: fetchPendingPayments });
}

/** Approves a payment with so many credits, or rejects it with none. Throws what the API says. */
export async function settlePayment(paymentId: string, credits: number | null): Promise<void> {
  const { error } = await supabase.rpc('admin_settle_payment', {
    payment_id: paymentId,
    ...(credits !== null && { approved_credits: credits }),
  });
  if (error) throw new Error(error.message);
}
