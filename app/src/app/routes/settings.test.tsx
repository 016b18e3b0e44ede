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
  test('s314_s317_notifications_are_on_and_kept_on_the_device', async () => {
    const { person } = showRoute(<SettingsRoute />);
    const toggle = screen.getByRole('switch', { name: 'Notifications' });
    expect(toggle).toBeChecked();
    await person.click(toggle);
    expect(await screen.findByText('Notifications are off')).toBeInTheDocument();
    expect(localStorage.getItem('notifications')).toBe('false');
    await person.click(toggle);
    expect(await screen.findByText('Notifications are on')).toBeInTheDocument();
  });

  test('s315_s320_a_language_is_chosen_and_kept', async () => {
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

  test('s316_s317_s359_the_theme_is_the_devices_until_another_is_chosen', async () => {
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

  test('s316_a_change_of_the_device_is_followed_only_where_nothing_else_was_chosen', () => {
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

  test('s318_links_to_the_pages_about_the_product', () => {
    showRoute(<SettingsRoute />);
    const targets = ['Terms & Conditions', 'Privacy Policy', 'About'].map((name) =>
      screen.getByRole('link', { name }).getAttribute('href'),
    );
    expect(targets).toEqual(['/terms', '/privacy', '/about']);
  });
});
