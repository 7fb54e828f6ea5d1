import { setTimeout as delay } from 'node:timers/promises'
import { type Installation, requirePostmaster } from './installation.ts'
import { descriptorsOf, memoryOf, postgresProcesses } from './processes.ts'

/** Resource usage of the service at one moment. */
export interface ResourceSample {
  seconds: number
  serverMb: number
  heapMb: number
  /** Sum of the private memory of PostgreSQL's processes. */
  postgresMb: number
  serverDescriptors: number
  postgresProcesses: number
  /** p99 of the event loop delay. */
  loopDelayMs: number
}

/** Samples resource usage until `stop` aborts. */
export async function watchResources(
  installation: Installation,
  everyMs: number,
  stop: AbortSignal,
): Promise<ResourceSample[]> {
  const samples: ResourceSample[] = []
  const startedAt = performance.now()
  while (!stop.aborted) {
    const seconds = (performance.now() - startedAt) / 1_000
    const sample = await takeSample(installation, seconds).catch(() => null)
    if (sample) samples.push(sample)
    await delay(everyMs, undefined, { signal: stop }).catch(() => {})
  }
  return samples
}

async function takeSample(installation: Installation, seconds: number): Promise<ResourceSample> {
  const response = await fetch(installation.service.metricsUrl, { signal: AbortSignal.timeout(5_000) })
  const metrics = await response.text()
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)
  const processes = postgresProcesses(requirePostmaster(installation))
  return {
    seconds,
    serverMb: memoryOf(installation.service.pid).residentMb,
    heapMb: metric('nodejs_heap_size_used_bytes') / 2 ** 20,
    postgresMb: processes.reduce((sum, pid) => sum + memoryOf(pid).ownMb, 0),
    serverDescriptors: descriptorsOf(installation.service.pid),
    postgresProcesses: processes.length,
    loopDelayMs: metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
  }
}

interface Sample {
  seconds: number
  serverMb: number
  descriptors: number
}

/** Samples memory and descriptors of the server's process. */
export class ProcessSampler {
  readonly samples: Sample[] = []
  readonly #timer: NodeJS.Timeout

  constructor(pidOf: () => number, everyMs: number) {
    const startedAt = performance.now()
    const take = () => {
      const seconds = (performance.now() - startedAt) / 1_000
      this.samples.push({ seconds, serverMb: memoryOf(pidOf()).residentMb, descriptors: descriptorsOf(pidOf()) })
    }
    take()
    this.#timer = setInterval(take, everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get maxMb(): number {
    return Math.max(...this.samples.map(({ serverMb }) => serverMb))
  }

  get firstMb(): number {
    return this.samples[0]!.serverMb
  }

  /** Points of a chart. */
  memory(): [seconds: number, mb: number][] {
    return this.samples.map(({ seconds, serverMb }) => [seconds, serverMb])
  }
}
