import type { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { printText } from '../../doors/cli/context.ts'
import { createMetrics, type Metrics } from '../../foundation/http/metrics.ts'
import { availableMemory } from '../../foundation/runtime/memory.ts'
import { createProcessLogger, type ProcessLogger } from '../../foundation/runtime/terminal-log.ts'
import type { Config } from '../../operations/config.ts'
import type { Deps } from '../../operations/deps.ts'
import { formatGreeting } from '../serving/greeting.ts'
import { type Greeter, greetOperator, prepareInstallation, serveMetrics } from '../serving/installation.ts'
import { chooseFreePort } from '../serving/port.ts'
import { handleUncaughtErrors, requireMemory } from '../serving/process.ts'
import {
  type AddressedConfig,
  measureDeps,
  openServingDeps,
  startApp,
  webhookUrlAt,
  withAddress,
} from '../serving/serving.ts'
import { rejectOnAbort } from '../serving/termination.ts'

export interface ServeOptions {
  json: boolean
  /** Whether redirected output shows the link that signs in, too. */
  printLink: boolean
  /** How many processes serve; null: this one alone. */
  workers: number | null
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  termination: AbortSignal
}

/**
 * Runs the service until `termination`, then shuts down in order: running requests finish, the listeners close,
 * resources are released. An uncaught defect shuts down in the same order and is thrown.
 */
export async function serve(
  given: Config,
  { json, printLink, workers, stdout, stderr, termination }: ServeOptions,
): Promise<void> {
  const failing = new AbortController()
  const logger = createProcessLogger({ level: given.logLevel, isLevelGiven: given.isLogLevelGiven, stderr })
  handleUncaughtErrors(logger.log, (error) => failing.abort(error))
  const stop = AbortSignal.any([termination, failing.signal])
  const isTerminal = stdout.isTTY === true
  const greeter: Greeter = {
    showsLink: isTerminal || printLink,
    greet(greeting, keys) {
      printText({ stdout }, `${json ? JSON.stringify(greeting) : formatGreeting(greeting, keys, { isTerminal })}\n`)
    },
  }
  try {
    if (workers === null) await runPhases(given, logger, stop, greeter)
    else {
      const { superviseWorkers } = await import('../workers/supervise.ts')
      await superviseWorkers(given, { workers, logger, stop, greeter })
    }
  } catch (error) {
    if (!stop.aborted) throw error
  }
  if (failing.signal.aborted) throw failing.signal.reason
}

async function runPhases(given: Config, logger: ProcessLogger, stop: AbortSignal, greeter: Greeter): Promise<void> {
  requireMemory(given, availableMemory())
  const config = withAddress(given, await chooseFreePort(given))
  const deps = await openServingDeps(config, { log: logger.log, webhookUrl: webhookUrlAt(config) })
  try {
    const prepared = await prepareInstallation(deps, given, logger, stop)
    const metrics = createMetrics(() => deps.db.stats)
    const clockMonitoring = measureDeps(deps, metrics)
    const metricsServer = await serveMetrics(given, metrics.registry)
    try {
      const { app, config } = await listen(given, deps, metrics)
      try {
        await greetOperator(deps, { given, config, greeter, ...prepared })
        await rejectOnAbort(stop, new Promise<never>(() => {}))
      } finally {
        await app.close()
      }
    } finally {
      await metricsServer?.close()
      await clockMonitoring.stop()
    }
  } finally {
    await deps.close()
  }
}

/** Starts the app on its port. A port that was free a moment ago may be taken by now; then another one is chosen. */
async function listen(
  given: Config,
  deps: Deps,
  metrics: Metrics,
): Promise<{ app: FastifyInstance; config: AddressedConfig }> {
  for (let config = withAddress(given, deps.config.port); ; ) {
    try {
      await deps.standin?.changeWebhookUrl(webhookUrlAt(config))
      return { app: await startApp(deps, config, metrics), config }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      config = withAddress(given, await chooseFreePort(given))
    }
  }
}
