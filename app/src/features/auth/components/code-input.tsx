import { useEffect, useId, useRef, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { codeLength, digitsOfCode } from '../schema';

interface CodeInputProps {
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
}

/**
 * One real input under six drawn cells, so that autofill,
 * paste and screen readers find an ordinary field (S-150).
 */
export function CodeInput({ value, onChange, error }: CodeInputProps) {
  const { t } = useI18n();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [focused, setFocused] = useState(false);
  useEffect(() => {
    input.current?.focus();
  }, []);

  return (
    <div className="mt-4">
      <label htmlFor={id} className="sr-only">
        {t('auth.codeLabel')}
      </label>
      <div className="relative">
        <input
          ref={input}
          id={id}
          name="code"
          value={value}
          onChange={(event) => {
            onChange(digitsOfCode(event.target.value));
          }}
          onFocus={() => {
            setFocused(true);
          }}
          onBlur={() => {
            setFocused(false);
          }}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]*"
          aria-invalid={error !== undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          className="absolute inset-0 z-10 size-full cursor-text bg-transparent text-transparent caret-transparent opacity-0"
        />
        <div aria-hidden="true" className="grid grid-cols-6 gap-2">
          {Array.from({ length: codeLength }, (_, index) => (
            <Cell
              key={index}
              digit={value[index]}
              wrong={error !== undefined}
              current={focused && index === Math.min(value.length, codeLength - 1)}
            />
          ))}
        </div>
      </div>
      {error ? (
        <p id={`${id}-error`} className="mt-1.5 text-sm font-medium text-destructive">
          {error}
        </p>
      ) : null}
    </div>
  );
}

interface CellProps {
  digit: string | undefined;
  current: boolean;
  wrong: boolean;
}

function Cell({ digit, current, wrong }: CellProps) {
  return (
    <span
      className={cn(
        'grid h-14 place-items-center rounded-control border bg-card text-2xl font-bold tabular-nums',
        current ? 'border-2 border-ring shadow-[0_0_0_3px_var(--ring-soft)]' : 'border-input',
        wrong && 'border-2 border-destructive',
      )}
    >
      {digit}
    </span>
  );
}
