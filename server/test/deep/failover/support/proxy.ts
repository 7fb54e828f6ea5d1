import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { atEnd } from '../../../support/cleanup.ts'

/** A configuration that operators copy, from deploy/postgresql. */
export function readRecipe(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../../../deploy/postgresql', name), 'utf8')
}

interface ProxyOptions {
  /** Removed at the end. */
  folder: string
  /** What it says when it is ready. */
  ready: RegExp
  owner?: Pick<SpawnOptions, 'uid' | 'gid'>
}

/** Runs a program between the service and PostgreSQL until the end of the test. Resolves when it is ready. */
export async function runProxy(program: string, args: string[], { folder, ready, owner }: ProxyOptions): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...owner })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const closed = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGKILL')
    await closed
    rmSync(folder, { recursive: true, force: true })
  })
  await Promise.race([
    expect.poll(() => said, { timeout: 60_000 }).toMatch(ready),
    closed.then(() => Promise.reject(new Error(`${program} ended: ${said}`))),
  ])
}
