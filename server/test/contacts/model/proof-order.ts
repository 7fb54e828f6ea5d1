import { isDeepStrictEqual } from 'node:util'
import { type Act, copyOf, pass, type Setting, type Stage, type State } from './model.ts'
import type { Reply } from './replies.ts'

/** A reply as it came, or how a command of the operator ended. */
export interface Seen {
  status: Reply['status']
  headers: Record<string, string>
  body: Record<string, unknown>
  /** The bytes of the body. */
  text: string
}

export interface Done {
  act: Act
  seen: Seen
}

type TextOf = (number: number) => string | undefined

/**
 * The states that the acts of a group, done at once, may have led to from one of the given states: for each order of
 * their instants in which the model gives every one of them the reply that it got. None, when there is no such order.
 */
export function statesAfter(
  states: readonly State[],
  setting: Setting,
  group: readonly Done[],
  textOf: TextOf,
): readonly State[] {
  // Between those that have nothing in common the order does not matter.
  return independentParts(setting, group).reduce((before, part) => ordersOf(before, setting, part, textOf), states)
}

/** Acts that share an account's books of a mode, or its terms, or the catalogue that is being changed, stay together. */
function independentParts({ keys }: Setting, group: readonly Done[]): Done[][] {
  const changed = group.flatMap(({ act }) => (act.act === 'set' ? act.account : []))
  const isCatalogueChanged = group.some(({ act }) => act.act === 'import' || act.act === 'erase')
  const parts = new Map<string, Done[]>()
  for (const done of group) {
    const name = isCatalogueChanged ? 'all' : booksOf(done.act, keys, changed)
    parts.set(name, [...(parts.get(name) ?? []), done])
  }
  return [...parts.values()]
}

function booksOf(act: Act, keys: Setting['keys'], changed: number[]): string {
  if (act.act === 'set') return `${act.account}`
  if (!('key' in act)) return 'the catalogue'
  const { account, mode } = keys[act.key]!
  return changed.includes(account) ? `${account}` : `${account} ${mode}`
}

function ordersOf(states: readonly State[], setting: Setting, group: readonly Done[], textOf: TextOf): State[] {
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
      const outcome = pass(next, setting, act, stage)
      if ('stage' in outcome) go(next, stages.with(index, outcome.stage))
      else if (outcome.replies.some((reply) => agrees(reply, seen, textOf))) go(next, stages.with(index, null))
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
  // They are large and hardly ever change.
  const known = names.get(catalogues) ?? JSON.stringify(catalogues)
  names.set(catalogues, known)
  return JSON.stringify([state, stages]) + known
}

/** The reply that the model gives where nobody else is at it. */
export function expectedReply(state: State, setting: Setting, act: Act): Reply[] {
  const alone = copyOf(state)
  let outcome = pass(alone, setting, act, { at: 'start' })
  while ('stage' in outcome) outcome = pass(alone, setting, act, outcome.stage)
  return outcome.replies
}

function agrees(reply: Reply, seen: Seen, textOf: TextOf): boolean {
  if (reply.status !== seen.status) return false
  if (reply.replayOf !== undefined)
    return seen.headers['idempotent-replayed'] === 'true' && seen.text === textOf(reply.replayOf)
  return isDeepStrictEqual(reply.body ?? {}, seen.body) && isDeepStrictEqual(reply.headers ?? {}, seen.headers)
}
