import { setTimeout as delay } from 'node:timers/promises'
import { answerParent } from '../../bench/support/worker.ts'
import { spreadOf } from './counts.ts'
import { nameOf, Wire } from './http-connection.ts'
import type { Flow, FlowResult, LoadQuestion, LoadResult } from './load.ts'

const tickMs = 10
/** A client whose connection is refused does not spin. */
const afterLossMs = 50

answerParent<LoadQuestion, LoadResult>(async ({ origin, seconds, flows }) => {
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
  const ask = async (wire: Wire) => {
    const answer = await wire.request(requests[sent++ % requests.length]!, timeoutMs)
    const name = nameOf(answer)
    answers[name] = (answers[name] ?? 0) + 1
    if (answer.status === 200) successMs.push(answer.ms)
    else otherMs.push(answer.ms)
    if (answer.status === null) await delay(afterLossMs)
  }
  const wires = Array.from({ length: connections }, () => new Wire(origin))
  if (ratePerSecond === null)
    await Promise.all(
      wires.map(async (wire) => {
        while (performance.now() < endsAt) await ask(wire)
      }),
    )
  else {
    const idle = [...wires]
    const running = new Set<Promise<void>>()
    const startedAt = performance.now()
    let due = 0
    while (performance.now() < endsAt) {
      const wanted = ((performance.now() - startedAt) / 1_000) * ratePerSecond
      for (; due < wanted; due++) {
        const wire = idle.pop()
        if (wire === undefined) {
          notSent++
          continue
        }
        const run: Promise<void> = ask(wire).then(() => {
          idle.push(wire)
          running.delete(run)
        })
        running.add(run)
      }
      await delay(tickMs)
    }
    await Promise.all(running)
  }
  for (const wire of wires) wire.close()
  return { answers, sent, notSent, successes: spreadOf(successMs), others: spreadOf(otherMs) }
}
