import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { queryClient } from '@/lib/query-client';
import { SessionContext, type SessionState } from '@/lib/session';
import { storeSession } from './store-session';

export const teacher = { id: '11111111-1111-4111-8111-111111111111', email: 'asha@school.example' };

/** Renders a screen behind the guard. Without a user it renders it for a visitor. */
export function showRoute(
  route: ReactNode,
  {
    user = teacher,
    at = '/',
    behind,
    signOut = vi.fn(() => Promise.resolve()),
  }: {
    user?: typeof teacher | null;
    at?: string;
    /** The page from which the visitor came. Without it this is the first page. */
    behind?: string;
    signOut?: () => Promise<void>;
  } = {},
) {
  queryClient.clear();
  if (user) storeSession(user);
  const session: SessionState = user ? { status: 'signed-in', user } : { status: 'signed-out' };
  const history = behind === undefined ? [at] : [behind, at];
  render(
    <QueryClientProvider client={queryClient}>
      <SessionContext value={{ session, signOut, sessionEnded: signOut }}>
        <MemoryRouter initialEntries={history} initialIndex={history.length - 1}>
          {route}
          <Address />
        </MemoryRouter>
        <Toaster />
      </SessionContext>
    </QueryClientProvider>,
  );
  return { person: userEvent.setup(), signOut };
}

function Address() {
  return <p data-testid="address">{useLocation().pathname}</p>;
}

/** Returns the current path of the router. */
export function address(): string {
  return screen.getByTestId('address').textContent;
}

/** Catches saved files: their names and contents. */
export function catchDownloads() {
  const names: string[] = [];
  const blobs: Blob[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        blobs.push(blob);
        return 'blob:document';
      },
      revokeObjectURL: () => undefined,
    }),
  );
  return { names, blobs };
}
