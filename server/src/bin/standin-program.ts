import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Arguments of node that run the stand-in for Stripe: its bundle beside ours, else its source as ours is run. */
export function standinProgram(projectDir: string): string[] {
  const bundle = fileURLToPath(new URL('./standin.js', import.meta.url))
  if (existsSync(bundle)) return [bundle]
  return ['--import', import.meta.resolve('tsx'), join(projectDir, 'stripe-standin/src/bin/standin.ts')]
}
