import { useState, type ComponentProps, type ReactNode } from 'react';
import type { BuilderProps } from '@/builder/use-builder';
import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { useCoins, useWallet, type ChargePolicy } from '@/features/wallet/use-wallet';
import { usePage } from '@/hooks/use-page';
import { generationCost } from '@/lib/generation-cost';
import { useSession, useUser } from '@/lib/session';

type HeaderProps = ComponentProps<typeof BuilderHeader>;

/** The frame of a builder: its header, and room for the bar at the bottom of phones. */
export function BuilderFrame({ main, ...header }: HeaderProps & { main: ReactNode }) {
  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader {...header} />
      <main className="page pt-2">{main}</main>
    </div>
  );
}

export interface TooFewCredits {
  activity: string;
  coins: number;
  onClose: () => void;
}

interface BuilderScreenProps extends Pick<HeaderProps, 'title' | 'onBack'> {
  policy: ChargePolicy;
  logout?: boolean;
  builder: (means: BuilderProps) => ReactNode;
  /** What opens when the credits do not suffice, unless the builder says it otherwise. */
  tooFew?: (props: TooFewCredits) => ReactNode;
}

/** A builder behind the guard, with its balance and what happens when that does not suffice. */
export function BuilderScreen({
  title,
  onBack,
  policy,
  logout = false,
  builder,
  tooFew,
}: BuilderScreenProps) {
  const user = useUser();
  const { signOut, sessionEnded } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, policy);
  const [left, setLeft] = useState<number | null>(null);
  usePage(title, 'private');

  const means = { user, wallet, cost: generationCost, onInsufficient: setLeft, onSignedOut: sessionEnded };
  const close = () => {
    setLeft(null);
  };
  return (
    <>
      <BuilderFrame
        title={title}
        {...(onBack && { onBack })}
        {...(logout && { onLogout: signOut })}
        main={builder(means)}
      >
        <CoinChip coins={coins} />
      </BuilderFrame>
      {left === null ? null : tooFew?.({ activity: title, coins: left, onClose: close })}
    </>
  );
}
