import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { withLock } from '@storedex/process-lock'
import { ApiError } from '../../kernel/errors.ts'
import { sleepUnlessStopped } from '../../runtime/timing.ts'
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
  /** What its events are signed with, the first of them; none: a secret of its own making. */
  webhookSecrets: readonly string[]
  /** Arguments of node that run its program. */
  args: readonly string[]
  /** What happened, and why where that is known. */
  log: (line: string, cause?: unknown) => void
}

interface Held {
  access: StripeAccess
  isRunning(): boolean
  release(): Promise<void>
}

const lockOptions = { timeoutMs: 30_000, waitingFor: 'the stand-in for Stripe' }
// One that lost its owner a moment ago may not have noticed yet.
const startAttempts = 5
const accessTimeoutMs = 5_000
const watchIntervalMs = 500
const maxPauseMs = 60_000
const steadyMs = 60_000
const retryAfterSeconds = 5

/**
 * The stand-in for Stripe that belongs to a data directory. All processes of the directory share one: the first that
 * needs it starts it, and it ends with that process; whoever still needs it then starts the next, which goes on from what
 * the last one had on disk. All of that is decided under one lock.
 */
export class LocalStandin {
  readonly #options: LocalStandinOptions
  readonly #closing = new AbortController()
  #webhookUrl: string | undefined
  #held: Held | undefined
  #opening: Promise<Held> | undefined
  #failure: { error: unknown; at: number } | undefined

  constructor(options: LocalStandinOptions) {
    this.#options = options
  }

  /** How it is reached now. Starts it when it does not run; the same object as long as it is the same one. */
  async access(): Promise<StripeAccess> {
    if (this.#held?.isRunning()) return this.#held.access
    const late = delay(accessTimeoutMs, undefined, { ref: false })
    const held = await Promise.race([this.#hold(), late]).catch((cause) => {
      throw unavailable(cause)
    })
    if (!held) throw unavailable(new Error(`the stand-in was not ready within ${accessTimeoutMs} ms`))
    return held.access
  }

  /** Where its pages are; null while it does not run. */
  address(): Promise<string | null> {
    return this.access().then(
      ({ apiBase }) => apiBase,
      () => null,
    )
  }

  /** Starts it, and again whenever it has ended, until closed. What it tells of events goes to `webhookUrl`. */
  keepRunning(webhookUrl: string): void {
    this.#webhookUrl = webhookUrl
    void this.#watch()
  }

  /** Another address for its events than the one it was started with. */
  async changeWebhookUrl(webhookUrl: string): Promise<void> {
    if (webhookUrl === this.#webhookUrl) return
    this.#webhookUrl = webhookUrl
    await this.#opening?.catch(() => {})
    await this.#held?.release()
    await this.#hold().catch(() => {})
  }

  /** Ends it, unless it belongs to another process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#opening?.catch(() => {})
    await this.#held?.release()
  }

  async #hold(): Promise<Held> {
    if (this.#held?.isRunning()) return this.#held
    // Requests must not start it more often than the watch does.
    if (this.#failure && performance.now() - this.#failure.at < watchIntervalMs) throw this.#failure.error
    this.#opening ??= this.#open()
      .then((held) => {
        this.#held = held
        return held
      })
      .catch((error) => {
        this.#failure = { error, at: performance.now() }
        throw error
      })
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  async #open(): Promise<Held> {
    const { dataDir, webhookSecrets: given } = this.#options
    const folder = ensureStandinFolder(dataDir)
    const joinOrStart = async (): Promise<Held> => {
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
        // Under the lock nobody joins it while it ends.
        release: () => withLock(folder, started.stop, lockOptions).catch(started.stop),
      }
    }
    return withLock(folder, joinOrStart, lockOptions)
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
        // Links that were handed out stay good when it is at the same address again.
        STANDIN_PORT: String(lastUrl ? await ifFree(Number(new URL(lastUrl).port)) : 0),
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

  /** One that ends again and again is started ever more seldom. */
  async #watch(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#closing
    let starts = 0
    let startedAt = 0
    let isTold = false
    do {
      if (this.#held?.isRunning()) {
        if (performance.now() - startedAt > steadyMs) starts = 0
        continue
      }
      if (this.#held) log('The stand-in for Stripe has ended and is started again')
      starts += 1
      startedAt = performance.now()
      try {
        await this.#hold()
        isTold = false
      } catch (error) {
        if (!isTold && !signal.aborted) log('The stand-in for Stripe cannot be started', error)
        isTold = true
      }
    } while (await sleepUnlessStopped(Math.min(watchIntervalMs * 2 ** starts, maxPauseMs), signal))
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('billing_provider_unavailable', 'The stand-in for the payment provider does not run.', {
    retryAfterSeconds,
    cause,
  })
}

/** The port when it is free, else 0: any. */
function ifFree(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => resolve(port)))
  })
}
