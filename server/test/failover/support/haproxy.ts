import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { expect } from 'vitest'
import { atEnd } from '../../support/cleanup.ts'

export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

/** Starts haproxy with the configuration of docs/operations.md, between other addresses. Returns its port. */
export async function startHaproxy(ports: readonly [number, number]): Promise<number> {
  const port = await pickFreePort()
  const folder = mkdtempSync(join(tmpdir(), 'storedex-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  const [, recipe = ''] = /```haproxy\n(global\n[^`]+)```/.exec(readFileSync(operationsPage, 'utf8')) ?? []
  expect(recipe).toContain('in_hot_standby')
  const replaced = recipe
    .replace('10.0.0.10:5432', `127.0.0.1:${port}`)
    .replace('10.0.0.11:5432', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.12:5432', `127.0.0.1:${ports[1]}`)
  expect(replaced).not.toContain('10.0.0.')
  writeFileSync(file, replaced)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const closed = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGKILL')
    await closed
    rmSync(folder, { recursive: true, force: true })
  })
  await Promise.race([
    expect.poll(() => said, { timeout: 10_000 }).toMatch(/Server postgresql\/b is DOWN/),
    closed.then(() => Promise.reject(new Error(`haproxy ended: ${said}`))),
  ])
  return port
}

const operationsPage = join(import.meta.dirname, '../../../../docs/operations.md')
