import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { checkLedger } from '../../../../../src/customers/ledger/check.ts'
import type { TestApp } from '../../../../support/app.ts'
import { entitlementOf } from './entitlement.ts'
import { type AccountActivity, type Act, advance, copyOf, type Setting, type Stage, type State } from './model.ts'
import { actOf, type Move, type Past, type Pause } from './moves.ts'
import type { Reply, Seen } from './replies.ts'
import { createWorld, type Servers, type World } from './world.ts'

/** Time passes, or some moves are made concurrently. */
export type Step = Pause | Move[]

/** What the runs met; a test without refusals and replays would prove little. */
export interface Coverage {
  requests: number
  /** By act and status, or `replay`. */
  seen: Map<string, number>
}

/** Long enough for requests to reach their charge, and short against every timeout. */
const blockMs = 15

/** Makes the moves in a new world, and compares every reply and the final figures with the model. */
export async function runHistory(
  servers: Servers,
  run: number,
  startMs: number,
  steps: Step[],
  coverage: Coverage,
): Promise<void> {
  const world = await createWorld(servers, run, startMs)
  const { setting } = world
  const texts = new Map<number, string>()
  const cursors = new Map<number, string>()
  const past: Past = { state: world.start, roster: world.roster, reveals: [], searches: [] }
  let states: readonly State[] = [world.start]
  let number = 0
  for (const step of [...steps, ...closing]) {
    if (!Array.isArray(step)) {
      const now = timeAfter(step, states[0]!, setting)
      world.pause(now)
      for (const state of states) state.now = now
      continue
    }
    // A walk through contacts that changed meanwhile has no defined next page.
    if (step.some(({ move }) => move === 'import' || move === 'erase'))
      past.searches = past.searches.filter(({ query }) => query.path === '/stores/search')
    past.state = states[0]!
    const acts = step.flatMap((move) => actOf(move, number++, past) ?? [])
    const release = acts.length > 1 ? await world.blockCharges() : undefined
    const performing = Promise.all(acts.map((act, index) => world.perform(act, (number + index) % 2, cursors)))
    if (release) await delay(blockMs).then(release)
    const seen = await performing
    const group = acts.map((act, index): CompletedAct => ({ act, seen: seen[index]! }))
    for (const done of group) record(done, past, texts, cursors, coverage)
    const next = statesAfter(states, setting, group, (of) => texts.get(of))
    if (next.length === 0) failWithDetails(states, world, group)
    states = next
  }
  for (const [account, publicId] of world.accounts.entries())
    expect(await storedFigures(servers.app, publicId)).toEqual(modelledFigures(states[0]!, account, servers.app))
  await checkLedger(servers.app.deps, async (_totals, differences) => {
    for await (const some of differences)
      expect(some.filter(({ account }) => world.accounts.includes(account))).toEqual([])
  })
}

/** At the end every account gets access and reads its usage. */
const closing: Move[][] = [0, 1].flatMap((account) => [
  [{ move: 'plan', account, plan: 'business' }],
  [{ move: 'status', account, status: 'active' }],
  [{ move: 'limit', account, meter: 'requests_per_minute', figure: 1_000 }],
  [{ move: 'limit', account, meter: 'requests_per_day', figure: 10_000 }],
  [{ move: 'usage', key: account * 3 }],
  [{ move: 'usage', key: account * 3 + 2 }],
])

function timeAfter(pause: Pause, state: State, { plans }: World['setting']): number {
  if ('pauseMs' in pause) return state.now + pause.pauseMs
  const { end } = entitlementOf(state.accounts[pause.untilEndOfMonthOf]!.grant, plans, state.now).period
  // Time never goes back, and the last millisecond of a month passes too.
  return Math.max(state.now, pause.beforeIt ? end - 1 : end)
}

function record(
  { act, seen }: CompletedAct,
  past: Past,
  texts: Map<number, string>,
  cursors: Map<number, string>,
  coverage: Coverage,
): void {
  coverage.requests++
  const kind = seen.headers['idempotent-replayed'] ? 'replay' : `${act.act} ${seen.status}`
  coverage.seen.set(kind, (coverage.seen.get(kind) ?? 0) + 1)
  if (act.act === 'reveal') {
    texts.set(act.number, seen.text)
    if (act.idempotencyKey !== null) past.reveals.push(act)
  }
  if (act.act === 'search' && seen.body.next_cursor) {
    past.searches.push(act)
    cursors.set(act.number, JSON.parse(seen.text).next_cursor)
  }
}

/** Fails with the expected reply if the act ran alone, otherwise with all replies. */
function failWithDetails(states: readonly State[], { setting }: World, group: CompletedAct[]): never {
  const [only] = group
  if (group.length === 1 && only) {
    const [expected] = expectedReply(states[0]!, setting, only.act)
    const { text, ...seen } = only.seen
    expect({ act: only.act, ...seen, text }).toMatchObject({ act: only.act, ...expected })
  }
  const replies = group.map(({ act, seen: { status, headers, text } }) => ({ act, status, headers, text }))
  const before = states.map(({ accounts }) => accounts)
  throw new Error(`No order gives these replies: ${JSON.stringify({ replies, before }, undefined, 1)}`)
}

interface Figures {
  used: Record<string, number>
  exported: number
  revealed: Record<number, number>
}

/** The figures of an account in the database, by mode. */
async function storedFigures(app: TestApp, publicId: string): Promise<Record<string, Figures>> {
  const { rows } = await app.db.query(
    `select m.mode,
            (select coalesce(json_object_agg(meter || ' ' || floor(extract(epoch from period_start) * 1000), used), '{}')
             from usage_counters c where c.account_id = $1 and c.mode = m.mode) as used,
            (select count(*)::integer from store_exports e where e.account_id = $1 and e.mode = m.mode) as exported,
            (select coalesce(json_object_agg(contact_id, floor(extract(epoch from revealed_at) * 1000)), '{}')
             from reveals r where r.account_id = $1 and r.mode = m.mode) as revealed
     from (values ('live'), ('test')) as m (mode)`,
    [app.accountNumber(publicId)],
  )
  return Object.fromEntries(rows.map(({ mode, ...figures }) => [mode, figures]))
}

function modelledFigures(state: State, account: number, app: TestApp): Record<string, Figures> {
  const figures = (mode: 'live' | 'test', { used, exported, revealed }: AccountActivity): Figures => ({
    used,
    exported: Object.values(exported).flat().length,
    revealed: Object.fromEntries(
      Object.entries(revealed).map(([person, at]) => [
        app.deps.ids.open(state.catalogues[mode].people[Number(person)]!.id)!.value,
        at,
      ]),
    ),
  })
  const { live, test } = state.accounts[account]!.activity
  return { live: figures('live', live), test: figures('test', test) }
}

interface CompletedAct {
  act: Act
  seen: Seen
}

type TextOf = (number: number) => string | undefined

/**
 * The possible states after concurrent acts: one for each order of their stages in which the model gives every act the reply
 * that it got. Empty if there is no such order.
 */
function statesAfter(
  states: readonly State[],
  setting: Setting,
  group: readonly CompletedAct[],
  textOf: TextOf,
): readonly State[] {
  // The order of acts without shared state does not matter.
  return independentParts(setting, group).reduce((before, part) => tryOrders(before, setting, part, textOf), states)
}

/** Groups acts that share an account's activity or grant, or a changing catalogue. */
function independentParts({ keys }: Setting, group: readonly CompletedAct[]): CompletedAct[][] {
  const changed = group.flatMap(({ act }) => (act.act === 'set' ? act.account : []))
  const isCatalogueChanged = group.some(({ act }) => act.act === 'import' || act.act === 'erase')
  const parts = new Map<string, CompletedAct[]>()
  for (const done of group) {
    const name = isCatalogueChanged ? 'all' : sharedStateOf(done.act, keys, changed)
    parts.set(name, [...(parts.get(name) ?? []), done])
  }
  return [...parts.values()]
}

function sharedStateOf(act: Act, keys: Setting['keys'], changed: number[]): string {
  if (act.act === 'set') return `${act.account}`
  if (!('key' in act)) return 'the catalogue'
  const { account, mode } = keys[act.key]!
  return changed.includes(account) ? `${account}` : `${account} ${mode}`
}

function tryOrders(
  states: readonly State[],
  setting: Setting,
  group: readonly CompletedAct[],
  textOf: TextOf,
): State[] {
  const ends = new Map<string, State>()
  const visited = new Set<string>()
  const go = (state: State, stages: readonly (Stage | null)[]): void => {
    const here = nameOf(state, stages)
    if (visited.has(here)) return
    visited.add(here)
    if (stages.every((stage) => stage === null)) {
      ends.set(here, state)
      return
    }
    for (const [index, stage] of stages.entries()) {
      if (stage === null) continue
      const { act, seen } = group[index]!
      const next = copyOf(state)
      const outcome = advance(next, setting, act, stage)
      if ('stage' in outcome) go(next, stages.with(index, outcome.stage))
      else if (outcome.replies.some((reply) => isSameReply(reply, seen, textOf))) go(next, stages.with(index, null))
    }
  }
  for (const state of states)
    go(
      state,
      group.map(() => ({ at: 'start' as const })),
    )
  return [...ends.values()]
}

const names = new WeakMap<object, string>()

function nameOf({ catalogues, ...state }: State, stages: readonly (Stage | null)[]): string {
  // Catalogues are large and rarely change.
  const known = names.get(catalogues) ?? JSON.stringify(catalogues)
  names.set(catalogues, known)
  return JSON.stringify([state, stages]) + known
}

/** The reply that the model gives to an act without concurrent ones. */
function expectedReply(state: State, setting: Setting, act: Act): Reply[] {
  const alone = copyOf(state)
  let outcome = advance(alone, setting, act, { at: 'start' })
  while ('stage' in outcome) outcome = advance(alone, setting, act, outcome.stage)
  return outcome.replies
}

function isSameReply(reply: Reply, seen: Seen, textOf: TextOf): boolean {
  if (reply.status !== seen.status) return false
  if (reply.replayOf !== undefined)
    return seen.headers['idempotent-replayed'] === 'true' && seen.text === textOf(reply.replayOf)
  return isDeepStrictEqual(reply.body ?? {}, seen.body) && isDeepStrictEqual(reply.headers ?? {}, seen.headers)
}
