// Sets the theme before the first paint; src/lib/theme.ts changes it later. A blocking file, because inline scripts are
// forbidden by the Content-Security-Policy.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('theme')
  } catch {
    // Storage is switched off: follow the system.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.theme = chosen === 'light' || chosen === 'dark' ? chosen : system
})()
