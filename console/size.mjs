// How much JavaScript a page loads at first, gzipped: `node console/size.mjs DIST [SOURCE…]`, such as
// `src/pages/stores/page.tsx`. Reads the manifest that Vite writes.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const entry = 'index.html'
// Behind the sign-in a page is drawn inside the layout.
const layout = 'src/shell/app-layout.tsx'

export const firstLoadLimitBytes = 220 * 1024

/**
 * Bytes of all files that the page's first load needs, and their names.
 * @param {string} dist folder that `vite build` wrote
 * @param {string} page source of the page, such as `src/pages/stores/page.tsx`
 */
export function measureFirstLoad(dist, page) {
  /** @type {Record<string, { file: string, imports?: string[] }>} */
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
  const files = new Set(['theme.js'])
  const collect = (/** @type {string} */ key) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no ${key}.`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(collect)
  }
  const isOpen = /\/(sign-in|link|privacy)\/page\.tsx$/.test(page)
  for (const key of [entry, page, ...(isOpen ? [] : [layout])]) collect(key)
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0)
  return { bytes, files: [...files] }
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename) {
  const [dist, ...named] = process.argv.slice(2)
  if (!dist) throw new Error('Name the folder of the build.')
  const pages = named.length > 0 ? named : ['sign-in', 'stores'].map((page) => `src/pages/${page}/page.tsx`)
  for (const page of pages) {
    const { bytes, files } = measureFirstLoad(dist, page)
    console.log(
      `${page}: ${(bytes / 1024).toFixed(1)} KB in ${files.length} files, of ${firstLoadLimitBytes / 1024} KB`,
    )
    if (bytes > firstLoadLimitBytes) process.exitCode = 1
  }
}
