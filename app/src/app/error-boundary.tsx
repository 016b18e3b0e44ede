import { Component, type ReactNode } from 'react';
import { isRouteErrorResponse } from 'react-router';
import { ProblemPage } from './routes/problem';

interface ErrorBoundaryState {
  error: unknown;
}

/** Shows a page in place of a screen that failed to load or to render (screens.md S-050, S-423). */
export class ErrorBoundary extends Component<{ children: ReactNode }, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (isFailedImport(error)) return <ProblemPage kind="network" />;
    return <ProblemPage kind="unexpected" reason={reasonOf(error)} />;
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
