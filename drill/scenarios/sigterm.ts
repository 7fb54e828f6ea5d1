import { setTimeout as delay } from 'node:timers/promises'
import { mapConcurrently } from '@storedex/testkit'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { HttpConnection, jsonOf, labelOf, type Reply, requestText } from '../client/http-connection.ts'
import { checkInvariants, type Installation, openInstallation } from '../installation/installation.ts'
import { isTrueWithin, postmasterOf } from '../installation/processes.ts'
import { requestJson } from '../installation/seed.ts'
import type { Drill, Scenario } from '../scenario.ts'

const clients = 360
/** One client in this number uses a new connection for each request. */
const reconnecting = 6
const endWithinMs = 20_000

interface Reveal {
  text: string
  ids: string[]
  /** The reply's body; null while the outcome is unknown. */
  reply: string | null
}

export const sigterm: Scenario = {
  name: 'sigterm',
  title: 'SIGTERM under load',
  expected: `${clients} clients reveal people, each under an Idempotency-Key, when the server is told to stop. Each request that was sent before gets a reply, 200 or 503, and so does one sent later on a connection that was made; the server ends with exit code 0 and its PostgreSQL with it. After the next start each reveal is replayed or made, and charged once.`,

  async run(drill) {
    const installation = await openInstallation(drill)
    const times = drill.isShort ? 1 : 5
    const charged = new Set<string>()
    const [before, later] = [new Counts(), new Counts()]
    for (let time = 0; time < times; time++) await stopOnce(drill, installation, { charged, before, later })
    drill.check('each request sent before the signal gets 200 or 503', before.besides('200', '503') === 0, `${before}`)
    const isKept = later.besides('200', '503', 'refused') === 0
    drill.check('each one sent later is refused a connection or gets 200 or 503', isKept, `${later}`)
    const connection = new HttpConnection(installation.service.origin)
    const { key } = installation.accounts.greedy
    const { contact_credits } = await requestJson<{ contact_credits: { used: number } }>(
      connection,
      'GET',
      '/api/v1/usage',
      {
        key,
      },
    )
    connection.close()
    const came = `${contact_credits.used} credits used for ${charged.size} people`
    drill.check('every reveal is charged exactly once', contact_credits.used === charged.size, came)
    await checkInvariants(drill, installation)
  },
}

interface Tally {
  charged: Set<string>
  /** Of requests that were sent before the signal. */
  before: Counts
  /** Of requests sent after the signal, which clients cannot notice yet. */
  later: Counts
}

/** Shared state of the signal. */
interface Stop {
  isSignalled: boolean
}

async function stopOnce(drill: Drill, installation: Installation, seen: Tally): Promise<void> {
  const { service, dataDir } = installation
  const stop: Stop = { isSignalled: false }
  const pending = await Promise.all([
    ...Array.from({ length: clients }, (_, index) => revealUntilClosed(drill, installation, seen, stop, index)),
    delay(800 + drill.random.below(700)).then(async () => {
      stop.isSignalled = true
      const stopping = service.stop()
      const isEnded = await isTrueWithin(endWithinMs, () => !service.isRunning)
      await stopping
      drill.check(
        'the server ends with exit code 0',
        isEnded && service.exitStatus === 'exit code 0',
        service.exitStatus,
      )
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
  const httpConnections = Array.from({ length: 8 }, () => new HttpConnection(service.origin))
  await mapConcurrently(
    all,
    async (reveal) => {
      const connection = httpConnections.pop()!
      const answer = await connection.request(reveal.text)
      httpConnections.push(connection)
      if (answer.status !== 200) throw new Error(`after the next start a reveal got ${labelOf(answer)}`)
      if (reveal.reply !== null && answer.body.toString('utf8') !== reveal.reply) differing++
      for (const { id } of jsonOf<{ data: { id: string }[] }>(answer).data) seen.charged.add(id)
    },
    httpConnections.length,
  )
  for (const connection of httpConnections) connection.close()
  drill.check('what was answered is replayed byte for byte', differing === 0, `${differing} of ${all.length} differ`)
}

/**
 * Reveals until the server is gone, and repeats after a 503 at once: with more clients than the account's concurrency
 * limit, some requests are always sent but not yet read. Returns all reveals, with and without a reply.
 */
async function revealUntilClosed(
  drill: Drill,
  installation: Installation,
  seen: Tally,
  stop: Stop,
  index: number,
): Promise<Reveal[]> {
  const connection = new HttpConnection(installation.service.origin)
  const made: Reveal[] = []
  let reveal: Reveal | undefined
  for (;;) {
    if (reveal === undefined) {
      reveal = drawReveal(drill, installation)
      made.push(reveal)
    }
    const counts = stop.isSignalled ? seen.later : seen.before
    const answer = await connection.request(reveal.text)
    counts.add(labelOf(answer))
    if (answer.status === 200) {
      reveal.reply = answer.body.toString('utf8')
      reveal = undefined
    } else if (answer.status !== 503 || announcesClose(answer)) break
    if (index % reconnecting === 0) connection.close()
  }
  connection.close()
  return made
}

/** Tells the client that the server is stopping, so that it sends no more requests. */
const announcesClose = ({ status, head }: Reply) => status === 503 && /\r\nconnection: close/i.test(head)

function drawReveal({ random }: Drill, { contactIds, accounts }: Installation): Reveal {
  const ids = [...new Set([random.pick(contactIds), random.pick(contactIds)])]
  const headers = { 'idempotency-key': `sigterm ${random.below(2 ** 31)} ${random.below(2 ** 31)}` }
  const parts = { key: accounts.greedy.key, body: { contact_ids: ids }, headers }
  return { text: requestText('POST', '/api/v1/contacts/reveal', parts), ids, reply: null }
}
