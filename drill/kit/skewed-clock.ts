import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { Skipped } from '../scenario.ts'

const name = 'faketime/libfaketimeMT.so.1'

/** A clock that other processes read in place of the machine's, and that can be set while they run. */
export class SkewedClock {
  readonly #file: string
  /** What the processes need in their environment. */
  readonly environment: Record<string, string>

  constructor(file: string) {
    this.#file = file
    this.set(0)
    this.environment = {
      LD_PRELOAD: findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      // Timers go by the monotonic clock, which no operator can set.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      // The file is read each time, so that a step is seen at once.
      FAKETIME_NO_CACHE: '1',
    }
  }

  /** Sets it this much ahead of the machine's clock. */
  set(aheadSeconds: number): void {
    const aside = `${this.#file}.new`
    writeFileSync(aside, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`)
    chmodSync(aside, 0o644)
    renameSync(aside, this.#file)
  }
}

/** For what a process has begun by the clock it had. */
export const settleMs = 500

function findLibrary(): string {
  const library = ['/usr/lib', '/usr/local/lib']
    .filter((root) => existsSync(root))
    .flatMap((root) => ['', ...readdirSync(root)].map((folder) => `${root}/${folder}/${name}`))
    .find((path) => existsSync(path))
  if (!library) throw new Skipped('libfaketime is not installed; on Debian: apt-get install faketime')
  return library
}
