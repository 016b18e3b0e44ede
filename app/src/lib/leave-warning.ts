let warnings = 0;

/** Asks before the page is left or reloaded, until what it gives back is called (SPECIFICATION.md S-427). */
export function warnOnLeaving(): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    event.preventDefault();
    // Chromium before 119 goes by this alone.
    Object.assign(event, { returnValue: true });
  };
  window.addEventListener('beforeunload', warn);
  warnings += 1;
  return () => {
    warnings -= 1;
    window.removeEventListener('beforeunload', warn);
  };
}

/** Whether something is on its way that a reload would lose sight of. */
export function isLeavingWarned(): boolean {
  return warnings > 0;
}
