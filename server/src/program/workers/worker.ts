import cluster from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { formatFailure } from '../../doors/cli/failure.ts'
import { createMetrics } from '../../foundation/http/metrics.ts'
import { createProcessLogger } from '../../foundation/runtime/terminal-log.ts'
import type { Config } from '../../operations/config.ts'
import type { Deps } from '../../operations/deps.ts'
import { handleUncaughtErrors } from '../serving/process.ts'
import { measureDeps, openServingDeps, startApp, withAddress } from '../serving/serving.ts'
import { rejectOnAbort } from '../serving/termination.ts'
import type { FromWorker, ToWorker, WorkerAnswers, WorkerAssignment, WorkerState } from './protocol.ts'

/** Longer than a shutdown in order takes. */
const endTimeoutMs = 40_000
/** The worker does not wait longer until a message is written: the supervisor may be gone. */
const sendTimeoutMs = 1_000

/** The main function of a worker: serves requests on the shared port until its supervisor ends it, or is gone. */
export async function runWorker(readSettings: () => Config): Promise<void> {
  const orders = new Orders()
  const failing = new AbortController()
  const stop = AbortSignal.any([orders.stop, failing.signal])
  stop.addEventListener('abort', () => setTimeout(() => process.exit(1), endTimeoutMs).unref())
  try {
    const given = readSettings()
    const { logLevel: level, isLogLevelGiven: isLevelGiven } = given
    const { log } = createProcessLogger({ level, isLevelGiven, stderr: process.stderr })
    handleUncaughtErrors(log, (error) => failing.abort(error))
    await send({ kind: 'loaded' })
    const { assignment } = await rejectOnAbort(stop, orders.received('start'))
    process.title = `storedex worker ${assignment.number}`
    await serveAssigned(given, assignment, { orders, stop, log })
  } catch (error) {
    if (!stop.aborted) await reportFailure(error)
  }
  if (failing.signal.aborted) await reportFailure(failing.signal.reason)
  process.exit()
}

async function reportFailure(error: unknown): Promise<void> {
  const isPortTaken = (error as NodeJS.ErrnoException | null)?.code === 'EADDRINUSE'
  await send({ kind: 'failed', sentence: formatFailure(error), isPortTaken })
  process.exitCode = 1
}

async function serveAssigned(
  given: Config,
  { port, number, workers, maxConnections }: WorkerAssignment,
  { orders, stop, log }: { orders: Orders; stop: AbortSignal; log: Logger },
): Promise<void> {
  const config = withAddress(given, port)
  const deps = await openServingDeps(config, { log, maxConnections, processes: workers })
  const metrics = createMetrics(() => deps.db.stats, { worker: String(number) })
  const clockMonitoring = measureDeps(deps, metrics)
  let app: FastifyInstance | undefined
  try {
    orders.answerWith({ state: () => readState(deps), metrics: () => metrics.registry.getMetricsAsJSON() })
    await send({ kind: 'opened' })
    await rejectOnAbort(stop, orders.received('listen'))
    // The supervisor assigns the port; if it is gone, there is no reply.
    app = await rejectOnAbort(stop, startApp(deps, config, metrics))
    await send({ kind: 'listening' })
    await rejectOnAbort(stop, orders.received('handOver'))
    await rejectOnAbort(stop, app.drain.handOver())
  } finally {
    await app?.close()
    await send({ kind: 'ended', metrics: await metrics.registry.getMetricsAsJSON() })
    await clockMonitoring.stop()
    await deps.close()
  }
}

async function readState({ health, search }: Deps): Promise<WorkerState> {
  const { problem } = await health.check()
  const { engine, batch, report } = search.status()
  const isReady = problem === null && search.readinessFailure() === null
  return { isReady, engine, batch, hasSnapshot: report?.snapshot != null }
}

/** Resolves when the message was written. */
async function send(message: FromWorker): Promise<void> {
  if (!process.connected) return
  const written = new Promise<void>((resolve) => process.send!(message, undefined, undefined, () => resolve()))
  await Promise.race([written, delay(sendTimeoutMs, undefined, { ref: false })])
}

/** Messages of the supervisor. The end of the channel is the order to stop. */
class Orders {
  readonly stop: AbortSignal
  readonly #answers: { [About in keyof WorkerAnswers]?: () => Promise<WorkerAnswers[About]> } = {}
  readonly #received = new Map<ToWorker['kind'], ToWorker>()
  readonly #waiting = new Map<ToWorker['kind'], (message: ToWorker) => void>()

  constructor() {
    const stopping = new AbortController()
    this.stop = stopping.signal
    const stop = () => stopping.abort()
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'stop') stop()
      else if (message.kind === 'ask') void this.#answer(message.id, message.about)
      this.#received.set(message.kind, message)
      this.#waiting.get(message.kind)?.(message)
    })
    process.on('SIGTERM', stop)
    // Without this mark, Node ends a worker whose supervisor is gone in the middle of its requests.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
    process.once('disconnect', stop)
  }

  /** Resolves to the message of this kind, which comes once. */
  received<Kind extends ToWorker['kind']>(kind: Kind): Promise<Extract<ToWorker, { kind: Kind }>> {
    return new Promise<ToWorker>((resolve) => {
      const message = this.#received.get(kind)
      if (message) resolve(message)
      else this.#waiting.set(kind, resolve)
    }) as Promise<Extract<ToWorker, { kind: Kind }>>
  }

  answerWith(answers: { [About in keyof WorkerAnswers]: () => Promise<WorkerAnswers[About]> }): void {
    Object.assign(this.#answers, answers)
  }

  async #answer(id: number, about: keyof WorkerAnswers): Promise<void> {
    // The supervisor does not wait forever for an answer that fails.
    const content = await this.#answers[about]?.().catch(() => undefined)
    if (content) await send({ kind: 'answer', id, content })
  }
}
