import { serveParent } from '@storedex/testkit'
import autocannon, { type Request } from 'autocannon'
import type { ConnectionLoad } from './load.ts'
import { revealRequests } from './requests.ts'
import { type Figures, Stopwatch, type Timing } from './stopwatch.ts'

/** Sends load to an HTTP server, one request at a time on each connection. */
export interface LoadTask {
  /** Protocol, host and port. */
  origin: string
  connections: ConnectionLoad[]
  /** Whether reveals may repeat contacts, because the target charges nothing. */
  allowRepeats: boolean
  timing: Timing
}

const sampleMs = 100
/** For the last replies; autocannon counts a later one as an error. */
const lastRepliesMs = 10_000

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
    duration: (timing.warmupMs + timing.measuredMs + lastRepliesMs) / 1000,
    sampleInt: sampleMs,
    setupClient: (connection) => connection.setRequests(requestsOf(loads.next().value!)),
  })
  // Start the time after the clients are created.
  const stopwatch = new Stopwatch(timing)
  run.on('response', (connection, _status, _bytes, durationMs) => {
    stopwatch.take(durationMs)
    // Each connection ends with a reply: what the target counts and what is answered are the same requests.
    if (stopwatch.isOver) connection.responseMax = 1
  })
  const { errors, non2xx, statusCodeStats } = await run
  if (failure) throw failure
  // A refusal costs less than a reply, so results with refusals are meaningless.
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} requests failed, ${non2xx} were refused: ${JSON.stringify(statusCodeStats)}`)
  return stopwatch.figures()
})

/** A request that changes each time it is sent. */
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
