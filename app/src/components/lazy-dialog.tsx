import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { t, useI18n } from '@/lib/i18n';
import { importAgain } from '@/lib/import-again';
import { isLeavingWarned } from '@/lib/leave-warning';
import { toast } from '@/lib/toast';
import { PartBoundary } from './part-boundary';

/**
 * A dialog whose code comes when it is opened. Where that cannot be had, or fails, the screen behind stays as it is: it is
 * told in a toast, and the next press asks for the code again.
 */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) {
  const fetchDialog = importAgain(load);
  return function LazyDialog(props: Props) {
    const [Dialog, setDialog] = useState<ComponentType<Props> | null>(null);
    const lost = () => {
      tellLost();
      props.onClose();
    };
    const giveUp = useEffectEvent(lost);
    useEffect(() => {
      let wanted = true;
      fetchDialog().then(
        (dialog) => {
          if (wanted) setDialog(() => dialog.default);
        },
        () => {
          if (wanted) giveUp();
        },
      );
      return () => {
        wanted = false;
      };
    }, []);
    if (!Dialog) return <OnItsWay />;
    return (
      <PartBoundary onLost={lost}>
        <Dialog {...props} />
      </PartBoundary>
    );
  };
}

/** Seen where the code takes a while. */
function OnItsWay() {
  const { t } = useI18n();
  return (
    <div className="fixed inset-0 z-40 grid animate-fade place-items-center bg-overlay [animation-delay:150ms]">
      <p role="status" className="rounded-control bg-popover px-5 py-3 text-popover-foreground shadow-paper">
        {t('common.loading')}
      </p>
    </div>
  );
}

function tellLost(): void {
  const offline = !navigator.onLine;
  // A reload would lose sight of a document on its way.
  if (offline || isLeavingWarned()) {
    toast.error({ title: t(offline ? 'network.title' : 'error.title'), description: t('network.detail') });
    return;
  }
  toast.error({
    title: t('error.title'),
    description: t('partLost.detail'),
    action: {
      label: t('partLost.retry'),
      onPress: () => {
        window.location.reload();
      },
    },
  });
}
