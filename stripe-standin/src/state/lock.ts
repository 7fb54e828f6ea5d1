import { mkdirSync } from 'node:fs'
import { tryLock } from '@storedex/process-lock'

/**
 * Makes this process the only one that uses the state in `directory`, until it ends or calls the function returned; throws
 * when another process does.
 */
export function lockState(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = tryLock(directory)
  if ('release' in lock) return lock.release
  throw new Error(`Process ${lock.holder.pid} is using the stand-in's state in ${directory}.`)
}
