import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { type BooksReport, compareBooks, countOrphanClaims, measureBatches, RunningBooks } from '../client/books.ts'
import { summarizeLatencies } from '../client/counts.ts'
import { newSpender, type Spender, Spenders } from '../client/spenders.ts'
import { checkInvariants, type ExternalInstallation, openExternalInstallation } from '../installation/installation.ts'
import { isTrueWithin, postgresProcesses, signal } from '../installation/processes.ts'
import { findContacts, importRecords, makeAccount } from '../installation/seed.ts'
import { launcher, Service } from '../installation/service.ts'
import type { Drill, Scenario } from '../scenario.ts'

const clients = 48
/** So many go on until a killed program serves again: all of them would take the processors that its start needs. */
const clientsDuringStart = 6
const accountsAtOnce = 2
/** New accounts have nothing exported and nobody revealed, so that requests are charged. */
const killsWithAccounts = 100
const shortKills = 5
/** Replies that must come between two kills. */
const repliesBetween = 30
const maxRecoveryMs = 60_000
const maxShown = 5
/** A search returns no more than these. */
const mostRowsOfSearch = 10_000

/** Two services on one database, and its PostgreSQL. */
interface Scene {
  installation: ExternalInstallation
  services: readonly [Service, Service]
}

/** What is killed at once, each as often as it occurs here. */
const victims = [
  ['first'],
  ['second'],
  ['first', 'second'],
  ['first', 'second'],
  ['backend'],
  ['backend'],
  ['backend'],
  ['postgres'],
] as const
type Victims = (typeof victims)[number]

export const charges: Scenario = {
  name: 'charges',
  title: 'kill -9 of two services and of their PostgreSQL, under charges that share transactions',
  expected:
    'clients of two accounts search, look up, enrich and reveal through two services without a pause, so that many requests are charged in one transaction. One service or both (six of ten kills), one process of PostgreSQL (three) or all of it (one) is killed 1,000 times (--kills, or as often as fits into --minutes). After each kill and in the end, every acknowledged reply is in the ledger with its amount, nothing is charged twice, and the counters equal the ledger; in the end no claim of an Idempotency-Key is without its reply.',

  async run(drill) {
    const scene = await openScene(drill)
    const { installation, services } = scene
    const { contactIds, domains } = await fill(drill, installation)
    const origins = services.map(({ origin }) => origin)
    const clientsOf = new Spenders({ origins, contactIds, domains, clients, random: drill.random })
    const wanted = drill.isShort ? shortKills : drill.kills
    const deadline = performance.now() + drill.minutes * 60_000
    const books = new RunningBooks(installation.postgres.url)
    const spenders: Spender[] = []
    const recoveriesMs: number[] = []
    let kills = 0
    while (kills < wanted && performance.now() < deadline) {
      const some = await openSpenders(installation, spenders.length)
      spenders.push(...some)
      clientsOf.start(some)
      const until = Math.min(wanted, kills + killsWithAccounts)
      while (kills < until && performance.now() < deadline) {
        const killed = drill.random.pick(victims.filter(({ length }) => kills + length <= until))
        recoveriesMs.push(await killAndRecover(drill, scene, killed, clientsOf))
        await books.compare(some)
        const tens = Math.floor(kills / 10)
        kills += killed.length
        if (Math.floor(kills / 10) > tens)
          drill.reportProgress(
            `kill ${kills} of ${wanted}: ${clientsOf.acknowledged} replies, ${books.report.compared} of them compared, ${books.isSound ? 'no differences' : 'DIFFERENCES'}`,
          )
      }
      await clientsOf.finish()
      await books.compare(some)
    }
    reportRunningBooks(drill, books, recoveriesMs.length)
    drill.figure('kills', `${kills} of ${wanted}`)
    await report(drill, scene, clientsOf, spenders, recoveriesMs)
  },
}

async function openScene(drill: Drill): Promise<Scene> {
  // Found once, not by each of many starts.
  const prepared = execFileSync(process.execPath, [launcher, 'prepare', '--json'], { encoding: 'utf8' })
  const serverEnvironment = { CONSOLE_DIR: JSON.parse(prepared).console }
  const installation = await openExternalInstallation(drill, { serverEnvironment })
  const { folder, dataDir, service: first, postgres } = installation
  const otherDataDir = join(folder, 'second-data')
  execFileSync('cp', ['-Rp', dataDir, otherDataDir])
  const environment = { DATA_DIR: otherDataDir, DATABASE_URL: postgres.url, ...serverEnvironment }
  const second = await Service.start({ folder, environment, cleanup: drill.cleanup })
  return { installation, services: [first, second] }
}

/** Adds stores and contacts, so that many requests find some that are new to the account. */
async function fill(drill: Drill, { commands, service, accounts }: ExternalInstallation) {
  const { folder, isShort } = drill
  const records = [...generateStores(isShort ? 2_000 : 20_000, 31)]
  await importRecords(commands, 'stores', join(folder, 'stores.ndjson'), records)
  await importRecords(commands, 'contacts', join(folder, 'contacts.ndjson'), [...generateContacts(records, 2, 31)])
  const contactIds = await findContacts(service.origin, accounts.greedy.key, isShort ? 2_000 : mostRowsOfSearch)
  return { contactIds, domains: records.map(({ domain }) => domain) }
}

async function openSpenders({ commands }: ExternalInstallation, existing: number): Promise<Spender[]> {
  const made: Spender[] = []
  for (let number = 1; number <= accountsAtOnce; number++) {
    const name = `spender ${existing + number}`
    made.push(newSpender(name, (await makeAccount(commands, name, true)).key))
  }
  return made
}

/** Kills in the midst of charges; returns after how many milliseconds requests are answered again. */
async function killAndRecover(
  drill: Drill,
  { installation: { postgres }, services: [first, second] }: Scene,
  killed: Victims,
  spenders: Spenders,
): Promise<number> {
  await delay(drill.random.below(250))
  const startedAt = performance.now()
  const named = { first, second }
  spenders.setActive(clientsDuringStart)
  await Promise.all(
    killed.map(async (victim) => {
      if (victim === 'postgres') await postgres.killAndStart()
      else if (victim === 'backend') signal(drill.random.pick(postgresProcesses(postgres.pid).slice(0, -1)), 'SIGKILL')
      else {
        await named[victim].kill()
        await named[victim].start()
      }
    }),
  )
  const before = spenders.acknowledged
  const isAnswered = (replies: number) => isTrueWithin(maxRecoveryMs, () => spenders.acknowledged >= before + replies)
  const isServing = await isAnswered(1)
  spenders.setActive(clients)
  if (!isServing || !(await isAnswered(repliesBetween)))
    throw new Error(`after a kill (${killed.join(', ')}) no request was answered within a minute`)
  return performance.now() - startedAt
}

async function report(
  drill: Drill,
  { installation, services }: Scene,
  spenders: Spenders,
  accounts: readonly Spender[],
  recoveriesMs: readonly number[],
): Promise<void> {
  if (!(await services[0].isReadyWithin(30_000))) throw new Error('the service stopped serving')
  const client = new pg.Client({ connectionString: installation.postgres.url })
  await client.connect()
  try {
    reportBooks(drill, await compareBooks(client, accounts), spenders)
    const orphans = await countOrphanClaims(client)
    drill.check('no claim of an Idempotency-Key is kept without its reply', orphans === 0, `${orphans} without a reply`)
    const { mean, most, shared } = await measureBatches(client)
    drill.figure(
      'requests charged in one transaction',
      `mean ${mean.toFixed(1)}, most ${most}; ${shared} transactions charged several`,
    )
  } finally {
    await client.end()
  }
  await checkInvariants(drill, installation)
  const [, second] = services
  drill.check('nor does the second one', second.unexpectedExits === 0, `it ended ${second.unexpectedExits} times`)
  const { p50Ms, maxMs } = summarizeLatencies(recoveriesMs)
  drill.figure('time until served again', `median ${Math.round(p50Ms)} ms, longest ${Math.round(maxMs)} ms`)
  drill.figure('answers', String(spenders.answers))
}

function reportRunningBooks(drill: Drill, { report, checks, isSound }: RunningBooks, kills: number): void {
  const differences = [...report.wrong, ...report.unequal].slice(0, maxShown)
  drill.check(
    'after each kill the books balance, and have every reply that was acknowledged since the last one',
    isSound && report.compared > 0 && checks > kills,
    `${checks} checks, ${report.compared} replies compared; ${differences.join('; ') || 'no differences'}`,
  )
}

function reportBooks(drill: Drill, books: BooksReport, spenders: Spenders): void {
  const { compared, wrong, delivered, missing, chargedTwice, unequal, credits, exports } = books
  drill.check(
    'every acknowledged reply is in the ledger with its amount',
    compared > 0 && wrong.length === 0,
    `${compared} replies compared; ${wrong.length === 0 ? 'no differences' : wrong.join('; ')}`,
  )
  drill.check(
    'every store of an acknowledged reply is among the exports',
    missing === 0 && delivered > 0,
    `${missing} of ${delivered} are missing`,
  )
  drill.check(
    'each export and each contact is charged once, and the counters equal the ledger',
    unequal.length === 0 && chargedTwice === 0 && credits > 0 && exports > 0,
    `${exports} exports and ${credits} credits; ${chargedTwice} contacts reported as charged twice; ${unequal.join('; ') || 'no differences'}`,
  )
  const { replays, differing, unanswered, faults } = spenders
  drill.check(
    'a replay is the first reply, byte for byte',
    differing === 0,
    `${differing} of ${replays} replays differ`,
  )
  drill.check(
    'every reveal with an Idempotency-Key succeeds in the end, and nothing else is refused',
    unanswered === 0 && faults.length === 0,
    `${unanswered} without a reply; ${faults.join(' ')}`,
  )
}
