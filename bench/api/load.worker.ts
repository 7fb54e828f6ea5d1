import autocannon, { type Request } from 'autocannon'
import { type Figures, Stopwatch, type Timing } from './stopwatch.ts'
import { answerParent } from './worker.ts'

/** Load on an HTTP server: each connection sends its list of requests over and over, one at a time. */
export interface LoadQuestion {
  /** Protocol, host and port. */
  origin: string
  requestsOfConnections: Request[][]
  timing: Timing
}

const sampleMs = 100

answerParent<LoadQuestion, Figures>(async ({ origin, requestsOfConnections, timing }) => {
  const lists = requestsOfConnections.values()
  const run = autocannon({
    url: origin,
    connections: requestsOfConnections.length,
    duration: (timing.warmupMs + timing.measuredMs) / 1000,
    sampleInt: sampleMs,
    setupClient: (connection) => connection.setRequests(lists.next().value!),
  })
  // The clients are made; the time that took is not theirs.
  const stopwatch = new Stopwatch(timing)
  run.on('response', (_connection, _status, _bytes, durationMs) => stopwatch.take(durationMs))
  const { errors, non2xx, statusCodeStats } = await run
  // A refusal costs less than an answer: figures with refusals among them would be worth nothing.
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} requests failed, ${non2xx} were refused: ${JSON.stringify(statusCodeStats)}`)
  return stopwatch.figures()
})
