const KEY = 'calibron-theme';

/** Applies the choice of an earlier visit; without one the page follows the system. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

export function switchTheme(): void {
  const root = document.documentElement;
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : systemIsDark;
  root.dataset['theme'] = isDark ? 'light' : 'dark';
  localStorage.setItem(KEY, root.dataset['theme']);
}
