let warnings = 0;

/**
 * Asks before the page is left or reloaded, until the
 * returned function is called (SPECIFICATION.md S-427).
 */
export function warnOnLeaving(): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    event.preventDefault();
    // Chromium before 119 uses only this.
    Object.assign(event, { returnValue: true });
  };
  window.addEventListener('beforeunload', warn);
  warnings += 1;
  return () => {
    warnings -= 1;
    window.removeEventListener('beforeunload', warn);
  };
}

/** Whether something is on its way that a reload would lose. */
export function isLeavingWarned(): boolean {
  return warnings > 0;
}
