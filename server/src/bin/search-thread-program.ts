import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ThreadProgram } from '../search/feed/thread.ts'

/** How the search's thread is run: its bundle beside ours, else its source as ours is run. */
export function searchThreadProgram(): ThreadProgram {
  const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const bundle = beside('./search-thread.js')
  if (existsSync(bundle)) return { file: bundle, execArgv: [] }
  return { file: beside('./search-thread.ts'), execArgv: ['--import', import.meta.resolve('tsx')] }
}
