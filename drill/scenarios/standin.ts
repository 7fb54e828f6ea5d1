import { formatMs } from '../client/counts.ts'
import { type Answer, labelOf, requestOnce, requestText } from '../client/http-connection.ts'
import { checkInvariants, type Installation, lookup, openInstallation } from '../installation/installation.ts'
import { childrenOf, commandLineOf, isTrueWithin, signal } from '../installation/processes.ts'
import type { Drill, Scenario } from '../scenario.ts'

const [answerWithinMs, slackMs] = [10_000, 500]
const worksWithinMs = 30_000
const links = 6

export const standin: Scenario = {
  name: 'standin',
  title: 'the stand-in for Stripe frozen and killed',
  expected:
    'while the stand-in is frozen, and after it was killed, billing links are answered 503 within 10 s or work, data calls go on, and links work again once it is back.',

  async run(drill) {
    const installation = await openInstallation(drill)
    const before = await requestLink(installation)
    drill.check('links work before', before.status === 200, describe(before))
    await disturb(drill, installation, 'frozen', 'SIGSTOP', 'SIGCONT')
    await disturb(drill, installation, 'killed', 'SIGKILL', null)
    await checkInvariants(drill, installation)
  },
}

async function disturb(
  drill: Drill,
  installation: Installation,
  label: string,
  fault: NodeJS.Signals,
  relief: NodeJS.Signals | null,
): Promise<void> {
  const pid = childrenOf(installation.service.pid).find((child) => /\bstandin\.js\b/.test(commandLineOf(child)))
  if (pid === undefined) throw new Error('the stand-in does not run')
  signal(pid, fault)
  const answers = await Promise.all(Array.from({ length: links }, () => requestLink(installation)))
  const data = await requestOnce(
    installation.service.origin,
    lookup(installation.domains[9]!, installation.accounts.modest.key),
  )
  if (relief !== null) signal(pid, relief)
  const cameOf = answers.map(describe).join('; ')
  const isHandled = answers.every(({ status }) => status === 503 || status === 200)
  drill.check(`${label}: links get 503 or work`, isHandled, cameOf)
  const longestMs = Math.max(...answers.map(({ ms }) => ms))
  drill.checkTime(`${label}: links are answered within 10 s`, longestMs <= answerWithinMs + slackMs, cameOf)
  drill.check(`${label}: data calls go on`, data.status === 200, describe(data))
  const startedAt = performance.now()
  const works = await isTrueWithin(worksWithinMs, async () => (await requestLink(installation)).status === 200, 500)
  const came = works ? `after ${formatMs(performance.now() - startedAt)}` : `not within ${worksWithinMs / 1_000} s`
  drill.check(`${label}: links work again`, works, came)
}

function requestLink({ service, accounts }: Installation): Promise<Answer> {
  const { key } = accounts.greedy
  const body = { plan: 'business' }
  return requestOnce(service.origin, requestText('POST', '/api/v1/billing/subscription-link', { key, body }), 60_000)
}

const describe = (answer: Answer) => `${labelOf(answer)} in ${formatMs(answer.ms)}`
