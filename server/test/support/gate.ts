import { execFileSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

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
