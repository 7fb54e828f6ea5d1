import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const oldestPostgres = 15

/** The programs of the oldest PostgreSQL on this machine that is new enough: the one furthest from ours. Undefined: none. */
export function findOtherPostgres() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number) : []
  return versions
    .filter((version) => version >= oldestPostgres)
    .sort((a, b) => a - b)
    .map((version) => join(root, String(version), 'bin'))
    .find((folder) => canRun(join(folder, 'postgres')) && canRun(join(folder, 'initdb')))
}

function canRun(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
