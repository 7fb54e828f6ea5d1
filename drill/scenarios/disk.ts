import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { requestText } from '../client/http-connection.ts'
import { Probe, timeUntilServed } from '../client/probe.ts'
import { Revealers } from '../client/revealers.ts'
import { checkInvariants, lookup, openInstallation } from '../installation/installation.ts'
import { isTrueWithin } from '../installation/processes.ts'
import { writeRecords } from '../installation/seed.ts'
import { type Drill, type Scenario, Skipped } from '../scenario.ts'

const diskMb = 260
const blockBytes = 64 * 1024
const fullForMs = 12_000
const maxRecoveryMs = 90_000

export const disk: Scenario = {
  name: 'disk',
  title: 'a full disk',
  expected:
    'DATA_DIR lies on a small tmpfs that is filled to the last block under reveals. /readyz becomes 503, requests get 503 and never 500, an import ends with a sentence about the disk; when there is room again everything goes on and the ledger balances.',

  async run(drill) {
    const folder = mountDisk(drill)
    const installation = await openInstallation(drill, { dataDir: join(folder, 'data') })
    const { origin } = installation.service
    const revealers = new Revealers(installation, { clients: 12, random: drill.random, pauseMs: 20 })
    revealers.start()
    await delay(1_000)
    const ballast = new Ballast(join(folder, 'ballast'))
    ballast.start()
    const isUnready = await isTrueWithin(30_000, async () => !(await installation.service.isReady()), 200)
    drill.check('/readyz becomes 503', isUnready, isUnready ? '503' : 'still 200 after 30 s on a full disk')
    const lookups = new Probe({
      origin,
      text: lookup(installation.domains[2]!, installation.accounts.greedy.key),
      everyMs: 100,
    })
    const readiness = new Probe({ origin, text: requestText('GET', '/readyz'), everyMs: 500 })
    const file = join(drill.folder, 'more.ndjson')
    writeRecords(file, [...generateStores(20_000, 9)])
    const imported = await installation.commands.start('import', 'stores', file).end
    await delay(fullForMs)
    await lookups.stop()
    await readiness.stop()

    const { answers } = lookups
    drill.check(
      'requests get 503, or 200 where nothing is written, and never 500',
      answers.besides('200', '503') === 0,
      `${answers}`,
    )
    drill.check('reveals get 200 or 503', revealers.answers.besides('200', '503', '409') === 0, `${revealers.answers}`)
    const sentence = imported.stderr.trim()
    const speaksOfDisk = imported.code === 1 && /disk|space|room/i.test(sentence) && !/overload/i.test(sentence)
    drill.check(
      'an import ends with a sentence about the disk',
      speaksOfDisk,
      `exit code ${imported.code}: ${sentence}`,
    )
    drill.figure('/readyz on the full disk', String(readiness.answers))

    await ballast.remove()
    const recoveredMs = await timeUntilServed(
      origin,
      lookup(installation.domains[3]!, installation.accounts.modest.key),
      maxRecoveryMs,
    )
    const came = recoveredMs === null ? `not within ${maxRecoveryMs / 1_000} s` : `${Math.round(recoveredMs)} ms`
    drill.check('it serves again when there is room', recoveredMs !== null, came)
    await revealers.finish()
    const isReady = await installation.service.isReadyWithin(maxRecoveryMs)
    drill.check('/readyz is 200 again', isReady, isReady ? '200' : '503')
    await revealers.check(drill)
    await checkInvariants(drill, installation)
  },
}

/** Mounts a small disk for the scenario. */
function mountDisk({ folder, cleanup }: Drill): string {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=0711`, 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    throw new Skipped('this user may not mount a tmpfs; run the drill as root')
  }
  cleanup.add(() => execFileSync('umount', ['--lazy', disk], { stdio: 'ignore' }))
  chmodSync(disk, 0o711)
  return disk
}

/** Keeps the disk full. */
class Ballast {
  readonly #file: string
  #timer: NodeJS.Timeout | undefined

  constructor(file: string) {
    this.#file = file
  }

  start(): void {
    this.#fill()
    this.#timer = setInterval(() => this.#fill(), 100)
  }

  async remove(): Promise<void> {
    clearInterval(this.#timer)
    rmSync(this.#file, { force: true })
  }

  #fill(): void {
    const block = Buffer.alloc(blockBytes)
    try {
      while (statfsSync(join(this.#file, '..')).bavail > 0) appendFileSync(this.#file, block)
    } catch {
      // The disk is full.
    }
  }
}
