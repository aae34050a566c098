const KEY = 'calibron-theme';

/** Applies the choice of an earlier visit; without one the page follows the system. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

/** Whether the page is dark, by the person's choice here or in the system. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme'];
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

export function switchTheme(): void {
  const root = document.documentElement;
  root.dataset['theme'] = isDark() ? 'light' : 'dark';
  localStorage.setItem(KEY, root.dataset['theme']);
}
