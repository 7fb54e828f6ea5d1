import { statfs } from 'node:fs/promises'
import manifest from '../../../../package.json' with { type: 'json' }
import type { UserContext } from '../../../customers/auth/signed-in.ts'
import type { UsersSettings } from '../../../customers/users/settings.ts'
import { ClockSkewMonitor } from '../../../foundation/db/clock-skew.ts'
import type { DatabaseHealth } from '../../../foundation/db/health.ts'
import type { ConnectionPool } from '../../../foundation/db/pool.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import type { SearchStatus } from '../../../search/service/service.ts'
import { describeSearchState } from './catalogue.ts'
import { readDatabaseFacts } from './queries.ts'
import type { SystemReply } from './schema.ts'

export interface SystemServices {
  db: ConnectionPool
  clock: Clock
  health: { check(): Promise<DatabaseHealth> }
  search: { status(): SearchStatus; readinessFailure(): string | null }
  /** The local stand-in of the payment provider, when it is in use. */
  standin: { address(): Promise<string | null> } | null
  config: {
    dataDir: string
    databaseUrl: string | null
    stripe: { secretKey: string | null }
    users: UsersSettings
  }
}

const openEventMs = 60_000

/** Describes the state of this process and of what it depends on. */
export async function describeSystem(ctx: UserContext, services: SystemServices): Promise<SystemReply> {
  const { db, clock, health, search, config } = services
  const { problem } = await health.check()
  const facts = await readDatabaseFacts(ctx.db, new Date(ctx.now.getTime() - openEventMs))
  const skew = new ClockSkewMonitor({ db: ctx.db, clock, warn: () => {} })
  await skew.measure()
  return {
    object: 'system',
    problem: problem ?? search.readinessFailure(),
    uptime_seconds: Math.floor(process.uptime()),
    memory_bytes: process.memoryUsage.rss(),
    database: {
      version: facts.version,
      size_bytes: facts.size_bytes,
      is_embedded: config.databaseUrl === null,
      schema_version: facts.schema_version,
      connections: { max: db.max, ...db.stats },
    },
    billing: {
      ...(await describeProvider(services)),
      last_event_at: facts.last_event_at?.toISOString() ?? null,
      open_events: facts.open_events,
    },
    search: describeSearchState(search.status()),
    disk: await readDisk(config.dataDir),
    clock_skew_seconds: skew.skewSeconds,
    mail: config.users.mail !== null,
    versions: { storedex: manifest.version, node: process.version.slice(1) },
    request_id: ctx.requestId,
  }
}

async function describeProvider({
  standin,
  config: { stripe },
}: SystemServices): Promise<Pick<SystemReply['billing'], 'provider' | 'address'>> {
  if (stripe.secretKey !== null)
    return { provider: /_test_/.test(stripe.secretKey) ? 'stripe_test' : 'stripe', address: null }
  return standin ? { provider: 'standin', address: await standin.address() } : { provider: 'closed', address: null }
}

/** The disk of the data directory; null when it cannot be read, such as with a database elsewhere. */
async function readDisk(dataDir: string): Promise<SystemReply['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
  } catch {
    return null
  }
}
