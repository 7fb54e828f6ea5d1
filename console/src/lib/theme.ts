import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

// The same key and attribute as in public/theme.js, which sets the theme before the first paint.
const storageKey = 'theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, readChoice)
}

export function chooseTheme(choice: ThemeChoice): void {
  try {
    if (choice === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, choice)
  } catch {
    // Storage is switched off: it lasts until the page is reloaded.
  }
  apply(choice)
  for (const listener of listeners) listener()
}

/** Follows the system while nothing else is chosen, and other tabs. Once, at start. */
export function followTheme(): void {
  const update = () => {
    apply(readChoice())
    for (const listener of listeners) listener()
  }
  system.addEventListener('change', update)
  window.addEventListener('storage', ({ key }) => (key === storageKey || key === null) && update())
}

function apply(choice: ThemeChoice): void {
  document.documentElement.dataset.theme = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice
}

function readChoice(): ThemeChoice {
  try {
    const choice = localStorage.getItem(storageKey)
    return choice === 'light' || choice === 'dark' ? choice : 'system'
  } catch {
    return 'system'
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
