export const themes = ['light', 'dark', 'system'] as const;

/**
 * The chosen theme, stored under the key `theme` (SPECIFICATION.md S-316). public/theme.js reads it
 * before the first paint.
 */
export type Theme = (typeof themes)[number];

const storageKey = 'theme';
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)');

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

export function isDark(theme: Theme): boolean {
  return theme === 'dark' || (theme === 'system' && systemIsDark().matches);
}

/** Shows a theme from now on and stores the choice on this device. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Then the choice lasts until the page is closed.
  }
  show(theme);
}

/** Follows the device, and the choice of another tab, while the page is open. */
export function followTheme(): void {
  const follow = () => {
    show(storedTheme());
  };
  systemIsDark().addEventListener('change', follow);
  window.addEventListener('storage', (event) => {
    if (event.key === storageKey) follow();
  });
}

function show(theme: Theme): void {
  const dark = isDark(theme);
  document.documentElement.classList.toggle('dark', dark);
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
}
