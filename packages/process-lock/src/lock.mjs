import { readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { currentProcessIdentity, isProcessAlive, pidOf } from './processes.mjs'
import { ignoreErrors } from './system-errors.mjs'

/*
 * A lock between processes, released by the death of its holder. It is a row of numbered symbolic links, `lock.1`,
 * `lock.2` …, whose targets identify the processes that made them; only the highest number counts, and a number is never
 * used again. To take the lock, a process makes the next number once the highest is free or its process is dead, and
 * making a link succeeds for one process only. So a dead holder needs no removal, and two processes that both saw it die
 * cannot both succeed it.
 */
const lockName = /^lock\.(\d+)$/
const free = 'free'
const pollMs = 20

/** A process that is alive held the lock for the whole wait. */
export class LockTimeoutError extends Error {
  /**
   * @param {string} waitingFor
   * @param {LockHolder} holder
   * @param {number} timeoutMs
   */
  constructor(waitingFor, { pid, file }, timeoutMs) {
    super(`Waited ${timeoutMs / 1000} s for ${waitingFor}: process ${pid} still holds the lock ${file}.`)
    this.name = 'LockTimeoutError'
    this.pid = pid
    this.file = file
  }
}

/**
 * @typedef {object} LockHolder
 * @property {number} pid
 * @property {string} file
 *
 * @typedef {object} LockOptions
 * @property {number} timeoutMs
 * @property {string} waitingFor Completes "Waited 30 s for …" in the error of a wait that is too long.
 */

/**
 * Runs `work` while this process alone holds the lock of `directory`, which must exist; waits while another holds it.
 * Throws a `LockTimeoutError` when that takes longer than `timeoutMs`.
 * @template T
 * @param {string} directory
 * @param {() => Promise<T>} work
 * @param {LockOptions} options
 * @returns {Promise<T>}
 */
export async function withLock(directory, work, { timeoutMs, waitingFor }) {
  const deadline = performance.now() + timeoutMs
  let lock = tryLock(directory)
  while ('holder' in lock) {
    if (performance.now() > deadline) throw new LockTimeoutError(waitingFor, lock.holder, timeoutMs)
    await delay(pollMs)
    lock = tryLock(directory)
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/**
 * Takes the lock of `directory` if no living process holds it; otherwise returns its holder.
 * @param {string} directory
 * @returns {{ release: () => void } | { holder: LockHolder }}
 */
export function tryLock(directory) {
  for (;;) {
    const newest = newestNumber(directory)
    const holder = newest === 0 ? free : ignoreErrors(['ENOENT'], () => readlinkSync(pathOf(directory, newest)))
    if (holder === undefined) continue // succeeded and removed since it was listed
    if (holder !== free && isProcessAlive(holder)) {
      return { holder: { pid: pidOf(holder), file: pathOf(directory, newest) } }
    }
    const next = newest + 1
    if (!makeLink(directory, next, currentProcessIdentity())) continue
    // A slow process may have made a number that was used and removed long ago: then there is a higher one.
    if (newestNumber(directory) === next) {
      removeOlder(directory, next)
      return { release: () => releaseLock(directory, next) }
    }
    rmSync(pathOf(directory, next), { force: true })
  }
}

/**
 * @param {string} directory
 * @param {number} number
 */
function releaseLock(directory, number) {
  // ENOENT: the directory was deleted meanwhile.
  const isFree = ignoreErrors(['ENOENT'], () => makeLink(directory, number + 1, free))
  if (isFree) rmSync(pathOf(directory, number), { force: true })
}

/**
 * @param {string} directory
 * @returns {number[]}
 */
function lockNumbers(directory) {
  return readdirSync(directory).flatMap((name) => Number(lockName.exec(name)?.[1] ?? []))
}

/** @param {string} directory */
function newestNumber(directory) {
  return Math.max(0, ...lockNumbers(directory))
}

/**
 * @param {string} directory
 * @param {number} number
 */
function removeOlder(directory, number) {
  for (const older of lockNumbers(directory)) {
    if (older < number) rmSync(pathOf(directory, older), { force: true })
  }
}

/**
 * Returns false if the number is taken.
 * @param {string} directory
 * @param {number} number
 * @param {string} target
 */
function makeLink(directory, number, target) {
  const made = ignoreErrors(['EEXIST'], () => {
    symlinkSync(target, pathOf(directory, number))
    return true
  })
  return made ?? false
}

/**
 * @param {string} directory
 * @param {number} number
 */
function pathOf(directory, number) {
  return join(directory, `lock.${number}`)
}
