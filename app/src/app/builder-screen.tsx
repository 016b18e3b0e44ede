import { useState, type ComponentProps, type ReactNode } from 'react';
import type { BuilderProps } from '@/builder/use-builder';
import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { useCoins, useWallet, type ChargePolicy } from '@/features/wallet/use-wallet';
import { usePageHead } from '@/hooks/use-page-head';
import { generationCost } from '@/lib/generation-cost';
import { useSession, useUser } from '@/lib/session';

type HeaderProps = ComponentProps<typeof BuilderHeader>;

/** The layout of a builder: its header, and space for the bar at the bottom of phones. */
export function BuilderFrame({ main, ...header }: HeaderProps & { main: ReactNode }) {
  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader {...header} />
      <main className="page pt-2">{main}</main>
    </div>
  );
}

export interface InsufficientProps {
  activity: string;
  coins: number;
  onClose: () => void;
}

interface BuilderScreenProps extends Pick<HeaderProps, 'title' | 'onBack'> {
  policy: ChargePolicy;
  logout?: boolean;
  builder: (builderProps: BuilderProps) => ReactNode;
  /** What opens when there are too few credits, unless the builder handles that itself. */
  renderInsufficient?: (props: InsufficientProps) => ReactNode;
}

/** A builder behind the guard, with its balance and the dialog for too few credits. */
export function BuilderScreen({
  title,
  onBack,
  policy,
  logout = false,
  builder,
  renderInsufficient,
}: BuilderScreenProps) {
  const user = useUser();
  const { signOut, sessionEnded } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, policy);
  const [coinsLeft, setCoinsLeft] = useState<number | null>(null);
  usePageHead(title, 'private');

  const builderProps = {
    user,
    wallet,
    cost: generationCost,
    onInsufficient: setCoinsLeft,
    onSignedOut: sessionEnded,
  };
  const close = () => {
    setCoinsLeft(null);
  };
  return (
    <>
      <BuilderFrame
        title={title}
        {...(onBack && { onBack })}
        {...(logout && { onLogout: signOut })}
        main={builder(builderProps)}
      >
        <CoinChip coins={coins} />
      </BuilderFrame>
      {coinsLeft === null
        ? null
        : renderInsufficient?.({ activity: title, coins: coinsLeft, onClose: close })}
    </>
  );
}
