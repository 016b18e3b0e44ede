import { Component, type ReactNode } from 'react';
import { isRouteErrorResponse } from 'react-router';
import { isLeavingWarned } from '@/lib/leave-warning';
import { ProblemPage } from './routes/problem';

interface ErrorBoundaryProps {
  children: ReactNode;
  /** The current address. An error of the last screen is cleared when it changes. */
  path?: string;
  reload?: () => void;
}

interface ErrorBoundaryState {
  error: unknown;
}

/** Each failure reloads the page once. A chunk that fails again is reported instead. */
const reloadedKey = 'reloaded';
const reloadsAgainAfterMs = 60_000;

/**
 * Shows a page in place of a screen that failed to
 * load or to render (SPECIFICATION.md S-050, S-423).
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.path !== this.props.path && this.state.error !== null) this.setState({ error: null });
  }

  /**
   * If there is a network, a missing chunk belongs to a version that was replaced. The reloaded
   * page has its own chunks. It is not reloaded while a document is on its way.
   */
  override componentDidCatch(error: unknown): void {
    if (!isFailedImport(error) || !navigator.onLine || isLeavingWarned() || !mayReload(Date.now())) return;
    (this.props.reload ?? reloadPage)();
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (isFailedImport(error)) return <ProblemPage kind={navigator.onLine ? 'chunk' : 'network'} />;
    return <ProblemPage kind="unexpected" reason={reasonOf(error)} />;
  }
}

function reloadPage(): void {
  window.location.reload();
}

/** The answer is no also where nothing can be stored, because reloads must not loop. */
function mayReload(now: number): boolean {
  try {
    if (now - Number(sessionStorage.getItem(reloadedKey)) < reloadsAgainAfterMs) return false;
    sessionStorage.setItem(reloadedKey, String(now));
    return true;
  } catch {
    return false;
  }
}

/** The status and its text if there is one, else the message. */
export function reasonOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : '';
}

/** Whether an error says that a chunk could not be fetched. Browsers word it differently. */
export function isFailedImport(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script failed|preload CSS|error loading/i.test(error.message)
  );
}
