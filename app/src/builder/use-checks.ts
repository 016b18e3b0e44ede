import { useEffect, useState } from 'react';
import type { Tool } from './tool';

/**
 * Pauses before the checks are loaded again: after the first failure, the second, and each further
 * one. Milliseconds.
 */
const pauses = [1_000, 3_000, 10_000];

/**
 * Loads the checks once the form is started, and retries until they are
 * there. Returns whether loading failed. An early press waits for them
 * (lib/form-resolver.ts), so that an empty form need not load them.
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
