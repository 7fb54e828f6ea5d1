import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { mapConcurrently, shuffle } from '@storedex/testkit'
import { type ContactRevealResult, Storedex, StoredexError } from '../../client/src/index.ts'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { FaultProxy } from '../../server/test/promises/clients/support/fault-proxy.ts'
import { type FaultWeights, roughNetwork } from '../../server/test/promises/clients/support/faults.ts'
import { generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { describeLatencies, summarizeLatencies } from '../client/counts.ts'
import { checkInvariants, type Installation, openInstallation } from '../installation/installation.ts'
import { importRecords } from '../installation/seed.ts'
import type { Drill, Scenario } from '../scenario.ts'

/** A call of the client, with the key under which it can be called again. */
interface RevealCall {
  idempotencyKey: string
  contactIds: string[]
  reply: ContactRevealResult | null
}

/** A stalled answer ends with the client's own timeout. */
const weights: FaultWeights = { ...roughNetwork, stall: 2 }
const timeoutMs = 3_000
const callsAtOnce = 24
const maxRetries = 8
/** A call that has failed with all its retries is made again, as a program would. */
const maxCalls = 10
const comparedCalls = 1_000

export const client: Scenario = {
  name: 'client',
  title: 'the typed client behind a proxy that cuts, delays, repeats and refuses',
  expected:
    'the typed client makes 10,000 reveals of overlapping people, 24 at once. The proxy cuts connections before, while and after the service works and within its answers, delays, stalls, sends requests twice, and answers 503 itself, in three of five exchanges. No call may end with an error that these faults do not explain. Every call succeeds in the end with the reply of an undisturbed one, and every person is charged exactly once.',

  async run(drill) {
    const { isShort, random, cleanup } = drill
    const installation = await openInstallation(drill)
    const wanted = isShort ? 300 : 10_000
    if (!isShort) await addPeople(drill, installation)
    const { origin } = installation.service
    const { key: apiKey } = installation.accounts.greedy
    const direct = new Storedex({ apiKey, baseUrl: origin })
    const people = await findPeople(direct, wanted)
    const creditsBefore = (await direct.usage.get()).contact_credits.used

    const proxy = await FaultProxy.start({ origin, random, weights, retryAfter: [null, '0', '1'] })
    cleanup.add(() => proxy.close())
    const disturbed = new Storedex({ apiKey, baseUrl: proxy.origin, maxRetries, timeoutMs })
    const calls: RevealCall[] = shuffle(people, random).map((id, index) => {
      const others = Array.from({ length: random.chance(0.3) ? 1 + random.below(4) : 0 }, () => random.pick(people))
      return { idempotencyKey: `drill ${index}`, contactIds: [...new Set([id, ...others])], reply: null }
    })
    const failures = new Counts()
    const durationsMs: number[] = []
    const startedAt = performance.now()
    let done = 0
    await mapConcurrently(
      calls,
      async (call) => {
        const began = performance.now()
        await complete(disturbed, call, failures)
        durationsMs.push(performance.now() - began)
        if (++done % 1_000 === 0) drill.reportProgress(`${done} of ${calls.length} reveals`)
      },
      callsAtOnce,
    )
    const seconds = (performance.now() - startedAt) / 1_000
    await proxy.settle()
    await judge(drill, { calls, direct, people, creditsBefore })
    await checkInvariants(drill, installation)

    const exchanges = proxy.exchanges.length
    drill.figure('exchanges', `${exchanges} for ${calls.length} reveals in ${seconds.toFixed(0)} s`)
    drill.figure('what the proxy did', String(proxy.counts))
    const statuses = new Counts()
    for (const { answers } of proxy.exchanges) for (const { status } of answers) statuses.add(String(status))
    drill.figure('answers of the service', String(statuses))
    drill.figure('calls that failed with all their retries, and were made again', String(failures))
    drill.figure('time of a reveal', describeLatencies(summarizeLatencies(durationsMs)))
  },
}

/** So many that each reveal has somebody of its own. */
async function addPeople({ folder }: Drill, { commands }: Installation): Promise<void> {
  const records = [...generateStores(8_000, 31)]
  await importRecords(commands, 'stores', `${folder}/stores.ndjson`, records)
  await importRecords(commands, 'contacts', `${folder}/contacts.ndjson`, [...generateContacts(records, 3, 31)])
}

async function findPeople(storedex: Storedex, wanted: number): Promise<string[]> {
  const body = { person: { has_verified_email: true }, max_contacts_per_store: 10 }
  // The import is found a moment after it has ended.
  for (let attempt = 0; ; attempt++) {
    const previews = await storedex.contacts.search(body, { maxRows: wanted }).toArray({ maxRows: wanted })
    if (previews.length === wanted) return previews.map(({ id }) => id)
    if (attempt === 60) throw new Error(`the catalogue has ${previews.length} of ${wanted} people`)
    await wait(1_000)
  }
}

async function complete(storedex: Storedex, call: RevealCall, failures: Counts): Promise<void> {
  const { contactIds: contact_ids, idempotencyKey } = call
  for (let attempt = 0; attempt < maxCalls && call.reply === null; attempt++) {
    try {
      call.reply = await storedex.contacts.reveal({ contact_ids }, { idempotencyKey })
    } catch (error) {
      // Any other error would be one that the network does not explain.
      if (!(error instanceof StoredexError && error.retryable)) throw error
      failures.add(error.code)
    }
  }
}

interface Observations {
  calls: readonly RevealCall[]
  direct: Storedex
  people: readonly string[]
  creditsBefore: number
}

async function judge(drill: Drill, { calls, direct, people, creditsBefore }: Observations): Promise<void> {
  const replies = calls.flatMap(({ reply }) => reply ?? [])
  drill.check(
    'every reveal succeeds in the end',
    replies.length === calls.length,
    `${replies.length} of ${calls.length}`,
  )

  const inOrder = calls.filter(({ reply, contactIds }) =>
    isDeepStrictEqual(reply?.data.map(({ id }) => id) ?? [], contactIds),
  ).length
  drill.check('every reply has the people asked for, in their order', inOrder === calls.length, `${inOrder} replies`)

  const charged = replies.flatMap(({ data }) => data.filter((person) => person.charged).map(({ id }) => id))
  const spent = replies.reduce((sum, { credits }) => sum + credits.spent, 0)
  const used = (await direct.usage.get()).contact_credits.used - creditsBefore
  const times = new Set(charged).size
  drill.check(
    'every person is charged exactly once',
    [charged.length, times, spent, used].every((count) => count === people.length),
    `${people.length} people: ${charged.length} charged, ${times} different ones, ${spent} credits reported as spent, ${used} used`,
  )

  const compared = calls.slice(0, comparedCalls)
  const differing = await mapConcurrently(compared, async ({ contactIds: contact_ids, idempotencyKey, reply }) => {
    const replay = await direct.contacts.reveal({ contact_ids }, { idempotencyKey })
    return isDeepStrictEqual(replay, reply) ? 0 : 1
  })
  const sum = differing.reduce<number>((total, one) => total + one, 0)
  drill.check(
    'a reveal through faults is the reply that the service keeps',
    sum === 0,
    `${sum} of ${compared.length} compared replies differ`,
  )
}
