import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useI18n } from '@/lib/i18n';
import { currentToast, dismissToast, subscribeToToasts, type Toast } from '@/lib/toast';
import { cn } from '@/lib/utils';
import { Sentences } from '../sentences';

/** Five seconds (S-421), and longer for a text that takes longer to read. */
const leastVisibleMs = 5_000;
const msToReadCharacter = 70;

function visibleMs({ title, description = '' }: Toast): number {
  return Math.max(leastVisibleMs, (title.length + description.length) * msToReadCharacter);
}

/** The place of toasts: polite for news, assertive for failures (SPECIFICATION.md S-421). */
export function Toaster() {
  const toast = useSyncExternalStore(subscribeToToasts, currentToast, () => null);
  const failed = toast?.tone === 'destructive';
  return (
    // Dialogs hide everything except live regions and close on a press outside. `data-toaster`
    // identifies toasts.
    <div data-toaster="" className="toast-place">
      <div role="status" aria-live="polite" className="contents">
        {toast && !failed ? <ToastCard key={toast.id} toast={toast} /> : null}
      </div>
      <div role="alert" aria-live="assertive" className="contents">
        {toast && failed ? <ToastCard key={toast.id} toast={toast} /> : null}
      </div>
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { t } = useI18n();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => {
      dismissToast(toast.id);
    }, visibleMs(toast));
    return () => {
      window.clearTimeout(timer);
    };
  }, [held, toast]);

  const hold = () => {
    setHeld(true);
  };
  const release = () => {
    setHeld(false);
  };
  return (
    // Hovering or focusing only keeps the toast visible.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      data-toast=""
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className={cn(
        'pointer-events-auto flex w-full max-w-md md:max-w-[22rem] animate-rise items-start gap-3 rounded-card border bg-popover py-2 pr-2 pl-4 text-popover-foreground shadow-paper',
        toast.tone === 'destructive' ? 'border-destructive' : 'border-border',
      )}
    >
      <ToastSign tone={toast.tone} />
      <div className="min-w-0 flex-1 py-2 [overflow-wrap:anywhere]">
        <p className="font-semibold">{toast.title}</p>
        {toast.description ? (
          <p className="text-sm text-muted-foreground">
            <Sentences text={toast.description} />
          </p>
        ) : null}
        {toast.action ? <ToastAction id={toast.id} {...toast.action} /> : null}
      </div>
      <button
        type="button"
        aria-label={t('common.dismiss')}
        onClick={() => {
          dismissToast(toast.id);
        }}
        className="grid size-11 shrink-0 place-items-center rounded-control text-muted-foreground hover:bg-muted"
      >
        <X aria-hidden="true" className="size-5" />
      </button>
    </div>
  );
}

function ToastAction({ id, label, onPress }: Pick<Toast, 'id'> & NonNullable<Toast['action']>) {
  return (
    <button
      type="button"
      onClick={() => {
        dismissToast(id);
        onPress();
      }}
      className="min-h-11 font-semibold text-primary hover:underline"
    >
      {label}
    </button>
  );
}

function ToastSign({ tone }: { tone: Toast['tone'] }) {
  if (tone === 'plain') return null;
  const Sign = tone === 'success' ? Check : CircleAlert;
  return (
    <Sign
      aria-hidden="true"
      strokeWidth={2.5}
      className={cn(
        'mt-2.5 size-5 shrink-0',
        tone === 'success'
          ? 'text-success [&_path]:animate-tick [&_path]:[stroke-dasharray:24]'
          : 'text-destructive',
      )}
    />
  );
}
