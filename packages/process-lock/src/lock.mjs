import { readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { EmbeddedPostgresError, unless } from '../../embedded-postgres/src/errors.ts'
import { isMarkAlive, markOfThisProcess } from './processes.mjs'

/**
 * A lock between processes that outlives none of them. It is a row of numbered symbolic links, `lock.1`, `lock.2` …,
 * whose targets name their makers; only the highest number counts, and a number is never handed back. Taking the lock
 * means making the next number once the highest is free or its maker is dead, and making a link succeeds for one
 * process only. So a dead holder needs no removal, and two processes that both saw it die cannot both follow it.
 */
const lockName = /^lock\.(\d+)$/
const free = 'free'
const pollMs = 20

/** Runs `work` while this process alone holds the lock of `directory`; waits for the holder before it, within a bound. */
export async function withLock(directory, work, timeoutMs) {
  const generation = await takeLock(directory, timeoutMs)
  try {
    return await work()
  } finally {
    releaseLock(directory, generation)
  }
}

async function takeLock(directory, timeoutMs) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const newest = newestGeneration(directory)
    const holder = newest === 0 ? free : unless(['ENOENT'], () => readlinkSync(pathOf(directory, newest)))
    if (holder === undefined) continue // followed and removed since it was listed
    if (holder === free || !isMarkAlive(holder)) {
      const next = newest + 1
      if (makeLink(directory, next, markOfThisProcess())) {
        // A slow process may have filled a number that was passed and removed long ago; a higher one gives it away.
        if (newestGeneration(directory) === next) {
          removeOlder(directory, next)
          return next
        }
        rmSync(pathOf(directory, next), { force: true })
      }
      continue
    }
    if (performance.now() > deadline) {
      const pid = Number.parseInt(holder, 10)
      throw new EmbeddedPostgresError(
        `Process ${pid} has been starting or stopping PostgreSQL in ${directory} for too long.`,
      )
    }
    await delay(pollMs)
  }
}

function releaseLock(directory, generation) {
  // When the directory was deleted meanwhile there is nothing left to hand on.
  const handedOn = unless(['ENOENT'], () => makeLink(directory, generation + 1, free))
  if (handedOn) rmSync(pathOf(directory, generation), { force: true })
}

function generations(directory) {
  return readdirSync(directory).flatMap((name) => Number(lockName.exec(name)?.[1] ?? []))
}

function newestGeneration(directory) {
  return Math.max(0, ...generations(directory))
}

function removeOlder(directory, generation) {
  for (const older of generations(directory)) {
    if (older < generation) rmSync(pathOf(directory, older), { force: true })
  }
}

function makeLink(directory, generation, mark) {
  const made = unless(['EEXIST'], () => {
    symlinkSync(mark, pathOf(directory, generation))
    return true
  })
  return made ?? false
}

function pathOf(directory, generation) {
  return join(directory, `lock.${generation}`)
}
