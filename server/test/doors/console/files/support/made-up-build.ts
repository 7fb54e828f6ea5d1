import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { atEnd } from '../../../../support/cleanup.ts'

export const script = `export const numbers = [${Array.from({ length: 500 }, (_, index) => index)}]\n`
export const index =
  '<!doctype html><head><title>Storedex</title><script type="module" src="/assets/index-b2.js"></script></head>\n'

/** Writes two builds as the launcher keeps them, the older one beside the one that is served; returns the latter. */
export function writeMadeUpBuilds(): string {
  const dist = mkdtempSync(join(tmpdir(), 'storedex-console-'))
  atEnd(() => rmSync(dist, { recursive: true, force: true }))
  const older = join(dist, 'console-00000000000000aa')
  const served = join(dist, 'console-00000000000000bb')
  writeFiles(older, { 'index.html': 'older', 'pages.json': '{"/gone":[]}', 'assets/index-a1.js': 'export {}\n' })
  writeFiles(join(dist, 'console-of-somebody'), { 'assets/foreign.js': 'foreign' })
  writeFiles(dist, { 'secret.txt': 'secret' })
  writeFiles(served, {
    'index.html': index,
    'pages.json': JSON.stringify({ '/sign-in': [], '/stores': ['assets/stores-d4.js'], '/stores/:domain': [] }),
    'theme.js': 'document.documentElement.dataset.theme = localStorage.theme\n',
    '.vite/manifest.json': '{}',
    'assets/index-b2.js': script,
    'assets/index-b2.js.br': brotliCompressSync(script),
    'assets/index-b2.js.gz': gzipSync(script),
    'assets/icon-c3.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  })
  return served
}

function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}
