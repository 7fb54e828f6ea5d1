import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { expect } from 'vitest'
import { readRecipe, runProxy } from './proxy.ts'

export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

/** Starts haproxy with the configuration of deploy/postgresql, between other addresses. Returns its port. */
export async function startHaproxy(ports: readonly [number, number]): Promise<number> {
  const port = await pickFreePort()
  const folder = mkdtempSync(join(tmpdir(), 'storedex-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  const recipe = readRecipe('haproxy.cfg')
  expect(recipe).toContain('in_hot_standby')
  const replaced = recipe
    .replace('bind 10.0.0.10:5432', `bind 127.0.0.1:${port}`)
    .replace('10.0.0.11:5432', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.12:5432', `127.0.0.1:${ports[1]}`)
  expect(replaced).not.toContain('10.0.0.')
  writeFileSync(file, replaced)
  await runProxy('haproxy', ['-db', '-f', file], { folder, ready: /Server postgresql\/b is DOWN/ })
  return port
}
