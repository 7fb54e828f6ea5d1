import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ThreadProgram } from '../search/replica/thread.ts'

/** How the search's thread is run: its bundle beside ours, else its source. */
export function searchThreadProgram(): ThreadProgram {
  const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const bundle = beside('./search-thread.js')
  if (existsSync(bundle)) return { file: bundle, execArgv: [] }
  // In threads, tsx does not register itself.
  const registration = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register()`
  const preload = `data:text/javascript,${encodeURIComponent(registration)}`
  return { file: beside('./search-thread.ts'), execArgv: ['--import', preload] }
}

/** Arguments of node that run the stand-in for Stripe: its bundle beside ours, else its source as ours is run. */
export function standinProgram(projectDir: string): string[] {
  const bundle = fileURLToPath(new URL('./standin.js', import.meta.url))
  if (existsSync(bundle)) return [bundle]
  return ['--import', import.meta.resolve('tsx'), join(projectDir, 'stripe-standin/src/bin/standin.ts')]
}
