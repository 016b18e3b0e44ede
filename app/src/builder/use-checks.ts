import { useEffect, useState } from 'react';
import type { Tool } from './tool';

/** Before the checks are fetched again: after the first failure, the second, and each further one; milliseconds. */
const pauses = [1_000, 3_000, 10_000];

/** Fetches the checks while the form is filled in, until they are there; says whether they are lacking meanwhile. */
export function useChecks<Form, Content>(tool: Tool<Form, Content>): boolean {
  const [lacking, setLacking] = useState(false);
  useEffect(() => {
    let failures = 0;
    let timer: number | undefined;
    let left = false;
    function fetchThem() {
      tool.checks().then(
        () => {
          setLacking(false);
        },
        () => {
          if (left) return;
          setLacking(true);
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
  }, [tool]);
  return lacking;
}
