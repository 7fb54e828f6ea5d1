import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { formatMs } from '../client/counts.ts'
import { labelOf, requestText } from '../client/http-connection.ts'
import { Probe, timeUntilServed } from '../client/probe.ts'
import {
  checkInvariants,
  type Installation,
  lookup,
  openInstallation,
  requirePostmaster,
  searchStores,
} from '../installation/installation.ts'
import { isTrueWithin, postgresProcesses, signal } from '../installation/processes.ts'
import type { Drill, Scenario } from '../scenario.ts'

/** The promised limit, and the slack for a busy machine. */
const [answerWithinMs, slackMs] = [10_000, 500]
const recoverWithinMs = 5_000
const clientsOfEach = 8
/** Longer than two requests take. */
const maxWaitMs = 30_000

export const frozen: Scenario = {
  name: 'frozen',
  title: 'PostgreSQL frozen with SIGSTOP',
  expected:
    'all processes of PostgreSQL are stopped for 20, 40 and 60 s under lookups, searches and reveals. Each request sent meanwhile is answered within 10 s with 503; /healthz stays 200 and /readyz says 503; after SIGCONT it serves again within 5 s.',

  async run(drill) {
    const installation = await openInstallation(drill)
    for (const seconds of drill.isShort ? [12] : [20, 40, 60]) await freeze(drill, installation, seconds)
    await checkInvariants(drill, installation)
  },
}

async function freeze(drill: Drill, installation: Installation, seconds: number): Promise<void> {
  const { service, accounts, domains, contactIds } = installation
  const { origin } = service
  const { key } = accounts.greedy
  const reveal = requestText('POST', '/api/v1/contacts/reveal', { key, body: { contact_ids: contactIds.slice(0, 5) } })
  const texts = [lookup(domains[1]!, key), searchStores(key, 10), reveal]
  const probes = texts.flatMap((text) =>
    Array.from({ length: clientsOfEach }, () => new Probe({ origin, text, everyMs: 50, timeoutMs: 90_000 })),
  )
  const [health, readiness] = ['/healthz', '/readyz'].map(
    (path) => new Probe({ origin, text: requestText('GET', path), everyMs: 500, timeoutMs: 90_000 }),
  )
  await delay(1_000)
  const processes = postgresProcesses(requirePostmaster(installation)).reverse()
  for (const pid of processes) signal(pid, 'SIGSTOP')
  // Statements may already be in flight; requests from here on find PostgreSQL frozen.
  const frozenAt = performance.now() + 50
  await delay(seconds * 1_000)
  // On a busy machine a short freeze would end before a request that was sent in it has its reply.
  const hasReply = () => probes.some(({ all }) => all.some(({ startedAt }) => startedAt > frozenAt))
  await isTrueWithin(maxWaitMs, hasReply)
  const thawedAt = performance.now()
  for (const pid of processes) signal(pid, 'SIGCONT')
  const recoveredMs = await timeUntilServed(origin, texts[0]!, 60_000)
  for (const probe of [...probes, health!, readiness!]) await probe.stop()

  const all = probes.flatMap((probe) => probe.all)
  const touched = all.filter(({ startedAt, endedAt }) => endedAt > frozenAt && startedAt < thawedAt)
  const longestMs = Math.max(0, ...touched.map(({ startedAt, endedAt }) => endedAt - startedAt))
  // Requests that overlap the start or the end of the freeze may get 200 or 503.
  const counts = new Counts()
  for (const { startedAt, endedAt, answer } of touched)
    if (startedAt > frozenAt && endedAt < thawedAt) counts.add(labelOf(answer))
  const either = new Counts()
  for (const { answer } of touched) either.add(labelOf(answer))
  const label = `frozen for ${seconds} s`
  const isAnswered = touched.length > 0 && longestMs <= answerWithinMs + slackMs
  drill.checkTime(`${label}: each request is answered within 10 s`, isAnswered, `longest ${formatMs(longestMs)}`)
  drill.check(`${label}: none is left without a reply`, either.besides('200', '503') === 0, `${either}`)
  drill.check(
    `${label}: each request sent and answered meanwhile gets 503`,
    counts.of('503') > 0 && counts.besides('503') === 0,
    `${counts}`,
  )
  const isBackSoon = recoveredMs !== null && recoveredMs <= recoverWithinMs
  drill.checkTime(
    `${label}: it serves again within 5 s`,
    isBackSoon,
    recoveredMs === null ? 'not within 60 s' : formatMs(recoveredMs),
  )
  drill.check(`${label}: /healthz is 200`, health!.answers.besides('200') === 0, `${health!.answers}`)
  const settledAt = frozenAt + 4_000
  const said = readiness!.all.filter(({ startedAt, endedAt }) => startedAt > settledAt && endedAt < thawedAt)
  const wrong = said.filter(({ answer }) => answer.status !== 503).length
  drill.check(
    `${label}: /readyz is 503 from 4 s on`,
    said.length > 0 && wrong === 0,
    `${wrong} of ${said.length} wrong`,
  )
}
