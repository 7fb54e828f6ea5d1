import { inMs } from '../client/counts.ts'
import { type Answer, askOnce, nameOf, requestText } from '../client/http-connection.ts'
import { checkEnd, lookup, openWorld, type World } from '../installation/installation.ts'
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
    const world = await openWorld(drill)
    const before = await askForLink(world)
    drill.check('links work before', before.status === 200, tell(before))
    await disturb(drill, world, 'frozen', 'SIGSTOP', 'SIGCONT')
    await disturb(drill, world, 'killed', 'SIGKILL', null)
    await checkEnd(drill, world)
  },
}

async function disturb(
  drill: Drill,
  world: World,
  label: string,
  fault: NodeJS.Signals,
  relief: NodeJS.Signals | null,
): Promise<void> {
  const pid = childrenOf(world.service.pid).find((child) => /\bstandin\.js\b/.test(commandLineOf(child)))
  if (pid === undefined) throw new Error('the stand-in does not run')
  signal(pid, fault)
  const answers = await Promise.all(Array.from({ length: links }, () => askForLink(world)))
  const data = await askOnce(world.service.origin, lookup(world.domains[9]!, world.accounts.modest.key))
  if (relief !== null) signal(pid, relief)
  const isHandled = answers.every(
    ({ status, ms }) => (status === 503 || status === 200) && ms <= answerWithinMs + slackMs,
  )
  drill.check(`${label}: links are answered within 10 s`, isHandled, answers.map(tell).join('; '))
  drill.check(`${label}: data calls go on`, data.status === 200, tell(data))
  const startedAt = performance.now()
  const works = await isTrueWithin(worksWithinMs, async () => (await askForLink(world)).status === 200, 500)
  const came = works ? `after ${inMs(performance.now() - startedAt)}` : `not within ${worksWithinMs / 1_000} s`
  drill.check(`${label}: links work again`, works, came)
}

function askForLink({ service, accounts }: World): Promise<Answer> {
  const { key } = accounts.greedy
  const body = { plan: 'business' }
  return askOnce(service.origin, requestText('POST', '/api/v1/billing/subscription-link', { key, body }), 60_000)
}

const tell = (answer: Answer) => `${nameOf(answer)} in ${inMs(answer.ms)}`
