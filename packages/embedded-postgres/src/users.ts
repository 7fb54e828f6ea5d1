import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { currentProcessIdentity, isProcessAlive } from '@storedex/process-lock/processes'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { handOver, type Place } from './location.ts'

/**
 * Who uses the cluster: one symbolic link per use, whose target names the process. Read and changed only under the
 * lock. A process that died without saying goodbye is struck off by whoever looks next.
 */
export function registerUser(place: Place): string {
  const directory = join(place.home, 'users')
  if (mkdirSync(directory, { recursive: true, mode: 0o700 })) handOver(place, directory)
  const record = join(directory, `${process.pid}-${randomBytes(6).toString('hex')}`)
  symlinkSync(currentProcessIdentity(), record)
  return record
}

/** Ends one use; answers whether anybody living is left. */
export function unregisterUser(place: Place, record: string): boolean {
  rmSync(record, { force: true })
  const directory = join(place.home, 'users')
  let anybodyLeft = false
  for (const name of ignoreErrors(['ENOENT'], () => readdirSync(directory)) ?? []) {
    if (isProcessAlive(readlinkSync(join(directory, name)))) anybodyLeft = true
    else rmSync(join(directory, name), { force: true })
  }
  return anybodyLeft
}
