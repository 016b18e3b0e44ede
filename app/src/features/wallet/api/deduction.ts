import { supabase } from '@/lib/supabase';
import { generationCost } from '@/lib/generation-cost';
import { readCoins } from './read-coins';

const maximumTries = 4;

export interface Deduction {
  before: number;
  after: number;
}

export type DeductionOutcome =
  | { kind: 'opened'; deduction: Deduction }
  | { kind: 'insufficient'; coins: number }
  /**
   * `refused`: the server said no. `unsettled`: there was no answer, or the balance kept changing.
   */
  | { kind: 'failed'; reason: 'refused' | 'unsettled' };

/**
 * Opens a deduction. It lowers the balance by the cost of one generation if the balance is still
 * the one that was read, and reads again if another tab was faster (SPECIFICATION.md D01, D05).
 * `stamped` also writes the time of the change, for teaching aids (SPECIFICATION.md S-370). The
 * call needs no token of its own, because under another user's token the filter finds no row.
 */
export async function openDeduction(userId: string, stamped = false): Promise<DeductionOutcome> {
  for (let attempt = 0; attempt < maximumTries; attempt += 1) {
    const read = await supabase
      .from('profiles')
      .select('coins')
      .eq('user_id', userId)
      .maybeSingle()
      .retry(true);
    if (read.error) return { kind: 'failed', reason: reasonOf(read.status) };
    const before = read.data?.coins ?? 0;
    if (before < generationCost) return { kind: 'insufficient', coins: before };

    const written = await supabase
      .from('profiles')
      .update({
        coins: before - generationCost,
        ...(stamped && { updated_at: new Date().toISOString() }),
      })
      .eq('user_id', userId)
      .eq('coins', before)
      .select('coins')
      .maybeSingle();
    if (written.error) return { kind: 'failed', reason: reasonOf(written.status) };
    if (written.data) return { kind: 'opened', deduction: { before, after: written.data.coins } };
  }
  return { kind: 'failed', reason: 'unsettled' };
}

/** An answer has an HTTP status. A call without an answer has status 0. */
function reasonOf(status: number): 'refused' | 'unsettled' {
  return status === 0 ? 'unsettled' : 'refused';
}

/**
 * Writes the balance from before the deduction. The server may have done so already, and refuses it
 * for a document that is delivered or still being generated (SPECIFICATION.md D02). So the result
 * is the balance that is read afterwards, if possible.
 */
export async function reverseDeduction(userId: string, deduction: Deduction): ReturnType<typeof readCoins> {
  await supabase
    .from('profiles')
    .update({ coins: deduction.before })
    .eq('user_id', userId)
    .eq('coins', deduction.after)
    .select('coins')
    .maybeSingle();
  return readCoins(userId, true);
}
