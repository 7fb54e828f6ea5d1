import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { expect } from 'vitest'
import { readRecipe, runProxy } from './proxy.ts'
import type { OwnServer } from './servers.ts'

const program = process.env.TEST_PGBOUNCER ?? 'pgbouncer'
const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(spawnSync(program, ['--version']).stdout?.toString() ?? '') ?? []

/** Whether there is a PgBouncer that keeps prepared statements for transactions. */
export const hasPgbouncer = Number(major) > 1 || Number(minor) >= 21

/** Starts PgBouncer with the configuration of deploy/postgresql, for another address. Returns its port. */
export async function startPgbouncer(
  server: OwnServer,
  database: string,
  change: (recipe: string) => string = (recipe) => recipe,
): Promise<number> {
  const port = await pickFreePort()
  const folder = mkdtempSync(join(tmpdir(), 'storedex-pgbouncer-'))
  chmodSync(folder, 0o755)
  const recipe = readRecipe('pgbouncer.ini')
  const replaced = change(recipe)
    .replace(
      /^storedex = host=10.0.0.11 port=5432 dbname=storedex/m,
      `${database} = host=127.0.0.1 port=${server.port}`,
    )
    .replace('listen_addr = 10.0.0.10', 'listen_addr = 127.0.0.1\nunix_socket_dir =')
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('auth_type = scram-sha-256', 'auth_type = trust')
    .replace('/etc/pgbouncer/userlist.txt', join(folder, 'users'))
  expect(replaced).not.toContain('10.0.0.')
  writeFileSync(join(folder, 'users'), '"storedex" ""\n')
  writeFileSync(join(folder, 'pgbouncer.ini'), replaced)
  // It does not run as root; who owns the server's files may run it too.
  const { uid, gid } = statSync(server.data)
  const owner = process.getuid?.() === 0 ? { uid, gid } : {}
  await runProxy(program, [join(folder, 'pgbouncer.ini')], { folder, ready: /process up/, owner })
  return port
}
