import { setTimeout as delay } from 'node:timers/promises'
import { serveParent } from '@storedex/testkit'
import { summarizeLatencies } from './counts.ts'
import { HttpConnection, labelOf } from './http-connection.ts'
import type { Flow, FlowResult, LoadResult, LoadTask } from './load.ts'

const tickMs = 10
/** Pause after a lost connection, so that a refused client does not spin. */
const afterLossMs = 50

serveParent<LoadTask, LoadResult>(async ({ origin, seconds, flows }) => {
  const endsAt = performance.now() + seconds * 1_000
  const results = await Promise.all(
    flows.map(async (flow) => [flow.name, await runFlow(origin, flow, endsAt)] as const),
  )
  return Object.fromEntries(results)
})

async function runFlow(origin: string, flow: Flow, endsAt: number): Promise<FlowResult> {
  const { connections, ratePerSecond, requests, timeoutMs } = flow
  const answers: Record<string, number> = {}
  const [successMs, otherMs]: [number[], number[]] = [[], []]
  let sent = 0
  let notSent = 0
  const call = async (connection: HttpConnection) => {
    const answer = await connection.request(requests[sent++ % requests.length]!, timeoutMs)
    const name = labelOf(answer)
    answers[name] = (answers[name] ?? 0) + 1
    if (answer.status === 200) successMs.push(answer.ms)
    else otherMs.push(answer.ms)
    if (answer.status === null) await delay(afterLossMs)
  }
  const startedAt = performance.now()
  const httpConnections = Array.from({ length: connections }, () => new HttpConnection(origin))
  if (ratePerSecond === null)
    await Promise.all(
      httpConnections.map(async (connection) => {
        while (performance.now() < endsAt) await call(connection)
      }),
    )
  else {
    const idle = [...httpConnections]
    const running = new Set<Promise<void>>()
    let due = 0
    while (performance.now() < endsAt) {
      const wanted = ((performance.now() - startedAt) / 1_000) * ratePerSecond
      for (; due < wanted; due++) {
        const connection = idle.pop()
        if (connection === undefined) {
          notSent++
          continue
        }
        const run: Promise<void> = call(connection).then(() => {
          idle.push(connection)
          running.delete(run)
        })
        running.add(run)
      }
      await delay(tickMs)
    }
    await Promise.all(running)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  for (const connection of httpConnections) connection.close()
  return {
    answers,
    sent,
    seconds,
    notSent,
    successes: summarizeLatencies(successMs),
    others: summarizeLatencies(otherMs),
  }
}
