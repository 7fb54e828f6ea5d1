import { isLedgerAppendOnly } from '../../foundation/db/grants.ts'
import { recordServiceUrl } from '../../foundation/db/installation.ts'
import { clearTextWarning } from '../../foundation/db/tls.ts'
import { type MetricsServer, startMetricsServer } from '../../foundation/http/metrics.ts'
import type { ProcessLogger } from '../../foundation/runtime/terminal-log.ts'
import type { Config } from '../../operations/config.ts'
import type { Deps } from '../../operations/deps.ts'
import { type DemoKeys, prepareCatalogueAndKeys, storeConsoleLink } from './demo-keys.ts'
import { createDemoLink } from './demo-user.ts'
import { createGreeting, type Greeting } from './greeting.ts'
import { portTakenError } from './port.ts'
import { type AddressedConfig, describeBilling } from './serving.ts'
import { rejectOnAbort } from './termination.ts'

export interface Greeter {
  /** Whether its output may show a link that signs in. */
  showsLink: boolean
  greet(greeting: Greeting, keys: DemoKeys | null): void
}

interface PreparedInstallation {
  keys: DemoKeys | null
  warnings: string[]
}

/** The steps of a start: the first data, and the greeting for the operator. */
export async function prepareInstallation(
  deps: Deps,
  given: Config,
  { isForPerson }: ProcessLogger,
  stop: AbortSignal,
): Promise<PreparedInstallation> {
  stop.throwIfAborted()
  if (!(await isLedgerAppendOnly(deps.db, null)))
    deps.log.info('the ledger is not append-only: the role in DATABASE_URL has the right to change it')
  const keys = await rejectOnAbort(stop, prepareCatalogueAndKeys({ ...deps, db: deps.ownerDb }))
  const warnings = [clearTextWarning(given.databaseUrl)].filter((warning) => warning !== null)
  // The greeting tells a person.
  if (!isForPerson) for (const warning of warnings) deps.log.warn(warning)
  return { keys, warnings }
}

/** Says where the service listens, when it does. */
export async function greetOperator(
  deps: Deps,
  {
    given,
    config,
    greeter,
    keys,
    warnings,
  }: PreparedInstallation & { given: Config; config: AddressedConfig; greeter: Greeter },
): Promise<void> {
  await recordServiceUrl(deps.ownerDb, config.publicUrl)
  const link = given.demo ? await createDemoLink(deps, config.publicUrl) : null
  // The link is not stored, and an older one is of no use.
  const file = given.demo ? await storeConsoleLink(given.dataDir, greeter.showsLink ? null : link) : null
  const consoleLink = link === null || file === null ? null : greeter.showsLink ? { url: link } : { file }
  const billing = await describeBilling(deps)
  greeter.greet(createGreeting(config, { wantedPort: given.port, keys, consoleLink, billing, warnings }), keys)
}

/** Serves the metrics where METRICS_PORT says; undefined without it. */
export async function serveMetrics(
  { metricsHost, metricsPort }: Config,
  source: MetricsSource,
): Promise<MetricsServer | undefined> {
  if (metricsPort === null) return undefined
  try {
    return await startMetricsServer({ host: metricsHost, port: metricsPort, registry: source })
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw isTaken ? portTakenError(metricsPort, 'METRICS_PORT') : cause
  }
}

type MetricsSource = Parameters<typeof startMetricsServer>[0]['registry']
