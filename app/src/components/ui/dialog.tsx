import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { useRef, type ComponentProps, type ReactNode } from 'react';
import { useI18n } from '@/lib/i18n';
import { clearToast } from '@/lib/toast';
import { cn } from '@/lib/utils';

interface DialogProps {
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is open while it is mounted. */
export function Dialog({ onClose, children }: DialogProps) {
  return (
    <RadixDialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      {children}
    </RadixDialog.Root>
  );
}

export const DialogClose = RadixDialog.Close;

/** A sheet at the bottom of phones, a centred card on wider screens. It scrolls inside itself. */
export function DialogContent({
  className,
  children,
  onOpenAutoFocus,
  onInteractOutside,
  ...props
}: ComponentProps<typeof RadixDialog.Content>) {
  const { t } = useI18n();
  const opener = useRef<Element | null>(null);
  return (
    <RadixDialog.Portal>
      <RadixDialog.Overlay className="fixed inset-0 z-40 flex animate-fade items-end justify-center overflow-hidden bg-overlay sm:items-center sm:p-6">
        <RadixDialog.Content
          onInteractOutside={(event) => {
            onInteractOutside?.(event);
            if (event.target instanceof Element && event.target.closest('[data-toaster]'))
              event.preventDefault();
          }}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            clearToast();
            onOpenAutoFocus?.(event);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          className={cn(
            'safe-bottom relative max-h-[92vh] w-full animate-sheet overflow-y-auto rounded-t-card border border-border bg-popover text-popover-foreground shadow-paper sm:max-w-md sm:rounded-card',
            className,
          )}
          {...props}
        >
          <div className="p-5 sm:p-6">{children}</div>
          <RadixDialog.Close
            aria-label={t('common.close')}
            className="absolute top-2.5 right-2.5 grid size-11 place-items-center rounded-control text-muted-foreground hover:bg-muted"
          >
            <X aria-hidden="true" className="size-5" />
          </RadixDialog.Close>
        </RadixDialog.Content>
      </RadixDialog.Overlay>
    </RadixDialog.Portal>
  );
}

export function DialogTitle({ className, ...props }: ComponentProps<typeof RadixDialog.Title>) {
  return <RadixDialog.Title className={cn('pr-10 text-2xl font-bold', className)} {...props} />;
}

export function DialogDescription({ className, ...props }: ComponentProps<typeof RadixDialog.Description>) {
  return (
    <RadixDialog.Description className={cn('mt-1.5 text-base text-muted-foreground', className)} {...props} />
  );
}
