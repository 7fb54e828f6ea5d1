import autocannon, { type Request } from 'autocannon'
import { serveParent } from '../../support/worker.ts'
import type { ConnectionLoad } from './load.ts'
import { revealRequests } from './requests.ts'
import { type Figures, Stopwatch, type Timing } from './stopwatch.ts'

/** Load on an HTTP server: each connection sends one request at a time. */
export interface LoadTask {
  /** Protocol, host and port. */
  origin: string
  connections: ConnectionLoad[]
  /** Whether reveals may ask for the same contacts again, because nothing is spent there. */
  allowRepeats: boolean
  timing: Timing
}

const sampleMs = 100

serveParent<LoadTask, Figures>(async ({ origin, connections, allowRepeats, timing }) => {
  const loads = connections.values()
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    run.stop()
  }
  const requestsOf = (load: ConnectionLoad) =>
    'repeated' in load ? load.repeated : [makeAnew(revealRequests(load.reveals, allowRepeats), fail)]
  const run = autocannon({
    url: origin,
    connections: connections.length,
    duration: (timing.warmupMs + timing.measuredMs) / 1000,
    sampleInt: sampleMs,
    setupClient: (connection) => connection.setRequests(requestsOf(loads.next().value!)),
  })
  // The clients are made; the time that took is not theirs.
  const stopwatch = new Stopwatch(timing)
  run.on('response', (_connection, _status, _bytes, durationMs) => stopwatch.take(durationMs))
  const { errors, non2xx, statusCodeStats } = await run
  if (failure) throw failure
  // A refusal costs less than an answer: figures with refusals among them would be worth nothing.
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} requests failed, ${non2xx} were refused: ${JSON.stringify(statusCodeStats)}`)
  return stopwatch.figures()
})

/** A request that is another one each time. */
function makeAnew(next: () => Request, onFailure: (error: unknown) => void): Request {
  let request = {} as Request
  const setupRequest = (template: Request) => {
    try {
      request = next()
    } catch (error) {
      onFailure(error)
    }
    return { ...template, ...request }
  }
  return { method: 'POST', path: '', headers: {}, setupRequest }
}
