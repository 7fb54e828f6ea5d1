import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import type { RecordedStep, SentStatement } from './recorder.ts'

/** How long a recorded statement took, sent once more to a copy of the same database. */
export interface TimedStatement {
  name: string
  text: string
  /** Null when it failed. */
  ms: number | null
}

const statementTimeoutMs = 20_000
/** No recorded connection has this number. */
const ownConnection = 0
/** Cursors are read as the service goes on. An `analyze` takes longer than all other statements of an import. */
const notSent = /^\s*(fetch|declare|analyze)\b|\bto stdout\b/i
const isCopy = /^\s*copy\b.*\bfrom stdin\b/is

/**
 * Sends recorded statements again, in their order, each on the connection that it was recorded on. Commits are not waited
 * for: that would measure the disk.
 */
export class Replay {
  readonly #url: string
  readonly #cleanup: Cleanup
  readonly #clients = new Map<number, Promise<pg.Client>>()
  readonly #names = new Map<string, string>()

  constructor(url: string, cleanup: Cleanup) {
    this.#url = url
    this.#cleanup = cleanup
  }

  async send({ statements }: RecordedStep): Promise<TimedStatement[]> {
    const timed: TimedStatement[] = []
    for (const statement of statements) {
      if (notSent.test(statement.text)) continue
      const client = await this.#clientOf(statement.connection)
      const send = isCopy.test(statement.text)
        ? () => pipeline(Readable.from(statement.copied), client.query(copyStreams.from(statement.text)))
        : () => client.query(this.#queryOf(statement))
      const startedAtMs = performance.now()
      const hasFailed = await send().then(
        () => false,
        () => true,
      )
      const ms = hasFailed ? null : performance.now() - startedAtMs
      timed.push({ name: statementName(statement), text: statement.text, ms })
    }
    return timed
  }

  /** Renews the planner's statistics. */
  async analyze(): Promise<void> {
    const client = await this.#clientOf(ownConnection)
    await client.query('analyze')
  }

  async end(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).end()
  }

  /** A text is prepared once on each connection, as by the service. */
  #queryOf({ name, text, values }: SentStatement): pg.QueryConfig {
    if (values === null) return { text }
    if (name === null) return { text, values }
    const prepared = this.#names.get(text) ?? `statement ${this.#names.size}`
    this.#names.set(text, prepared)
    return { name: prepared, text, values }
  }

  #clientOf(connection: number): Promise<pg.Client> {
    const existing = this.#clients.get(connection)
    if (existing) return existing
    const opening = this.#open()
    this.#clients.set(connection, opening)
    return opening
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url, statement_timeout: statementTimeoutMs })
    client.on('error', () => {})
    await client.connect()
    await client.query('set synchronous_commit = off')
    this.#cleanup.add(() => client.end())
    return client
  }
}

/** The name of a prepared statement; otherwise its text without values. */
export function statementName({ name, text }: SentStatement): string {
  if (name !== null) return name
  return text
    .replaceAll(/'(?:[^']|'')*'/g, "'…'")
    .replaceAll(/\b\d+\b/g, '0')
    .replaceAll(/\(('…'|0)(::\w+)?(, ('…'|0)(::\w+)?)*\)(,\s*\(('…'|0)(::\w+)?(, ('…'|0)(::\w+)?)*\))*/g, '(…)')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
}
