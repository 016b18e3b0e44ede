import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { lazy, Suspense, type ComponentType } from 'react';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import { ArrivingBar } from './arriving-bar';

afterEach(() => {
  window.history.replaceState(null, '', '/');
});

test('s425_a_screen_that_is_on_its_way_is_announced_until_it_is_here', async () => {
  let arrive: (screen: { default: ComponentType }) => void = () => undefined;
  const Slow = lazy(() => new Promise<{ default: ComponentType }>((resolve) => (arrive = resolve)));
  render(
    <BrowserRouter>
      <ArrivingBar />
      <Suspense>
        <Routes>
          <Route path="/" element={<Link to="/slow">Go</Link>} />
          <Route path="/slow" element={<Slow />} />
        </Routes>
      </Suspense>
    </BrowserRouter>,
  );
  const bar = screen.getByRole('status');
  await userEvent.click(screen.getByRole('link', { name: 'Go' }));
  expect(bar).toBeEmptyDOMElement();
  await waitFor(() => {
    expect(bar).toHaveTextContent('Loading...');
  });
  expect(screen.getByRole('link', { name: 'Go' })).toBeInTheDocument();
  await act(async () => {
    arrive({ default: () => <p>Here</p> });
    await Promise.resolve();
  });
  expect(await screen.findByText('Here')).toBeInTheDocument();
  expect(bar).toBeEmptyDOMElement();
  // A press that leads nowhere announces nothing.
  await userEvent.click(screen.getByText('Here'));
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(bar).toBeEmptyDOMElement();
});
