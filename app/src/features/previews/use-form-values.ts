import { useState } from 'react';

/** The values of a form that never leave the page, and the props of each field. */
export function useFormValues<Values extends Record<string, string>>(initial: Values) {
  const [values, setValues] = useState(initial);
  function bind(name: keyof Values & string) {
    return {
      value: values[name] ?? '',
      onChange: (value: string) => {
        setValues((current) => ({ ...current, [name]: value }));
      },
    };
  }
  /** Whether all of these are filled in. */
  function filled(...names: (keyof Values & string)[]): boolean {
    return names.every((name) => values[name]?.trim() !== '');
  }
  return { values, bind, filled };
}
