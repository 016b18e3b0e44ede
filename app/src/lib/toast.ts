export interface Toast {
  id: number;
  title: string;
  description?: string;
  /** The next step. Pressing it removes the toast. */
  action?: { label: string; onPress: () => void };
  tone: 'plain' | 'success' | 'destructive';
}

type ToastText = Pick<Toast, 'title' | 'description' | 'action'>;

let current: Toast | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows one toast in place of the last one (SPECIFICATION.md S-421). */
export const toast = {
  plain: (text: ToastText) => {
    show({ ...text, tone: 'plain' });
  },
  success: (text: ToastText) => {
    show({ ...text, tone: 'success' });
  },
  error: (text: ToastText) => {
    show({ ...text, tone: 'destructive' });
  },
};

function show(next: Omit<Toast, 'id'>): void {
  lastId += 1;
  change({ ...next, id: lastId });
}

export function dismissToast(id: number): void {
  if (current?.id === id) change(null);
}

/** Removes any toast, because it would cover what is shown next. */
export function clearToast(): void {
  if (current) change(null);
}

export function currentToast(): Toast | null {
  return current;
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: Toast | null): void {
  current = next;
  listeners.forEach((listener) => {
    listener();
  });
}
