import { Component, type ReactNode } from 'react';

interface LocalErrorBoundaryProps {
  children: ReactNode;
  /** Replaces a part that fails. By default nothing does. */
  fallback?: ReactNode;
  onError?: () => void;
}

/**
 * Keeps an error in one part of a screen from replacing
 * the whole screen. New children are rendered again.
 */
export class LocalErrorBoundary extends Component<LocalErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate(before: LocalErrorBoundaryProps): void {
    if (this.state.failed && before.children !== this.props.children) this.setState({ failed: false });
  }

  override componentDidCatch(): void {
    this.props.onError?.();
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
