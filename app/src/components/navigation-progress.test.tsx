import { act, fireEvent, render, screen } from '@testing-library/react';
import { lazy, Suspense, type ComponentType } from 'react';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { NavigationProgress } from './navigation-progress';

afterEach(() => {
  window.history.replaceState(null, '', '/');
});

// rows: S-425
test('a screen that is loading is announced until it is there', async () => {
  vi.useFakeTimers();
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
  let arrive: (screen: { default: ComponentType }) => void = () => undefined;
  const Slow = lazy(() => new Promise<{ default: ComponentType }>((resolve) => (arrive = resolve)));
  render(
    <BrowserRouter>
      <NavigationProgress />
      <Suspense>
        <Routes>
          <Route path="/" element={<Link to="/slow">Go</Link>} />
          <Route path="/slow" element={<Slow />} />
        </Routes>
      </Suspense>
    </BrowserRouter>,
  );
  const bar = screen.getByRole('status');
  fireEvent.click(screen.getByRole('link', { name: 'Go' }));
  await pass(149);
  expect(bar).toBeEmptyDOMElement();
  await pass(1);
  expect(bar).toHaveTextContent('Loading...');
  expect(screen.getByRole('link', { name: 'Go' })).toBeInTheDocument();
  arrive({ default: () => <p>Here</p> });
  await pass(1);
  expect(screen.getByText('Here')).toBeInTheDocument();
  expect(bar).toBeEmptyDOMElement();
  // A press that leads nowhere announces nothing.
  fireEvent.click(screen.getByText('Here'));
  await pass(1_000);
  expect(bar).toBeEmptyDOMElement();
});
