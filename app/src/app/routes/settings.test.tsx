import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setLanguage } from '@/lib/i18n';
import { followTheme } from '@/lib/theme';
import { showRoute } from '@/test/show-route';
import SettingsRoute from './settings';

let systemIsDark: boolean;
const systemListeners = new Set<() => void>();

beforeEach(() => {
  systemIsDark = false;
  systemListeners.clear();
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return systemIsDark;
    },
    addEventListener: (_: string, listener: () => void) => systemListeners.add(listener),
  }));
});

afterEach(() => act(() => setLanguage('en')));

const dark = () => document.documentElement.classList.contains('dark');

describe('the settings', () => {
  // rows: S-314 S-317
  test('notifications are on, and the choice stays on the device', async () => {
    const { person } = showRoute(<SettingsRoute />);
    const toggle = screen.getByRole('switch', { name: 'Notifications' });
    expect(toggle).toBeChecked();
    await person.click(toggle);
    expect(await screen.findByText('Notifications are off')).toBeInTheDocument();
    expect(localStorage.getItem('notifications')).toBe('false');
    await person.click(toggle);
    expect(await screen.findByText('Notifications are on')).toBeInTheDocument();
  });

  // rows: S-315 S-320
  test('a language is chosen and stays on the device', async () => {
    const { person } = showRoute(<SettingsRoute />);
    const select = screen.getByLabelText('Language');
    expect(select).toHaveValue('en');
    expect([...select.querySelectorAll('option')].map(({ value }) => value)).toEqual([
      'en',
      'hi',
      'mr',
      'gu',
    ]);
    await person.selectOptions(select, 'hi');
    expect(await screen.findByRole('heading', { name: 'सेटिंग' })).toBeInTheDocument();
    expect(screen.getByText('भाषा बदल दी गई')).toBeInTheDocument();
    expect(localStorage.getItem('language')).toBe('hi');
  });

  // rows: S-316 S-317 S-359
  test('the theme follows the device until another is chosen', async () => {
    const { person } = showRoute(<SettingsRoute />);
    expect(screen.getByRole('radio', { name: 'Like the device' })).toBeChecked();
    await person.click(screen.getByRole('switch', { name: 'Dark mode' }));
    expect(dark()).toBe(true);
    expect(localStorage.getItem('theme')).toBe('dark');
    expect(await screen.findByText('Dark mode is on')).toBeInTheDocument();
    await person.click(screen.getByRole('switch', { name: 'Dark mode' }));
    expect(await screen.findByText('Dark mode is off')).toBeInTheDocument();
    await person.click(screen.getByRole('radio', { name: 'Light' }));
    expect(dark()).toBe(false);
    await person.click(screen.getByRole('radio', { name: 'Like the device' }));
    expect(await screen.findByText('The appearance follows your device')).toBeInTheDocument();
  });

  // rows: S-316
  test('a change of the device is followed only where no theme was chosen', () => {
    followTheme();
    systemIsDark = true;
    systemListeners.forEach((listener) => {
      listener();
    });
    expect(dark()).toBe(true);
    localStorage.setItem('theme', 'light');
    systemListeners.forEach((listener) => {
      listener();
    });
    expect(dark()).toBe(false);
  });

  // rows: S-318
  test('the settings link to the pages about the product', () => {
    showRoute(<SettingsRoute />);
    const targets = ['Terms & Conditions', 'Privacy Policy', 'About'].map((name) =>
      screen.getByRole('link', { name }).getAttribute('href'),
    );
    expect(targets).toEqual(['/terms', '/privacy', '/about']);
  });
});
