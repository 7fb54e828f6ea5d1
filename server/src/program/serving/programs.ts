import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ThreadProgram } from '@storedex/work'

/** How to run a thread: its bundle next to this one, otherwise its source. */
export function threadProgram(
  name: 'search-thread' | 'count-thread' | 'import-thread' | 'reading-thread',
): ThreadProgram {
  const siblingPath = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  const bundle = siblingPath(`./${name}.js`)
  if (existsSync(bundle)) return { file: bundle, execArgv: [] }
  // tsx does not register itself in threads.
  const registration = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register()`
  const preload = `data:text/javascript,${encodeURIComponent(registration)}`
  return { file: siblingPath(`../bin/${name}.ts`), execArgv: ['--import', preload] }
}

/** Node arguments that run the stand-in for Stripe: its bundle next to ours, otherwise its source. */
export function standinProgram(projectDir: string): string[] {
  const bundle = fileURLToPath(new URL('./standin.js', import.meta.url))
  if (existsSync(bundle)) return [bundle]
  return ['--import', import.meta.resolve('tsx'), join(projectDir, 'stripe-standin/src/bin/standin.ts')]
}
