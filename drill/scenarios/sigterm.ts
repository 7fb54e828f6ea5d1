import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '../kit/counts.ts'
import { postmasterOf } from '../kit/embedded.ts'
import { isTrueWithin } from '../kit/processes.ts'
import { askJson } from '../kit/seed.ts'
import { jsonOf, requestText, Wire } from '../kit/wire.ts'
import { checkEnd, openWorld, type World } from '../kit/world.ts'
import type { Drill, Scenario } from '../scenario.ts'

const clients = 360
const endWithinMs = 20_000

interface Reveal {
  text: string
  ids: string[]
  /** The reply's body; null while it is not known whether it was executed. */
  reply: string | null
}

export const sigterm: Scenario = {
  name: 'sigterm',
  title: 'SIGTERM under load',
  expected: `${clients} clients reveal people, each under an Idempotency-Key, when the server is told to stop. Each request that was sent gets a reply, 200 or 503, and none a reset; the server ends with exit code 0 and its PostgreSQL with it. After the next start each reveal is replayed or made, and charged once.`,

  async run(drill) {
    const world = await openWorld(drill)
    const times = drill.isShort ? 1 : 5
    const charged = new Set<string>()
    const answers = new Counts()
    for (let time = 0; time < times; time++) await stopOnce(drill, world, { charged, answers })
    drill.check('no request that was sent is reset', answers.of('reset') === 0, String(answers))
    const told = ['200', '503', 'refused', 'reset']
    drill.check('every reply is a 200 or a 503', answers.besides(...told) === 0, String(answers))
    const wire = new Wire(world.service.origin)
    const { key } = world.accounts.greedy
    const { contact_credits } = await askJson<{ contact_credits: { used: number } }>(wire, 'GET', '/api/v1/usage', {
      key,
    })
    wire.close()
    const came = `${contact_credits.used} credits used for ${charged.size} people`
    drill.check('every reveal is charged exactly once', contact_credits.used === charged.size, came)
    await checkEnd(drill, world)
  },
}

interface Seen {
  charged: Set<string>
  answers: Counts
}

async function stopOnce(drill: Drill, world: World, { charged, answers }: Seen): Promise<void> {
  const { service, dataDir } = world
  const pending = await Promise.all([
    ...Array.from({ length: clients }, () => revealUntilClosed(drill, world, answers)),
    delay(800 + drill.random.below(700)).then(async () => {
      const stopping = service.stop()
      const isEnded = await isTrueWithin(endWithinMs, () => !service.isRunning)
      await stopping
      drill.check('the server ends with exit code 0', isEnded && service.end === 'exit code 0', service.end)
      const postmaster = postmasterOf(dataDir)
      drill.check(
        'its PostgreSQL ends with it',
        postmaster === undefined,
        postmaster === undefined ? 'it ended' : 'it runs on',
      )
      return []
    }),
  ])
  await service.start()
  const all = pending.flat()
  let differing = 0
  const wire = new Wire(service.origin)
  for (const reveal of all) {
    const answer = await wire.request(reveal.text)
    if (answer.status !== 200) throw new Error(`after the next start a reveal got ${answer.status}`)
    const body = answer.body.toString('utf8')
    if (reveal.reply !== null && body !== reveal.reply) differing++
    for (const { id } of jsonOf<{ data: { id: string }[] }>(answer).data) charged.add(id)
  }
  wire.close()
  drill.check('what was answered is replayed byte for byte', differing === 0, `${differing} of ${all.length} differ`)
}

/** Reveals until the server is gone; answers its last reveals, told and not. */
async function revealUntilClosed(drill: Drill, world: World, answers: Counts): Promise<Reveal[]> {
  const wire = new Wire(world.service.origin)
  const made: Reveal[] = []
  for (;;) {
    const reveal = drawReveal(drill, world)
    made.push(reveal)
    const answer = await wire.request(reveal.text)
    answers.add(answer.status === null ? answer.loss : String(answer.status))
    if (answer.status !== 200) break
    reveal.reply = answer.body.toString('utf8')
  }
  wire.close()
  return made
}

function drawReveal({ random }: Drill, { contactIds, accounts }: World): Reveal {
  const ids = [...new Set([random.pick(contactIds), random.pick(contactIds)])]
  const headers = { 'idempotency-key': `sigterm ${random.below(2 ** 31)} ${random.below(2 ** 31)}` }
  const parts = { key: accounts.greedy.key, body: { contact_ids: ids }, headers }
  return { text: requestText('POST', '/api/v1/contacts/reveal', parts), ids, reply: null }
}
