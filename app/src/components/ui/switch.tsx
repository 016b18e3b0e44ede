import { cn } from '@/lib/utils';

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  'aria-labelledby': string;
  'aria-describedby'?: string | undefined;
}

/** A switch that takes effect at once. */
export function Switch({ checked, onChange, ...labels }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      {...labels}
      onClick={() => {
        onChange(!checked);
      }}
      className="grid size-11 w-14 shrink-0 items-center justify-items-end rounded-control"
    >
      <span
        className={cn(
          'relative block h-7 w-12 rounded-full border-[1.5px] transition-colors duration-150',
          checked ? 'border-primary bg-primary' : 'border-input bg-muted',
        )}
      >
        <span
          className={cn(
            'absolute top-[3px] left-[3px] size-[19px] rounded-full transition-transform duration-150',
            checked ? '[transform:translateX(1.25rem)] bg-primary-foreground' : 'bg-input',
          )}
        />
      </span>
    </button>
  );
}
