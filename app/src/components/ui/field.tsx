import { useEffect, useId, type ReactNode } from 'react';
import { cn } from '@/lib/utils';
import { Label } from './label';

interface ControlProps {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  note?: ReactNode;
  hint?: string;
  error?: string | undefined;
  /** The error appeared after a press elsewhere. It is read out, and the control gets the focus. */
  alert?: boolean;
  className?: string;
  children: (control: ControlProps) => ReactNode;
}

/** A label, its control, and the error or hint that belongs to it, linked for screen readers. */
export function Field({ label, note, hint, error, alert, className, children }: FieldProps) {
  const id = useId();
  const messageId = `${id}-message`;
  const message = error ?? hint;
  useEffect(() => {
    if (!alert) return;
    document.getElementById(id)?.focus({ preventScroll: true });
    // The message must not be behind the bar at the bottom of phones.
    document.getElementById(messageId)?.scrollIntoView({ block: 'center' });
  }, [alert, id, messageId]);
  return (
    <div className={cn('min-w-0', className)}>
      <Label htmlFor={id} className="mb-1.5">
        {label}
        {note ? <span className="font-normal text-muted-foreground"> {note}</span> : null}
      </Label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': message ? messageId : undefined,
      })}
      {message ? (
        <p
          key={alert ? 'alert' : 'message'}
          id={messageId}
          role={alert ? 'alert' : undefined}
          className={cn('mt-1.5 text-sm', error ? 'font-medium text-destructive' : 'text-muted-foreground')}
        >
          {message}
        </p>
      ) : null}
    </div>
  );
}
