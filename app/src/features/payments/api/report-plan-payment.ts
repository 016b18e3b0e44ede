import { once } from '@/lib/once';
import { supabase } from '@/lib/supabase';
import type { Purchase } from '../plans';
import { planTransactionId } from '../transaction-id';

export interface PlanPayment {
  userId: string;
  transactionId: string;
  purchase: Purchase;
  phone: string;
  paidAt: Date;
}

const takenId = '23505';

/**
 * Records what a teacher says was paid for a plan, and when. Both writes may fail without the teacher being told,
 * because the money is on its way: failures are logged (screens.md S-297).
 */
export async function reportPlanPayment(payment: PlanPayment): Promise<void> {
  const results = await Promise.allSettled([insertPayment(payment), rememberLastPayment(payment)]);
  for (const result of results) {
    if (result.status === 'rejected') console.error('a payment could not be recorded', result.reason);
  }
}

async function insertPayment(payment: PlanPayment): Promise<void> {
  const error = await insertWithId(payment, payment.transactionId);
  if (error === null) return;
  if (error.code !== takenId) throw new Error(error.message);
  const again = await insertWithId(payment, planTransactionId(payment.paidAt.getTime() + 1));
  if (again) throw new Error(again.message);
}

async function insertWithId({ userId, purchase, phone, paidAt }: PlanPayment, transactionId: string) {
  const { error } = await supabase.from('payment_transactions').insert({
    transaction_id: transactionId,
    user_id: userId,
    amount: purchase.amount,
    credits: purchase.credits,
    status: 'PENDING',
    phone_number: phone,
    customer_info: { phone, plan: purchase.plan.name, timestamp: paidAt.toISOString() },
  });
  return error;
}

async function rememberLastPayment({ userId, purchase, paidAt }: PlanPayment): Promise<void> {
  const { error } = await supabase
    .from('profiles')
    .update({
      last_payment_amount: purchase.amount,
      last_payment_date: indianDate(paidAt),
      last_payment_time: indianTime(paidAt),
    })
    .eq('user_id', userId);
  if (error) throw new Error(error.message);
}

const timeZone = 'Asia/Kolkata';
const dateParts = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }));
const timeParts = once(() => new Intl.DateTimeFormat('sv-SE', { timeStyle: 'medium', timeZone }));

/** `2026-11-21`, the day in India (screens.md S-300). */
export function indianDate(moment: Date): string {
  return dateParts().format(moment);
}

/** `14:05:09`, the time of day in India. */
export function indianTime(moment: Date): string {
  return timeParts().format(moment);
}
