import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { walletKeys } from './keys';
import { loadBalance, type Balance, type BalanceError } from './load-balance';

/** The balance of a user. `startingCoins` is the balance of a new profile on this screen. */
export function useBalance(userId: string, startingCoins: number) {
  return useQuery<Balance, BalanceError>({
    queryKey: walletKeys.balance(userId),
    queryFn: () => loadBalance(userId, startingCoins),
  });
}

/** Functions to show a known balance at once, and to read it again. */
export function useBalanceUpdates(userId: string) {
  const client = useQueryClient();
  const show = useCallback(
    (coins: number) => {
      // A query on its way started earlier and would restore the old number.
      void client.cancelQueries({ queryKey: walletKeys.balance(userId) });
      client.setQueryData<Balance>(walletKeys.balance(userId), { coins, welcomed: false });
    },
    [client, userId],
  );
  const refresh = useCallback(
    () => client.invalidateQueries({ queryKey: walletKeys.balance(userId) }),
    [client, userId],
  );
  return { show, refresh };
}
