import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { t, useI18n } from '@/lib/i18n';
import { retryableImport } from '@/lib/retryable-import';
import { isLeavingWarned } from '@/lib/leave-warning';
import { toast } from '@/lib/toast';
import { LocalErrorBoundary } from './local-error-boundary';

/**
 * Makes a dialog whose code loads when it opens. If loading fails or the dialog crashes, the screen
 * behind it stays, a toast says so, and the next press loads the code again.
 */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) {
  const fetchDialog = retryableImport(load);
  return function LazyDialog(props: Props) {
    const [Dialog, setDialog] = useState<ComponentType<Props> | null>(null);
    const fail = () => {
      showChunkFailed();
      props.onClose();
    };
    const giveUp = useEffectEvent(fail);
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
    if (!Dialog) return <DialogLoading />;
    return (
      <LocalErrorBoundary onError={fail}>
        <Dialog {...props} />
      </LocalErrorBoundary>
    );
  };
}

/** It appears only if the code takes a while. */
function DialogLoading() {
  const { t } = useI18n();
  return (
    <div className="fixed inset-0 z-40 grid animate-fade place-items-center bg-overlay [animation-delay:150ms]">
      <p role="status" className="rounded-control bg-popover px-5 py-3 text-popover-foreground shadow-paper">
        {t('common.loading')}
      </p>
    </div>
  );
}

function showChunkFailed(): void {
  const offline = !navigator.onLine;
  // A reload would lose a document on its way.
  if (offline || isLeavingWarned()) {
    toast.error({ title: t(offline ? 'network.title' : 'error.title'), description: t('network.detail') });
    return;
  }
  toast.error({
    title: t('error.title'),
    description: t('chunk.detail'),
    action: {
      label: t('chunk.retry'),
      onPress: () => {
        window.location.reload();
      },
    },
  });
}
