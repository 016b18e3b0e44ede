import { Component, type ReactNode } from 'react';

interface LocalErrorBoundaryProps {
  children: ReactNode;
  /** What stands in for a part that fails; nothing unless told. */
  fallback?: ReactNode;
  onError?: () => void;
}

/** Keeps what fails in one part of a screen from taking the screen away. Another part in its place is tried anew. */
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
