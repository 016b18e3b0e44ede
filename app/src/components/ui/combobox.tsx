import { useId, useState, type ComponentProps, type KeyboardEvent } from 'react';
import { ChevronDown } from 'lucide-react';
import type { Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { matchingOptions } from '@/lib/suggestions';
import { cn } from '@/lib/utils';
import { Input } from './input';

interface ComboboxProps extends ComponentProps<'input'> {
  /** The name of the list for screen readers. */
  label: string;
  value: string;
  options: readonly Option[];
  onPick: (value: string) => void;
}

/** A field with a list that is filtered by the typed text. Any other text is allowed as well. */
export function Combobox({
  label,
  value,
  options,
  onPick,
  className,
  onBlur,
  onChange,
  ...props
}: ComboboxProps) {
  const { tn } = useI18n();
  const listId = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = matchingOptions(options, value);
  const shown = open && offered.length > 0;
  const idOf = (index: number) => `${listId}-${index}`;

  function show(isOpen: boolean) {
    setOpen(isOpen);
    setActive(-1);
  }

  function pick(option: Option) {
    onPick(option.value);
    show(false);
  }

  function move(step: number) {
    const next = shown
      ? (active + step + offered.length) % offered.length
      : step > 0
        ? 0
        : offered.length - 1;
    setOpen(true);
    setActive(active < 0 && step < 0 ? offered.length - 1 : next);
  }

  function press(event: KeyboardEvent) {
    const option = shown ? offered[active] : undefined;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && option) pick(option);
    else if (event.key === 'Escape' && shown) show(false);
    else return;
    event.preventDefault();
  }

  return (
    <span className="relative block">
      <Input
        {...props}
        value={value}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? listId : undefined}
        aria-activedescendant={shown && active >= 0 ? idOf(active) : undefined}
        autoComplete="off"
        className={cn('pr-11', className)}
        onKeyDown={press}
        onClick={() => {
          show(true);
        }}
        onChange={(event) => {
          onChange?.(event);
          show(true);
        }}
        onBlur={(event) => {
          onBlur?.(event);
          show(false);
        }}
      />
      {options.length > 0 ? (
        <ChevronDown
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-3.5 -mt-2.5 size-5 text-foreground"
        />
      ) : null}
      {shown ? (
        <span
          ref={bringIntoView}
          id={listId}
          role="listbox"
          aria-label={label}
          className="absolute inset-x-0 top-full z-30 mt-1 block max-h-64 scroll-mb-24 md:scroll-mb-4 overflow-y-auto overscroll-contain rounded-control border border-border bg-card py-1 text-card-foreground shadow-paper"
        >
          {offered.map((option, index) => (
            <Suggestion
              key={option.value}
              id={idOf(index)}
              option={option}
              active={index === active}
              chosen={option.value === value.trim()}
              onPick={pick}
            />
          ))}
        </span>
      ) : null}
      <span role="status" className="sr-only">
        {shown ? tn('form.suggestions', offered.length) : ''}
      </span>
    </span>
  );
}

/** Above the bar at the bottom of phones. */
function bringIntoView(element: HTMLElement | null) {
  element?.scrollIntoView({ block: 'nearest' });
}

interface SuggestionProps {
  id: string;
  option: Option;
  active: boolean;
  chosen: boolean;
  onPick: (option: Option) => void;
}

function Suggestion({ id, option, active, chosen, onPick }: SuggestionProps) {
  return (
    <button
      ref={(element) => {
        if (active) bringIntoView(element);
      }}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className={cn(
        'flex min-h-11 w-full flex-col justify-center px-3.5 py-1.5 text-left leading-snug hover:bg-muted',
        active && 'bg-muted',
        chosen && 'font-semibold',
      )}
      // The field keeps the focus, so that the list is still there when the finger is lifted.
      onMouseDown={(event) => {
        event.preventDefault();
      }}
      onClick={() => {
        onPick(option);
      }}
    >
      {option.value}
      {option.label === option.value ? null : (
        <span className="text-sm font-normal text-muted-foreground">{option.label}</span>
      )}
    </button>
  );
}
