import { supabase } from '@/lib/supabase';

/** What the database says of an id that is there already. */
export const takenId = '23505';

/** Whether a user's payment of this id is written; null where that cannot be known now. */
export async function isOwnPayment(userId: string, transactionId: string): Promise<boolean | null> {
  const { data, error } = await supabase
    .from('payment_transactions')
    .select('transaction_id')
    .match({ transaction_id: transactionId, user_id: userId })
    .retry(true);
  return error ? null : data.length > 0;
}
