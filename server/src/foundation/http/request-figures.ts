import { Counter, type Metric, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client'

const bucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const durations = {
  name: 'storedex_http_request_duration_seconds',
  help: 'From the first byte of the headers read to the last byte of the reply written.',
}

/** The requests of one method and route. */
interface RouteFigures {
  method: string
  route: string
  countOfStatus: Map<number, number>
  /** How many took at most the bucket's seconds and more than the one before; the last one has the others. */
  inBucket: number[]
  count: number
  sumSeconds: number
}

/**
 * Counts requests by method, route and status, and their durations. A counter of the metrics library sorts and joins the
 * labels of every request to find its figure; these are read when the metrics are.
 */
export class RequestFigures {
  readonly #routes = new Map<string, Map<string, RouteFigures>>()

  count(method: string, route: string, status: number, seconds: number): void {
    const figures = this.#routes.get(route)?.get(method) ?? this.#add(method, route)
    figures.countOfStatus.set(status, (figures.countOfStatus.get(status) ?? 0) + 1)
    let bucket = 0
    while (bucket < bucketsSeconds.length && seconds > bucketsSeconds[bucket]!) bucket++
    figures.inBucket[bucket]!++
    figures.count++
    figures.sumSeconds += seconds
  }

  register(registry: Registry): void {
    const figures = () => this.#all()
    new Counter({
      name: 'storedex_http_requests_total',
      help: 'Requests answered, by method, route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { method, route, countOfStatus } of figures())
          for (const [status, count] of countOfStatus) this.inc({ method, route, status }, count)
      },
    })
    // A histogram of the library can only be told of one duration at a time.
    const metric = { ...durations, get: async () => readDurations(figures()) }
    registry.registerMetric(metric as unknown as Metric)
  }

  #add(method: string, route: string): RouteFigures {
    const inBucket = new Array<number>(bucketsSeconds.length + 1).fill(0)
    const figures = { method, route, countOfStatus: new Map(), inBucket, count: 0, sumSeconds: 0 }
    const ofRoute = this.#routes.get(route) ?? new Map<string, RouteFigures>()
    this.#routes.set(route, ofRoute.set(method, figures))
    return figures
  }

  *#all(): Generator<RouteFigures> {
    for (const ofRoute of this.#routes.values()) yield* ofRoute.values()
  }
}

function readDurations(
  all: Iterable<RouteFigures>,
): Partial<MetricObjectWithValues<MetricValueWithName<'le' | 'method' | 'route'>>> {
  const values: MetricValueWithName<'le' | 'method' | 'route'>[] = []
  for (const { method, route, inBucket, count, sumSeconds } of all) {
    const labels = { method, route }
    let upToHere = 0
    for (const [index, le] of [...bucketsSeconds, '+Inf'].entries()) {
      upToHere += inBucket[index]!
      values.push({ metricName: `${durations.name}_bucket`, labels: { le, ...labels }, value: upToHere })
    }
    values.push({ metricName: `${durations.name}_sum`, labels, value: sumSeconds })
    values.push({ metricName: `${durations.name}_count`, labels, value: count })
  }
  return { ...durations, type: 'histogram' as never, aggregator: 'sum', values }
}
