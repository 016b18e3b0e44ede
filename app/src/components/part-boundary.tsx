import { Component, type ReactNode } from 'react';

interface PartBoundaryProps {
  children: ReactNode;
  /** What stands in for a part that fails; nothing unless told. */
  instead?: ReactNode;
  onLost?: () => void;
}

/** Keeps what fails in one part of a screen from taking the screen away. Another part in its place is tried anew. */
export class PartBoundary extends Component<PartBoundaryProps, { lost: boolean }> {
  override state = { lost: false };

  static getDerivedStateFromError() {
    return { lost: true };
  }

  override componentDidUpdate(before: PartBoundaryProps): void {
    if (this.state.lost && before.children !== this.props.children) this.setState({ lost: false });
  }

  override componentDidCatch(): void {
    this.props.onLost?.();
  }

  override render(): ReactNode {
    return this.state.lost ? this.props.instead : this.props.children;
  }
}
