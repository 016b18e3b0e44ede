import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { warnOnLeaving } from '@/lib/leave-warning';
import { lazyDialog } from './lazy-dialog';
import { Toaster } from './ui/toaster';

interface GreetingProps {
  onClose: () => void;
}

const load = vi.fn<() => Promise<{ default: (props: GreetingProps) => React.ReactNode }>>();
const lost = new TypeError('Importing a module script failed.');

beforeEach(() => {
  load.mockReset().mockResolvedValue({ default: () => <p>How do you do</p> });
});

function show() {
  const Greeting = lazyDialog<GreetingProps>(load);
  function Screen() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <h1>The screen</h1>
        <button
          onClick={() => {
            setOpen(true);
          }}
        >
          Open
        </button>
        {open ? (
          <Greeting
            onClose={() => {
              setOpen(false);
            }}
          />
        ) : null}
        <Toaster />
      </>
    );
  }
  render(<Screen />);
  const person = userEvent.setup();
  return () => person.click(screen.getByRole('button', { name: 'Open' }));
}

describe('a dialog whose code comes on demand', () => {
  // rows: S-425
  test('a dialog shows that it is loading', async () => {
    load.mockReturnValue(new Promise(() => undefined));
    await show()();
    expect(screen.getByText('Loading...')).toBeInTheDocument();
  });

  // rows: S-423
  test('a dialog that fails to load leaves the screen and opens at the next press', async () => {
    load.mockRejectedValueOnce(lost);
    const open = show();
    await open();
    expect(await screen.findByText('Something Went Wrong')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'The screen' })).toBeInTheDocument();
    expect(screen.queryByText('Loading...')).toBeNull();
    await open();
    expect(await screen.findByText('How do you do')).toBeInTheDocument();
  });

  // rows: S-423 S-427
  test('a dialog that fails while a document is generated offers no reload', async () => {
    const stopWarning = warnOnLeaving();
    load.mockRejectedValueOnce(lost);
    const open = show();
    await open();
    expect(await screen.findByText('Something Went Wrong')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Load the page again' })).toBeNull();
    stopWarning();
    load.mockRejectedValueOnce(lost);
    await open();
    expect(await screen.findByRole('button', { name: 'Load the page again' })).toBeInTheDocument();
  });

  // rows: S-423
  test('a dialog that fails without a network says that there is no network', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    load.mockRejectedValueOnce(lost);
    await show()();
    expect(await screen.findByText('No Internet Connection')).toBeInTheDocument();
  });

  // rows: S-050
  test('a dialog that crashes leaves the screen', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    load.mockResolvedValue({
      default: () => {
        throw new Error('the chalk broke');
      },
    });
    await show()();
    await waitFor(() => {
      expect(screen.getByRole('alert')).toHaveTextContent('Something Went Wrong');
    });
    expect(screen.getByRole('heading', { name: 'The screen' })).toBeInTheDocument();
  });
});
