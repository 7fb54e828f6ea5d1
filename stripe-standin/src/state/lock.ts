import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const lockName = /^lock\.(\d+)$/

const free = 'free'

/**
 * Makes this process the only one that uses the state in `directory`, until it ends or calls what is returned; throws when
 * another one does. The lock is a row of numbered symbolic links that name their makers. Only the highest counts, a dead
 * maker's is followed by the next number, numbers never return, and making a link succeeds for one process only: so two
 * processes that both found a dead holder cannot both follow it.
 */
export function lockState(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (;;) {
    const newest = newestNumber(directory)
    const holder = newest === 0 ? free : unless('ENOENT', () => readlinkSync(pathOf(directory, newest)))
    if (holder === undefined) continue // followed and removed since it was listed
    if (holder !== free && isAlive(holder))
      throw new Error(`Process ${holder.split('.')[0]} is using the stand-in's state in ${directory}.`)
    const mine = newest + 1
    if (!makeLink(directory, mine, markOf(process.pid))) continue
    // A slow process may have made a number that was passed and removed long ago; a higher one gives it away.
    if (newestNumber(directory) === mine) {
      removeOlder(directory, mine)
      return () => {
        makeLink(directory, mine + 1, free)
        rmSync(pathOf(directory, mine), { force: true })
      }
    }
    rmSync(pathOf(directory, mine), { force: true })
  }
}

function makeLink(directory: string, number: number, mark: string): boolean {
  const made = unless('EEXIST', () => {
    symlinkSync(mark, pathOf(directory, number))
    return true
  })
  return made ?? false
}

function removeOlder(directory: string, number: number): void {
  for (const older of numbers(directory)) if (older < number) rmSync(pathOf(directory, older), { force: true })
}

function newestNumber(directory: string): number {
  return Math.max(0, ...numbers(directory))
}

function numbers(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => Number(lockName.exec(name)?.[1] ?? []))
}

function pathOf(directory: string, number: number): string {
  return join(directory, `lock.${number}`)
}

/** A process by its id and, where the system tells it, its start, so that a later process with the same id is another. */
function markOf(pid: number): string {
  return `${pid}.${startOf(pid)}`
}

function isAlive(mark: string): boolean {
  const pid = Number(mark.split('.')[0])
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return markOf(pid) === mark
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces; the start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
  } catch {
    return '0'
  }
}

function unless<T>(code: string, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined
    throw error
  }
}
