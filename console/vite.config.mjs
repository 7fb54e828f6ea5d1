// Plain JavaScript, so that the launcher's Vite loads it without writing a compiled copy beside the packages.
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), tailwindcss(), onlyEnglishStrings()],
  build: {
    target: ['chrome115', 'edge115', 'firefox121', 'safari17'],
    manifest: true,
    sourcemap: false,
    // Neither inlined files nor an inline script: the pages are served under a strict Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    chunkSizeWarningLimit: 1024,
    rolldownOptions: { output: { chunkFileNames } },
  },
  // `npm run console` shows the sources, with the data of a service that runs beside it.
  server: { proxy: Object.fromEntries(['/console/api', '/api', '/docs'].map((path) => [path, service])) },
})

/**
 * Named by its folder where the file is a page: `assets/operator-accounts-<hash>.js`.
 * @param {{ name: string, facadeModuleId?: string | null }} chunk
 */
function chunkFileNames({ name, facadeModuleId }) {
  const folder = /\/src\/pages\/(.+)\/(?:page|layout)\.tsx$/.exec(facadeModuleId ?? '')?.[1]
  return `assets/${folder?.replaceAll('/', '-') ?? name.replaceAll('.', '-')}-[hash].js`
}

/** React Aria ships its strings in 34 languages. The console speaks English, also in a browser that does not. */
function onlyEnglishStrings() {
  const otherLanguage = /\/react-(aria|stately)(-components)?\/dist\/.*\/intl\/[^/]+\/(?!en-US)[a-z]{2}-[A-Z]{2}\.mjs$/
  return {
    name: 'only-english-strings',
    /** @param {string} id */
    load: (id) => (otherLanguage.test(id) ? 'export default {}' : null),
  }
}
