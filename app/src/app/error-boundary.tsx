import { Component, type ReactNode } from 'react';
import { isRouteErrorResponse } from 'react-router';
import { isLeavingWarned } from '@/lib/leave-warning';
import { ProblemPage } from './routes/problem';

interface ErrorBoundaryProps {
  children: ReactNode;
  /** Another address is another screen: what failed at the last one is forgotten. */
  at?: string;
  reload?: () => void;
}

interface ErrorBoundaryState {
  error: unknown;
}

/** One reload for each loss: a part that is lost again after it is told instead. */
const reloadedKey = 'reloaded';
const reloadsAgainAfterMs = 60_000;

/** Shows a page in place of a screen that failed to load or to render (SPECIFICATION.md S-050, S-423). */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  /**
   * With a network, a part that is not there belongs to a version that was replaced: the page loaded anew has its own. Not
   * by itself while a document is on its way.
   */
  override componentDidCatch(error: unknown): void {
    if (!isFailedImport(error) || !navigator.onLine || isLeavingWarned() || !mayReload(Date.now())) return;
    (this.props.reload ?? reloadPage)();
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (isFailedImport(error)) return <ProblemPage kind={navigator.onLine ? 'chunkFailed' : 'network'} />;
    return <ProblemPage kind="unexpected" reason={reasonOf(error)} />;
  }
}

function reloadPage(): void {
  window.location.reload();
}

/** Also where nothing can be kept it is no: reloads must not go round in circles. */
function mayReload(now: number): boolean {
  try {
    if (now - Number(sessionStorage.getItem(reloadedKey)) < reloadsAgainAfterMs) return false;
    sessionStorage.setItem(reloadedKey, String(now));
    return true;
  } catch {
    return false;
  }
}

/** The status and its text where there is one, else the message. */
export function reasonOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : '';
}

/** Browsers word it differently when a part of the application cannot be fetched. */
export function isFailedImport(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script failed|preload CSS|error loading/i.test(error.message)
  );
}
