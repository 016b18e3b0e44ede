import { useState, type ReactNode } from 'react';
import { useI18n } from '@/lib/i18n';
import { Button } from './button';
import { Dialog, DialogClose, DialogContent, DialogDescription, DialogTitle } from './dialog';

interface ConfirmDialogProps {
  title: string;
  detail: string;
  confirm: string;
  /** The action cannot be undone. */
  destructive?: boolean;
  disabled?: boolean;
  children?: ReactNode;
  /** The dialog closes when it resolves. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks once before an action (SPECIFICATION.md D16). */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    detail,
    confirm,
    destructive = false,
    disabled = false,
    children,
    onConfirm,
    onClose,
  } = props;
  const { t } = useI18n();
  const [busy, setBusy] = useState(false);

  async function run() {
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      setBusy(false);
      onClose();
    }
  }

  return (
    <Dialog
      onClose={() => {
        if (!busy) onClose();
      }}
    >
      <DialogContent>
        <DialogTitle>{title}</DialogTitle>
        <DialogDescription className="[overflow-wrap:anywhere]">{detail}</DialogDescription>
        {children}
        <div className="mt-6 flex flex-col gap-3 sm:flex-row-reverse">
          <Button
            variant={destructive ? 'destructive' : 'default'}
            disabled={busy || disabled}
            onClick={run}
            className="sm:flex-auto"
          >
            {confirm}
          </Button>
          <DialogClose asChild>
            <Button variant="soft" disabled={busy} className="sm:flex-auto">
              {t('common.cancel')}
            </Button>
          </DialogClose>
        </div>
      </DialogContent>
    </Dialog>
  );
}
