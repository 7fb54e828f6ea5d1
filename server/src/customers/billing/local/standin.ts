import { createServer } from 'node:net'
import { withLock } from '@storedex/process-lock'
import { withTimeout } from '@storedex/work'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { sleepUnlessStopped } from '../../../foundation/runtime/timing.ts'
import type { StripeAccess } from '../stripe/connection.ts'
import {
  ensureSecretKey,
  ensureStandinFolder,
  ensureWebhookSecret,
  isStandinAlive,
  readStandinAddress,
  type StandinProcess,
  spawnStandin,
  writeStandinAddress,
} from './standin-process.ts'

export interface LocalStandinOptions {
  dataDir: string
  /** The first one signs its events; if empty, a secret is generated. */
  webhookSecrets: readonly string[]
  /** Arguments of node that run the stand-in. */
  args: readonly string[]
  /** Receives log lines, with the cause of an error. */
  log: (line: string, cause?: unknown) => void
}

interface Handle {
  access: StripeAccess
  isRunning(): boolean
  release(): Promise<void>
}

const lockOptions = { timeoutMs: 30_000, waitingFor: 'the stand-in for Stripe' }
// A stand-in whose owner just ended may still be running and use the port.
const startAttempts = 5
const accessTimeoutMs = 5_000
const watchIntervalMs = 500
const maxBackoffMs = 60_000
const stableAfterMs = 60_000
const retryAfterSeconds = 5

/**
 * The stand-in for Stripe of a data directory. All processes of the directory share one: the first that needs it starts
 * it, and it ends with that process. Another process then starts the next one, which continues from the state on disk. A
 * lock on the directory serializes these steps.
 */
export class LocalStandin {
  readonly #options: LocalStandinOptions
  readonly #closing = new AbortController()
  #webhookUrl: string | undefined
  #handle: Handle | undefined
  #acquiring: Promise<Handle> | undefined
  #failure: { error: unknown; at: number } | undefined

  constructor(options: LocalStandinOptions) {
    this.#options = options
  }

  /** Its address and secrets. Starts it if it does not run; returns the same object for the same run. */
  async access(): Promise<StripeAccess> {
    if (this.#handle?.isRunning()) return this.#handle.access
    const handle = await withTimeout(this.#acquire(), accessTimeoutMs, () => {
      throw new Error(`the stand-in was not ready within ${accessTimeoutMs} ms`)
    }).catch((cause) => {
      throw unavailable(cause)
    })
    return handle.access
  }

  /** The base URL of its pages; null if it cannot be started. */
  address(): Promise<string | null> {
    return this.access().then(
      ({ apiBase }) => apiBase,
      () => null,
    )
  }

  /** Starts it, and restarts it whenever it ends, until `close`. It sends events to `webhookUrl`. */
  keepRunning(webhookUrl: string): void {
    this.#webhookUrl = webhookUrl
    void this.#watch()
  }

  /** Restarts it with another webhook URL, if this process owns it. */
  async changeWebhookUrl(webhookUrl: string): Promise<void> {
    if (webhookUrl === this.#webhookUrl) return
    this.#webhookUrl = webhookUrl
    await this.#acquiring?.catch(() => {})
    await this.#handle?.release()
    await this.#acquire().catch(() => {})
  }

  /** Stops it, unless another process owns it. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#acquiring?.catch(() => {})
    await this.#handle?.release()
  }

  async #acquire(): Promise<Handle> {
    if (this.#handle?.isRunning()) return this.#handle
    // Requests must not try to start it more often than the watch does.
    if (this.#failure && performance.now() - this.#failure.at < watchIntervalMs) throw this.#failure.error
    this.#acquiring ??= this.#joinOrStart()
      .then((handle) => {
        this.#handle = handle
        return handle
      })
      .catch((error) => {
        this.#failure = { error, at: performance.now() }
        throw error
      })
      .finally(() => {
        this.#acquiring = undefined
      })
    return this.#acquiring
  }

  async #joinOrStart(): Promise<Handle> {
    const { dataDir, webhookSecrets: given } = this.#options
    const folder = ensureStandinFolder(dataDir)
    const joinOrStartLocked = async (): Promise<Handle> => {
      const last = readStandinAddress(folder)
      const secretKey = ensureSecretKey(folder)
      const webhookSecrets = given.length > 0 ? given : [ensureWebhookSecret(folder)]
      if (last && isStandinAlive(last)) {
        const access = { secretKey, webhookSecrets, apiBase: last.url }
        return { access, isRunning: () => isStandinAlive(last), release: async () => {} }
      }
      const started = await this.#start(folder, { secretKey, webhookSecret: webhookSecrets[0]! }, last?.url)
      try {
        writeStandinAddress(folder, started)
      } catch (error) {
        await started.stop()
        throw error
      }
      return {
        access: { secretKey, webhookSecrets, apiBase: started.url },
        isRunning: started.isRunning,
        // Under the lock, so that no process joins it while it ends.
        release: () => withLock(folder, started.stop, lockOptions).catch(started.stop),
      }
    }
    return withLock(folder, joinOrStartLocked, lockOptions)
  }

  async #start(
    folder: string,
    { secretKey, webhookSecret }: { secretKey: string; webhookSecret: string },
    lastUrl: string | undefined,
  ): Promise<StandinProcess> {
    for (let attempt = 1; ; attempt++) {
      this.#closing.signal.throwIfAborted()
      const settings = {
        STANDIN_STATE_DIR: `${folder}/state`,
        // Created links stay valid if it gets the same address again.
        STANDIN_PORT: String(lastUrl ? await portIfFree(Number(new URL(lastUrl).port)) : 0),
        STANDIN_SECRET_KEY: secretKey,
        STANDIN_WEBHOOK_SECRET: webhookSecret,
        ...(this.#webhookUrl && { STANDIN_WEBHOOK_URL: this.#webhookUrl }),
      }
      try {
        return await spawnStandin({ args: this.#options.args, settings }, this.#closing.signal)
      } catch (error) {
        if (attempt >= startAttempts) throw error
        await sleepUnlessStopped(attempt * 100, this.#closing.signal)
      }
    }
  }

  /** Restarts it with exponential backoff while it keeps ending. */
  async #watch(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#closing
    let starts = 0
    let startedAt = 0
    let isLogged = false
    do {
      if (this.#handle?.isRunning()) {
        if (performance.now() - startedAt > stableAfterMs) starts = 0
        continue
      }
      if (this.#handle) log('The stand-in for Stripe ended; restarting it')
      starts += 1
      startedAt = performance.now()
      try {
        await this.#acquire()
        isLogged = false
      } catch (error) {
        if (!isLogged && !signal.aborted) log('The stand-in for Stripe cannot be started', error)
        isLogged = true
      }
    } while (await sleepUnlessStopped(Math.min(watchIntervalMs * 2 ** starts, maxBackoffMs), signal))
  }
}

function unavailable(cause: unknown): Refusal {
  return new Refusal('billing_provider_unavailable', 'The stand-in for the payment provider is not running.', {
    retryAfterSeconds,
    cause,
  })
}

/** The port if it is free, else 0 (any port). */
function portIfFree(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => resolve(port)))
  })
}
