import { useEffect, useState } from 'react';
import type { Tool } from './tool';

/** Before the checks are fetched again: after the first failure, the second, and each further one; milliseconds. */
const pauses = [1_000, 3_000, 10_000];

/**
 * Fetches the checks once the form is begun, until they are there; says whether they are lacking meanwhile. A press
 * that comes before them waits for them (lib/form-resolver.ts), so that an empty form need not load them.
 */
export function useChecks<Form, Content>(tool: Tool<Form, Content>, begun: boolean): boolean {
  const [loadFailed, setLoadFailed] = useState(false);
  useEffect(() => {
    if (!begun) return;
    let failures = 0;
    let timer: number | undefined;
    let left = false;
    function fetchThem() {
      tool.checks().then(
        () => {
          setLoadFailed(false);
        },
        () => {
          if (left) return;
          setLoadFailed(true);
          timer = window.setTimeout(fetchThem, pauses[failures] ?? pauses.at(-1));
          failures += 1;
        },
      );
    }
    fetchThem();
    return () => {
      left = true;
      window.clearTimeout(timer);
    };
  }, [tool, begun]);
  return begun && loadFailed;
}
