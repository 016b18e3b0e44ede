import { supabase } from '@/lib/supabase';
import { readCoins } from './read-coins';

export interface Balance {
  coins: number;
  /** True when this very call made the profile with its first credits. */
  welcomed: boolean;
}

/** `profile`: there is one that cannot be read. */
type Step = 'load' | 'create' | 'profile';

/** Why a balance could not be told: reading failed, the missing profile could not be made, or it is there and is not seen. */
export class BalanceError extends Error {
  readonly step: Step;

  constructor(step: Step) {
    super(`profile: ${step} failed`);
    this.step = step;
  }
}

/**
 * Reads the balance and makes the profile with `startingCoins` when there is none (SPECIFICATION.md D06).
 * Two tabs may do so at once: the one whose insert is refused as a duplicate reads again (SPECIFICATION.md
 * S-401).
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
 * Whether the profile was made for the first time: one that is made again has the balance it had
 * (SPECIFICATION.md D07).
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
