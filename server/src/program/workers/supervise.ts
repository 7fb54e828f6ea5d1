import { readConnectionLimit } from '../../foundation/db/connection-limit.ts'
import {
  createMetrics,
  type Metrics,
  registerCounters,
  registerGauges,
  registerLogMetrics,
} from '../../foundation/http/metrics.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { availableMemory } from '../../foundation/runtime/memory.ts'
import type { ProcessLogger } from '../../foundation/runtime/terminal-log.ts'
import type { Config } from '../../operations/config.ts'
import { type Deps, openDeps } from '../../operations/deps.ts'
import { type Greeter, greetOperator, prepareInstallation, serveMetrics } from '../serving/installation.ts'
import { chooseFreePort, portTakenError } from '../serving/port.ts'
import { requireMemory } from '../serving/process.ts'
import { standinProgram } from '../serving/programs.ts'
import { type AddressedConfig, webhookUrlAt, withAddress } from '../serving/serving.ts'
import { rejectOnAbort, reloadOnHangUp } from '../serving/termination.ts'
import { divideConnections } from './connections.ts'
import { currentProgram, newestProgram } from './program.ts'
import { WorkerGroup } from './worker-group.ts'
import { WorkerStartError } from './worker-process.ts'

export interface SuperviseOptions {
  workers: number
  logger: ProcessLogger
  stop: AbortSignal
  greeter: Greeter
}

const supervisorConnections = 2

/**
 * Runs the service in workers until `stop`. This process holds the port, the embedded PostgreSQL and the stand-in for Stripe,
 * migrates, prepares the first data, adds up the metrics and answers no request itself.
 */
export async function superviseWorkers(given: Config, options: SuperviseOptions): Promise<void> {
  const { workers, logger, stop } = options
  process.title = 'storedex supervisor'
  requireMemory(given, availableMemory(), workers)
  const config = withAddress(given, await chooseFreePort(given))
  const deps = await openDeps(config, {
    applicationName: 'storedex supervisor',
    log: logger.log,
    maxConnections: supervisorConnections,
    standin: { args: standinProgram(config.projectDir), webhookUrl: webhookUrlAt(config) },
  })
  try {
    const prepared = await prepareInstallation(deps, given, logger, stop)
    const maxConnections = divideConnections(workers, await readConnectionLimit(deps.db))
    const { group, config } = await startGroup(given, deps, maxConnections, options)
    try {
      const metricsServer = await serveMetrics(given, metricsOf(deps, group))
      try {
        await greetOperator(deps, { given, config, greeter: options.greeter, ...prepared })
        reloadOnHangUp(() => void group.restart(() => newestProgram(config.projectDir)))
        await rejectOnAbort(stop, new Promise<never>(() => {}))
      } finally {
        await metricsServer?.close()
      }
    } finally {
      await group.stop()
    }
  } finally {
    await deps.close()
  }
}

/** Starts the workers on the port. A port that was free a moment ago may be taken by now; then another one is chosen. */
async function startGroup(
  given: Config,
  deps: Deps,
  maxConnections: number,
  { workers, logger: { log }, stop }: SuperviseOptions,
): Promise<{ group: WorkerGroup; config: AddressedConfig }> {
  for (let config = withAddress(given, deps.config.port); ; ) {
    const assignment = { workers, port: config.port, maxConnections }
    const group = new WorkerGroup({ log, program: currentProgram(), assignment })
    // A second Ctrl-C ends this process at once, and the workers with it.
    process.once('exit', () => group.kill())
    try {
      await deps.standin?.changeWebhookUrl(webhookUrlAt(config))
      await rejectOnAbort(stop, group.start())
      return { group, config }
    } catch (error) {
      await group.stop()
      if (!(error instanceof WorkerStartError)) throw error
      if (!error.isPortTaken) throw new OperatorError(error.message, { cause: error })
      if (given.isPortGiven) throw portTakenError(given.port)
      config = withAddress(given, await chooseFreePort(given))
    }
  }
}

/** The figures of all processes: of each its own of the process, and the sums of the rest. */
function metricsOf(deps: Deps, group: WorkerGroup) {
  const metrics: Metrics = createMetrics(() => deps.db.stats, { worker: 'supervisor' })
  registerLogMetrics(metrics, deps.log)
  registerGauges(metrics, group.gauges())
  registerCounters(metrics, group.counters())
  const { registry } = metrics
  return {
    contentType: registry.contentType,
    metrics: async () => group.formatFigures(await registry.getMetricsAsJSON()),
  }
}
