import { supabase } from '@/lib/supabase';
import { readCoins } from './read-coins';

export interface Balance {
  coins: number;
  /** True if this call created the profile with its first credits. */
  welcomed: boolean;
}

/** `profile`: there is one that cannot be read. */
type Step = 'load' | 'create' | 'profile';

/**
 * Why there is no balance: reading failed, the missing profile could not be created, or it exists
 * and cannot be read.
 */
export class BalanceError extends Error {
  readonly step: Step;

  constructor(step: Step) {
    super(`profile: ${step} failed`);
    this.step = step;
  }
}

/**
 * Reads the balance, and creates the profile with `startingCoins` if there is none
 * (SPECIFICATION.md D06). Two tabs may do so at once. The one whose insert is a duplicate reads
 * again (SPECIFICATION.md S-401).
 */
export async function loadBalance(userId: string, startingCoins: number): Promise<Balance> {
  const found = await readCoins(userId);
  if (found === undefined) throw new BalanceError('load');
  if (found !== null) return { coins: found, welcomed: false };

  const { data, error } = await supabase
    .from('profiles')
    .insert({ user_id: userId, coins: startingCoins })
    .select('coins')
    .single();
  if (!error) return { coins: data.coins, welcomed: await isFirst(userId) };
  if (error.code !== '23505') throw new BalanceError('create');
  const coins = await readCoins(userId);
  if (typeof coins !== 'number') throw new BalanceError(coins === null ? 'profile' : 'load');
  return { coins, welcomed: false };
}

/**
 * Whether the profile was created for the first time. A profile that is created again has its old
 * balance (SPECIFICATION.md D07).
 */
async function isFirst(userId: string): Promise<boolean> {
  const { data } = await supabase
    .from('credit_ledger')
    .select('reason')
    .eq('user_id', userId)
    .order('entry', { ascending: false })
    .limit(1)
    .maybeSingle()
    .retry(true);
  return data?.reason === 'opening';
}
