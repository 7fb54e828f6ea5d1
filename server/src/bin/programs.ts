import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ThreadProgram } from '../search/replica/thread.ts'

/** How to run the search thread: its bundle next to ours, otherwise its source. */
export function searchThreadProgram(): ThreadProgram {
  const siblingPath = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const bundle = siblingPath('./search-thread.js')
  if (existsSync(bundle)) return { file: bundle, execArgv: [] }
  // tsx does not register itself in threads.
  const registration = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register()`
  const preload = `data:text/javascript,${encodeURIComponent(registration)}`
  return { file: siblingPath('./search-thread.ts'), execArgv: ['--import', preload] }
}

/** Node arguments that run the stand-in for Stripe: its bundle next to ours, otherwise its source. */
export function standinProgram(projectDir: string): string[] {
  const bundle = fileURLToPath(new URL('./standin.js', import.meta.url))
  if (existsSync(bundle)) return [bundle]
  return ['--import', import.meta.resolve('tsx'), join(projectDir, 'stripe-standin/src/bin/standin.ts')]
}
