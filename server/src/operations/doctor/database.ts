import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { withTimeout } from '@storedex/work'
import { ClockSkewMonitor } from '../../foundation/db/clock-skew.ts'
import { isLedgerAppendOnly } from '../../foundation/db/grants.ts'
import { DatabaseHealthCheck } from '../../foundation/db/health.ts'
import { readServiceUrl } from '../../foundation/db/installation.ts'
import { type ConnectionPool, createPool, transact } from '../../foundation/db/pool.ts'
import { clearTextWarning } from '../../foundation/db/tls.ts'
import { openContact } from '../../foundation/encryption/keyring.ts'
import { readKeyFile } from '../../foundation/encryption/keyring-file.ts'
import { countByDataKey, type DataKeyUse, readRecordedDataKeys } from '../../foundation/encryption/queries.ts'
import { normalizeDomain } from '../../foundation/kernel/domain.ts'
import { createSealer } from '../../foundation/kernel/seal.ts'
import { type Clock, formatNumber } from '../../foundation/kernel/time.ts'
import { estimateNeededBytes, megabyte } from '../../search/replica/memory-budget.ts'
import { estimateRows } from '../../search/replica/queries.ts'
import { searchBudget } from '../../search/service/service.ts'
import type { Config } from '../config.ts'
import { endPool, migrationsFolder, type OpenedDatabase } from '../resources/database.ts'
import { type Check, failed, passed, runCheck, warned } from './checks.ts'
import type { RunningService } from './machine.ts'
import * as queries from './queries.ts'
import { checkStandby } from './standby.ts'

/** The embedded server may have to be started, and may recover from a crash first. */
const openTimeoutMs = 20_000
const answerMs = 5_000

/** Opens the database as it stands: neither migrated nor filled. */
export type OpenDatabase = (config: Config) => Promise<OpenedDatabase>

interface Opened {
  db: ConnectionPool
  ownerUrl: string
  serviceUrl: string
  serviceRole: string | null
  facts: queries.DatabaseFacts
}

interface DatabaseFindings {
  checks: Check[]
  /** Null if no service is connected, or if it cannot be read. */
  service: RunningService | null
}

/** Checks of the database. It is not migrated; the one write is a probe that is rolled back. */
export async function checkDatabase(
  config: Config,
  { openDatabase, clock }: { openDatabase: OpenDatabase; clock: Clock },
): Promise<DatabaseFindings> {
  if (!hasDatabase(config))
    return {
      checks: [warned('database', `There is no database in ${config.dataDir} yet.`, '"npm start" makes one.')],
      service: null,
    }
  let close = async () => {}
  try {
    const opening = openForReading(config, openDatabase)
    // One that opens too late ends with the process.
    close = () =>
      withTimeout(
        opening.then((late) => late.close()),
        answerMs,
        () => {},
      )
    const { opened } = await withTimeout(opening, openTimeoutMs, () => {
      throw new Error(`The database did not answer within ${openTimeoutMs / 1000} s.`)
    })
    return { checks: await checkOpened(config, clock, opened), service: await findService(opened) }
  } catch (error) {
    const advice = config.databaseUrl
      ? 'Correct DATABASE_URL, or start that PostgreSQL; then run this again.'
      : `See ${join(config.dataDir, 'postgres/start.log')} and the logs in postgres/cluster/data/log.`
    return { checks: [failed('database', (error as Error).message, advice)], service: null }
  } finally {
    await close().catch(() => {})
  }
}

function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== null || existsSync(join(dataDir, 'postgres/cluster'))
}

async function openForReading(
  config: Config,
  openDatabase: OpenDatabase,
): Promise<{ opened: Opened; close: () => Promise<void> }> {
  const { ownerUrl, serviceUrl, serviceRole, release } = await openDatabase(config)
  const db = createPool({
    ...{ url: ownerUrl, applicationName: 'storedex doctor', maxConnections: 2 },
    ...{ connectionTimeoutMs: answerMs, statementTimeoutMs: answerMs, answerTimeoutMs: answerMs + 1_000 },
  })
  const close = async () => {
    await endPool(db)
    await release()
  }
  try {
    return { opened: { db, ownerUrl, serviceUrl, serviceRole, facts: await queries.readServerFacts(db) }, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function findService({ db, facts }: Opened): Promise<RunningService | null> {
  if (facts.services === 0 || !facts.has_schema) return null
  return { url: await readServiceUrl(db).catch(() => null) }
}

async function checkOpened(config: Config, clock: Clock, opened: Opened): Promise<Check[]> {
  const { db, facts } = opened
  const first = await runCheck('database', () => checkServer(config, opened))
  const clockCheck = await runCheck('clock', () => checkClock(opened, clock))
  if (!facts.has_schema)
    return [
      first,
      warned('schema', 'The database is empty.', 'Start the service, or run "storedex migrate".'),
      clockCheck,
    ]
  return [
    first,
    await runCheck('schema', () => checkSchema(config, db)),
    await runCheck('roles', () => checkRoles(opened)),
    await runCheck('ledger_protection', () => checkLedgerProtection(opened)),
    await runCheck('keyring', () => checkKeyring(config, db)),
    await runCheck('catalogue', () => checkCatalogue(db)),
    await runCheck('search_index', () => checkSearchIndex(config, db)),
    ...(await checkReplicaUrl(config, db)),
    clockCheck,
  ]
}

async function checkReplicaUrl({ databaseReplicaUrl: url }: Config, db: ConnectionPool): Promise<Check[]> {
  return url === null ? [] : [await runCheck('standby', () => checkStandby(url, db))]
}

async function checkServer(config: Config, { serviceUrl, facts }: Opened): Promise<Check> {
  const where = config.databaseUrl === null ? `embedded, in ${config.dataDir}` : 'from DATABASE_URL'
  const detail = `PostgreSQL ${facts.server_version}, ${where}`
  if (facts.has_schema) {
    const probe = new DatabaseHealthCheck({ url: serviceUrl, applicationName: 'storedex doctor' })
    const { problem } = await probe.run()
    probe.close()
    if (problem !== null) return failed('database', `${detail}: ${problem}`, "See the database's log, and its disk.")
  }
  const warning = clearTextWarning(config.databaseUrl)
  if (warning !== null) return warned('database', `${detail}. ${warning}`, 'Set DATABASE_TLS.')
  return passed('database', `${detail}, answers${facts.has_schema ? ' and can be written' : ''}.`)
}

async function checkSchema(config: Config, db: ConnectionPool): Promise<Check> {
  const version = await queries.readSchemaVersion(db)
  const newest = Math.max(...readdirSync(migrationsFolder(config)).map((name) => Number.parseInt(name, 10) || 0))
  if (version > newest)
    return failed(
      'schema',
      `The schema is at version ${version}, newer than this program (${newest}).`,
      'Update Storedex.',
    )
  return version === newest
    ? passed('schema', `The schema is at version ${version}, the newest.`)
    : warned(
        'schema',
        `The schema is at version ${version}; the newest is ${newest}.`,
        'The next start migrates it; make a backup first.',
      )
}

async function checkRoles({ db, serviceRole, facts }: Opened): Promise<Check> {
  const detail =
    serviceRole === null
      ? `One role for all, ${facts.role}.`
      : `${facts.role} owns the tables, ${serviceRole} answers requests.`
  const unreadable = serviceRole === null ? [] : await queries.findUnreadableTables(db, serviceRole)
  return unreadable.length === 0
    ? passed('roles', detail)
    : failed(
        'roles',
        `${detail} ${serviceRole} cannot read ${unreadable.join(', ')}.`,
        'Run "storedex migrate", which grants its rights.',
      )
}

async function checkLedgerProtection({ db, serviceRole }: Opened): Promise<Check> {
  return (await isLedgerAppendOnly(db, serviceRole))
    ? passed('ledger_protection', 'Requests can add to the ledger and change nothing in it.')
    : warned(
        'ledger_protection',
        'The role of requests has the right to change the ledger.',
        'Use a role for requests, with DATABASE_OWNER_URL: docs/operations/start.md, "A role for requests".',
      )
}

const sampledContacts = 20

async function checkKeyring({ dataKeys, dataDir }: Config, db: ConnectionPool): Promise<Check> {
  const recorded = await readRecordedDataKeys(db)
  const keys = dataKeys ?? (await readKeyFile(dataDir))
  const putBack =
    'Put the key back: DATA_KEYS, or the file data-keys in DATA_DIR. Without it nobody can read the contacts.'
  if (!keys)
    return recorded.length === 0
      ? passed('keyring', 'There is no keyring, and nothing is sealed yet.', 'The first start makes one.')
      : failed('keyring', `There is no keyring, and data is sealed with ${recorded.join(', ')}.`, putBack)
  const missing = recorded.filter((id) => !keys.some((key) => key.id === id))
  const needed = missing.length > 0 ? await transact(db, countByDataKey) : []
  const lost = needed.filter(({ id }) => missing.includes(id))
  if (lost.length > 0) {
    const [{ id, contacts, replies }] = lost as [DataKeyUse]
    const use = `contacts sealed with it: ${formatNumber(contacts)}, kept replies: ${formatNumber(replies)}`
    return failed('keyring', `The keyring lacks the data key ${id} (${use}).`, putBack)
  }
  const sealer = createSealer(keys)
  const sample = await queries.readSealedSample(db, sampledContacts)
  const closed = sample.filter(({ store_id, number, sealed }) => {
    try {
      openContact(sealer, store_id, number, sealed)
      return false
    } catch {
      return true
    }
  })
  if (closed.length > 0)
    return failed(
      'keyring',
      `${closed.length} of ${sample.length} contacts tried cannot be opened with this keyring.`,
      putBack,
    )
  return passed(
    'keyring',
    `${keys[0]!.id} seals${keys.length > 1 ? `, ${keys.length - 1} more open` : ''}; ${sample.length} of ${sample.length} contacts tried can be opened.`,
  )
}

async function checkCatalogue(db: ConnectionPool): Promise<Check> {
  const { batch, written_at, has_live_stores, lost_host } = await queries.readCatalogueFacts(db)
  const detail = `The last batch is ${batch}${written_at === null ? '' : `, written at ${written_at.toISOString()}`}.`
  if (lost_host !== null)
    return warned(
      'catalogue',
      `${detail} No request finds the store ${lost_host}: its domain begins with www.`,
      `"storedex stores rename ${lost_host} ${normalizeDomain(lost_host) ?? 'DOMAIN'}", then run this again.`,
    )
  return has_live_stores
    ? passed('catalogue', detail)
    : warned('catalogue', `${detail} The live catalogue is empty.`, 'Import stores: "storedex import stores FILE".')
}

async function checkSearchIndex(config: Config, db: ConnectionPool): Promise<Check> {
  const name = 'search_index'
  if (config.searchEngine === 'postgres') return passed(name, 'SEARCH_ENGINE is postgres: there is no index in memory.')
  const budget = searchBudget(config)
  const needed = estimateNeededBytes(await estimateRows(db))
  const inMegabytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / megabyte))} MB`
  if (budget === null)
    return passed(name, `SEARCH_ENGINE is memory; the index needs about ${inMegabytes(needed)} while it loads.`)
  const detail = `The index needs about ${inMegabytes(needed)} while it loads, and may use ${inMegabytes(budget)}.`
  return needed <= budget
    ? passed(name, detail)
    : warned(
        name,
        `${detail} PostgreSQL answers searches, more slowly.`,
        'Give it more memory, or raise SEARCH_MEMORY_MB.',
      )
}

const toleratedSkewSeconds = 10

async function checkClock({ db }: Opened, clock: Clock): Promise<Check> {
  const monitor = new ClockSkewMonitor({ db, clock, warn: () => {} })
  await monitor.measure()
  const { skewSeconds } = monitor
  if (skewSeconds === null)
    return warned('clock', 'The database answers too slowly to compare clocks.', 'Run this again.')
  const off = Math.abs(skewSeconds)
  const detail = `This clock and the database's differ by ${off < 1 ? 'less than 1' : Math.round(off)} s.`
  return off <= toleratedSkewSeconds
    ? passed('clock', detail)
    : warned('clock', detail, 'Synchronise the clocks (NTP): limits and links need them.')
}
