import { execFileSync } from 'node:child_process'
import type pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { connectClient } from './database.ts'

/**
 * Holds work at a certain point until the test has done what is to happen meanwhile. Without it the work may have ended before,
 * on a machine that is busy with the test.
 */
export class Gate {
  #opened: Promise<void> = Promise.resolve()
  #open = () => {}

  /** What passes from now on waits. The end of the test opens the gate, also when it fails. */
  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
    onTestFinished(() => this.open())
  }

  open(): void {
    this.#open()
  }

  /** Closes the gate until `act` is done; returns its result. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.close()
    return act().finally(() => this.open())
  }

  /** The same object, whose methods wait while the gate is closed; they must be asynchronous. */
  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => this.#opened.then(() => value.apply(target, args))
      },
    })
  }
}

/**
 * Holds the sessions that write to a table, by a lock on it; readers pass. With Citus on the coordinator. The end of the test opens
 * the gate, also when it fails.
 */
export class TableGate {
  readonly #url: string
  readonly #table: string
  #holder: pg.Client

  private constructor(url: string, table: string, holder: pg.Client) {
    this.#url = url
    this.#table = table
    this.#holder = holder
  }

  static async close(url: string, table: string): Promise<TableGate> {
    const holder = await connectClient(url)
    const gate = new TableGate(url, table, holder)
    onTestFinished(() => gate.open())
    await holder.query(`begin; lock table ${table} in share mode`)
    return gate
  }

  /** Resolves with the sessions that wait, once they are so many. */
  async waiting(count = 1): Promise<number[]> {
    let pids: number[] = []
    await expect
      .poll(
        async () => {
          pids = await this.#waitingPids()
          return pids.length
        },
        { timeout: 60_000, interval: 10, message: `sessions that wait to write to ${this.#table}` },
      )
      .toBeGreaterThanOrEqual(count)
    return pids
  }

  /** Lets those pass that wait now, each to the end of its transaction. The next statement that writes is held again. */
  async letPass(): Promise<void> {
    await this.waiting()
    // Locks are granted in the order in which they were asked for: this one follows what waits, and precedes what comes.
    const next = await connectClient(this.#url)
    await next.query('begin')
    const { rows } = await next.query<{ pid: number }>('select pg_backend_pid() as pid')
    const held = next.query(`lock table ${this.#table} in share mode`)
    await expect.poll(() => this.#waitingPids(), { interval: 10 }).toContain(rows[0]!.pid)
    await this.#holder.end()
    this.#holder = next
    await held
  }

  async open(): Promise<void> {
    await this.#holder.end()
  }

  async #waitingPids(): Promise<number[]> {
    // Tables have the same number in every database that was cloned from the template.
    const { rows } = await this.#holder.query<{ pid: number }>(
      `select distinct pid from pg_locks join pg_database on pg_database.oid = database
       where datname = current_database() and relation = $1::regclass and not granted`,
      [this.#table],
    )
    return rows.map(({ pid }) => pid)
  }
}

/**
 * Runs a statement from a callback of this process and returns when it is done: meanwhile nothing else runs here, so the work that
 * called back cannot go on.
 */
export function queryBlocking(url: string, statement: string): void {
  const program = `
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: process.env.QUERY_URL })
    await client.connect()
    await client.query(process.env.QUERY_TEXT)
    await client.end()`
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, QUERY_URL: url, QUERY_TEXT: statement },
    timeout: 60_000,
  })
}
