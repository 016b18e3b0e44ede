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
  /** `refused`: the server said no; `unsettled`: no answer, or the balance kept changing. */
  | { kind: 'failed'; reason: 'refused' | 'unsettled' };

/**
 * Opens a deduction: lowers the balance by the cost of one generation, on the condition that it still is what was
 * read, and reads again when another tab was faster (SPECIFICATION.md D01, D05). `stamped` writes the time of
 * the change along, as teaching aids do (SPECIFICATION.md S-370). Needs no token of its own: under another
 * user's the filter finds no row.
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

/** An answer has an HTTP status; a call that never got one has status 0. */
function reasonOf(status: number): 'refused' | 'unsettled' {
  return status === 0 ? 'unsettled' : 'refused';
}

/**
 * Writes the balance from before the deduction back. The server may have done so already, and refuses it for a
 * document that is delivered or still being made (SPECIFICATION.md D02), so the answer is the balance read
 * afterwards, as far as it can be.
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
