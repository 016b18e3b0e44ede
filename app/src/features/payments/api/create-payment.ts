import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { supabase } from '@/lib/supabase';
import { manualTransactionId } from '../transaction-id';
import { isOwnPayment, takenId } from './own-payment';

export interface PaymentRequest {
  transactionId: string;
  /** Whole rupees; one credit each (screens.md S-163). */
  amount: number;
  /** Digits; empty where it was left out. */
  phone: string;
}

export type PaymentOutcome = 'created' | 'failed' | 'signed-out';

/**
 * Records a payment that the teacher made by UPI, to be verified by hand. An id that is taken is most often the own row,
 * whose answer was lost: only where it is somebody else's is another id tried, once (decisions.md D11).
 */
export async function createPayment(request: PaymentRequest): Promise<PaymentOutcome> {
  const { data, error } = await supabase.auth.getSession();
  const userId = data.session?.user.id;
  // Whose session could not be renewed for want of an answer is signed in all the same, and tries again.
  if (userId === undefined) return isAuthRetryableFetchError(error) ? 'failed' : 'signed-out';
  const code = await insertPayment(userId, request);
  if (code === null) return 'created';
  if (code !== takenId) return 'failed';
  const own = await isOwnPayment(userId, request.transactionId);
  if (own !== false) return own ? 'created' : 'failed';
  const again = { ...request, transactionId: manualTransactionId(Date.now(), Math.random) };
  return (await insertPayment(userId, again)) === null ? 'created' : 'failed';
}

/** Null when it was written, else the code of the error. */
async function insertPayment(userId: string, request: PaymentRequest): Promise<string | null> {
  const { error } = await supabase.from('payment_transactions').insert({
    transaction_id: request.transactionId,
    user_id: userId,
    amount: request.amount,
    credits: request.amount,
    status: 'PENDING',
    phone_number: request.phone || null,
    customer_info: request.phone ? { mobile: request.phone } : null,
  });
  return error ? error.code : null;
}
