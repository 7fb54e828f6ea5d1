import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mapConcurrently } from '@storedex/testkit'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { HttpConnection, labelOf, requestText } from '../client/http-connection.ts'
import {
  checkInvariants,
  type Installation,
  lookup,
  openExternalInstallation,
  openInstallation,
  searchStores,
} from '../installation/installation.ts'
import { makeAccount } from '../installation/seed.ts'
import { type Drill, type Scenario, Skipped } from '../scenario.ts'

const day = 86_400
const steps = {
  '+1 day': day,
  '-1 day': -day,
  '+31 days': 31 * day,
  '-31 days': -31 * day,
  '+10 years': 3_652 * day,
  '-10 years': -3_652 * day,
}

/** Label → clocks to set. */
type Clocks = Record<string, readonly SkewedClock[]>

/** Together above the plan's 60 a minute, so that refusals show when both count to the same minute. */
const [requestsWhileWrong, requestsAfter] = [50, 20]
/** With a correct server clock both fall into one minute, so together they stay within the limit. */
const requestsWhileServerIsRight = 30

export const clock: Scenario = {
  name: 'clock',
  title: 'clock steps of a day, 31 days and ten years, ahead and back',
  expected:
    "the server's clock, PostgreSQL's, or both step by ±1 day, ±31 days and ±10 years while requests are made, and are then corrected. No request gets a 500, no process ends, and right after the correction an account that keeps to its limits gets nothing but 200.",

  async run(drill) {
    const ofServer = new SkewedClock(join(drill.folder, 'server-clock'))
    if (drill.isShort) {
      const installation = await openInstallation(drill, { environment: ofServer.environment })
      await stepAll(drill, installation, { server: [ofServer] }, ['+1 day'])
      return checkInvariants(drill, installation)
    }
    const ofPostgres = new SkewedClock(join(drill.folder, 'postgres-clock'))
    const installation = await openExternalInstallation(drill, {
      serverEnvironment: ofServer.environment,
      postgresEnvironment: ofPostgres.environment,
    })
    const clocks = { server: [ofServer], PostgreSQL: [ofPostgres], both: [ofServer, ofPostgres] }
    await stepAll(drill, installation, clocks, Object.keys(steps) as (keyof typeof steps)[])
    const { isRunning } = installation.postgres
    drill.check('PostgreSQL never ends', isRunning, isRunning ? 'it never ended' : 'it ended')
    await checkInvariants(drill, installation)
  },
}

async function stepAll(
  drill: Drill,
  installation: Installation,
  clocks: Clocks,
  wanted: (keyof typeof steps)[],
): Promise<void> {
  const whileWrong = new Counts()
  const faults = new Counts()
  const cases = wanted.flatMap((step) => Object.entries(clocks).map(([whose, affected]) => ({ step, whose, affected })))
  const accounts = await mapConcurrently(cases, () => makeAccount(installation.commands, 'clock', false), 2)
  for (const [index, { step, whose, affected }] of cases.entries()) {
    const { key } = accounts[index]!
    for (const each of affected) each.set(steps[step])
    await delay(settleMs)
    const isServerRight = whose === 'PostgreSQL'
    const seen = await useService(installation, key, isServerRight ? requestsWhileServerIsRight : requestsWhileWrong)
    for (const { name } of seen) {
      whileWrong.add(name)
      if (name === '500') faults.add(`${step}, ${whose}`)
    }
    for (const each of affected) each.set(0)
    await delay(settleMs)
    const after = await useService(installation, key, requestsAfter)
    const refused = after.filter(({ name }) => name !== '200')
    const came = `${refused.length} of ${after.length} refused${refused[0] ? `: ${refused[0].name}${refused[0].advice}` : ''}`
    drill.check(`after ${step} of ${whose}, all are served at once`, refused.length === 0, came)
    drill.reportProgress(`${step} of ${whose}: ${came}`)
    if (!installation.service.isRunning) await installation.service.start()
  }
  drill.check('no request gets a 500 while a clock is wrong', faults.besides() === 0, `${faults}`)
  drill.figure('answers while a clock was wrong', String(whileWrong))
}

interface ObservedAnswer {
  /** The status, or how the connection was lost. */
  name: string
  /** The Retry-After of a refusal, as text. */
  advice: string
}

/** Sends lookups with a limited account, and one request of each other kind with an unlimited one. */
async function useService(installation: Installation, key: string, lookups: number): Promise<ObservedAnswer[]> {
  const { service, accounts, domains, contactIds } = installation
  const unlimited = accounts.modest.key
  const texts = [
    ...Array.from({ length: lookups }, () => lookup(domains[4]!, key)),
    searchStores(unlimited, 1),
    requestText('POST', '/api/v1/contacts/reveal', { key: unlimited, body: { contact_ids: [contactIds[0]!] } }),
  ]
  const connection = new HttpConnection(service.origin)
  const seen: ObservedAnswer[] = []
  for (const text of texts) {
    const answer = await connection.request(text, 15_000)
    const retryAfter = answer.status === null ? undefined : /\r\nretry-after: *(\d+)/i.exec(answer.head)?.[1]
    seen.push({ name: labelOf(answer), advice: retryAfter === undefined ? '' : `, Retry-After ${retryAfter} s` })
  }
  connection.close()
  return seen
}

const libraryPath = 'faketime/libfaketimeMT.so.1'

/** A fake system clock for other processes, which can be set while they run. */
class SkewedClock {
  readonly #file: string
  /** Environment variables of the processes. */
  readonly environment: Record<string, string>

  constructor(file: string) {
    this.#file = file
    this.set(0)
    this.environment = {
      LD_PRELOAD: findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      // Timers use the monotonic clock, which cannot be set.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      // Read the file each time, so that a step takes effect at once.
      FAKETIME_NO_CACHE: '1',
    }
  }

  /** Sets the offset from the machine's clock. */
  set(aheadSeconds: number): void {
    const aside = `${this.#file}.new`
    writeFileSync(aside, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`)
    chmodSync(aside, 0o644)
    renameSync(aside, this.#file)
  }
}

/** Time for operations that began with the earlier clock. */
const settleMs = 500

function findLibrary(): string {
  const library = ['/usr/lib', '/usr/local/lib']
    .filter((root) => existsSync(root))
    .flatMap((root) => ['', ...readdirSync(root)].map((folder) => `${root}/${folder}/${libraryPath}`))
    .find((path) => existsSync(path))
  if (!library) throw new Skipped('libfaketime is not installed; on Debian: apt-get install faketime')
  return library
}
