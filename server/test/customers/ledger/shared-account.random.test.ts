import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createMember, keyNumber, readLedger, readSpent, readViewed } from '../../support/members.ts'
import {
  type Act,
  actorCount,
  addSeen,
  type Catalogue,
  contactsPerStore,
  expectedRefusal,
  fillCatalogue,
  nothingUsed,
  openSharedAccount,
  pageOf,
  rowsLeftForFirst,
  type Seen,
  type SharedAccount,
  storeCount,
  takesStores,
  type Used,
} from './support/shared-account.ts'

let app: TestApp
let catalogue: Catalogue
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  catalogue = await fillCatalogue(app)
})

const actor = fc.nat(actorCount - 1)
const store = fc.nat(storeCount - 1)
const contacts = fc.uniqueArray(fc.nat(storeCount * contactsPerStore - 1), { minLength: 1, maxLength: 4 })
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    actor,
    act: fc.constant('search' as const),
    limit: fc.integer({ min: 1, max: 9 }),
    firstCountry: fc.boolean(),
  }),
  fc.record({
    ...{ actor, act: fc.constant('search people' as const) },
    ...{ limit: fc.integer({ min: 1, max: 6 }), perStore: fc.integer({ min: 1, max: 4 }) },
  }),
  fc.record({ actor, act: fc.constant('look up' as const), store }),
  fc.record({ actor, act: fc.constant('copy' as const), store }),
  {
    weight: 2,
    arbitrary: fc.record({ actor, act: fc.constant('reveal' as const), contacts, idempotencyKey: fc.constant(null) }),
  },
  // Few keys and few bodies, so that some repeat each other and some conflict.
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ actor, act: fc.constant('reveal' as const) },
      ...{ contacts: fc.constantFrom<number[][]>([0, 3], [1]), idempotencyKey: fc.nat(2) },
    }),
  },
)
/** Requests of a step are sent at once. */
const steps = fc.array(fc.array(act, { minLength: 1, maxLength: 7 }), { minLength: 6, maxLength: 12, size: 'max' })

const counts = { alone: 0, together: 0, replays: 0, refusals: new Map<string, number>() }

/** Sends the requests of a step and checks what can be said of each reply. */
async function performStep(shared: SharedAccount, used: Used, acts: Act[]): Promise<Seen[]> {
  const refusalsAlone = acts.map((each) => expectedRefusal(used, each))
  const seen = await Promise.all(acts.map((each) => shared.perform(each)))
  for (const each of seen) addSeen(used, each)
  for (const [index, { status, refusal, isReplay, act: sent }] of seen.entries()) {
    expect([200, 402, 403, 409, 429]).toContain(status)
    if (refusal) counts.refusals.set(refusal, (counts.refusals.get(refusal) ?? 0) + 1)
    if (isReplay) counts.replays++
    if (acts.length === 1) expect(refusal, JSON.stringify(sent)).toBe(refusalsAlone[index])
    // Rows left only fall, so what did not fit in between does not fit afterwards.
    else if (refusal === 'search_rows' || refusal === 'person_rows')
      expect([refusal, 'search_rows'], JSON.stringify(sent)).toContain(expectedRefusal(used, sent))
    if (refusalsAlone[index] === 'insufficient_role') expect(refusal).toBe('insufficient_role')
  }
  counts[acts.length === 1 ? 'alone' : 'together'] += acts.length
  return seen
}

async function compareWithDatabase(shared: SharedAccount, used: Used, seen: Seen[]): Promise<void> {
  const { account, keys, users } = shared
  expect(await readSpent(app, account)).toEqual({
    contact_credits: used.revealed.size,
    store_exports: used.exports.size,
    search_rows: used.rows,
  })
  const viewed = await Promise.all(users.map((each) => readViewed(app, each)))
  expect(viewed).toEqual([3_000 - rowsLeftForFirst + used.viewed[2]!, used.viewed[3], used.viewed[4]])

  const spenders = [
    ...keys.map((key) => ({ key_id: keyNumber(app, key), person_id: null })),
    ...users.map(({ number }) => ({ key_id: null, person_id: number })),
  ]
  // Every entry belongs to a request that was answered, and to who sent it.
  const byRequest = new Map(seen.map((each) => [each.requestId, each]))
  const entered = new Map<string, Record<string, number>>()
  for (const { request_id, meter, amount, ...spender } of await readLedger(app, account)) {
    const request = byRequest.get(request_id)
    expect(request).toMatchObject({ status: 200, isReplay: false })
    expect(spender).toEqual(spenders[request!.act.actor])
    const amounts = entered.get(request_id) ?? {}
    expect(amounts[meter]).toBeUndefined()
    entered.set(request_id, { ...amounts, [meter]: amount })
  }
  for (const request of seen) {
    const amounts = entered.get(request.requestId) ?? {}
    expect(amounts.search_rows ?? 0).toBe(request.rows)
    expect(amounts.contact_credits ?? 0).toBe(request.credits)
    expect(amounts.store_exports ?? 0).toBeLessThanOrEqual(takesStores(request.act) ? request.stores.length : 0)
  }

  // Of all who asked for a page of a person, one paid for it.
  for (const page of used.paid) {
    const looks = seen.filter((each) => each.status === 200 && pageOf(each.act) === page)
    const paid = looks.filter(({ rows }) => rows > 0)
    expect(paid.map(({ rows }) => rows)).toEqual([looks[0]!.found])
  }

  const charged = seen.flatMap((each) => each.charged.map((contact) => [contact, each] as const))
  expect(new Set(charged.map(([contact]) => contact)).size).toBe(charged.length)
  const ids = app.deps.ids.openMany('contact', catalogue.contacts, 'live')
  const { rows } = await app.db.query(
    'select contact_id, key_id, person_id from reveals where account_id = $1 order by contact_id',
    [app.accountNumber(account)],
  )
  expect(rows).toEqual(
    charged
      .map(([contact, { act: sent }]) => ({ contact_id: ids[contact], ...spenders[sent.actor] }))
      .sort((a, b) => a.contact_id! - b.contact_id!),
  )
}

async function checkLedger(): Promise<object> {
  const { code, stdout } = await runCommand(app.deps, ['ledger', 'check', '--json'])
  return { code, ...JSON.parse(stdout) }
}

describe('keys and people who share an account', () => {
  test('are charged what they were sent, each under their own name, whatever they do at once', async () => {
    const runs = proofRuns(120)
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        const shared = await openSharedAccount(catalogue)
        const used = nothingUsed()
        const seen: Seen[] = []
        for (const acts of each) seen.push(...(await performStep(shared, used, acts)))
        await compareWithDatabase(shared, used, seen)
      }),
      { numRuns: runs },
    )
    expect(await checkLedger()).toMatchObject({ code: 0, differences: [] })
    // Many runs reach every limit.
    if (runs < 100) return
    expect([...counts.refusals.keys()]).toEqual(
      expect.arrayContaining([
        ...['search_rows', 'person_rows', 'store_exports', 'insufficient_contact_credits'],
        ...['insufficient_role', 'idempotency_conflict'],
      ]),
    )
    expect(Math.min(counts.alone, counts.together, counts.replays)).toBeGreaterThan(5)
  }, 180_000)

  test('two people who reveal with the last credit at once: exactly one succeeds', async () => {
    for (let round = 0; round < proofRuns(15); round++) {
      const first = await createMember(app)
      const second = await createMember(app, { account: first.account })
      await app.setAccount(first.account, { limits: { contact_credits: 1 } })
      const [one, other] = [catalogue.contacts[0], catalogue.contacts[round % 2 ? 4 : 1]]
      const replies = await Promise.all([
        first.ask('/contacts/reveal', { contact_ids: [one] }, round % 3 ? { 'idempotency-key': 'one' } : {}),
        second.ask('/contacts/reveal', { contact_ids: [other] }, round % 3 ? { 'idempotency-key': 'two' } : {}),
      ])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 402])
      const winner = replies[0]!.status === 200 ? first : second
      expect((await readLedger(app, first.account)).map(({ person_id }) => person_id)).toEqual([
        winner.number,
        winner.number,
      ])
      expect(await readSpent(app, first.account)).toEqual({ contact_credits: 1, store_exports: 1, search_rows: 0 })
    }
  })
})
