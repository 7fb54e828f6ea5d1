import { isDeepStrictEqual } from 'node:util'
import { type Act, pass, type Setting, type Stage, type State } from './model.ts'
import type { Reply } from './model-replies.ts'

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

/**
 * The states that the acts of a group, done at once, may have led to from one of the given states: for each order of
 * their instants in which the model gives every one of them the reply that it got. None, when there is no such order.
 */
export function statesAfter(
  states: readonly State[],
  setting: Setting,
  group: readonly Done[],
  textOf: (number: number) => string | undefined,
): State[] {
  const ends = new Map<string, State>()
  const visited = new Set<string>()
  const go = (state: State, stages: readonly (Stage | null)[]): void => {
    const here = JSON.stringify([state, stages])
    if (visited.has(here)) return
    visited.add(here)
    if (stages.every((stage) => stage === null)) {
      ends.set(here, state)
      return
    }
    for (const [index, stage] of stages.entries()) {
      if (stage === null) continue
      const { act, seen } = group[index]!
      const next = structuredClone(state)
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

/** The reply that the model gives where nobody else is at it. */
export function expectedReply(state: State, setting: Setting, act: Act): Reply[] {
  const alone = structuredClone(state)
  let outcome = pass(alone, setting, act, { at: 'start' })
  while ('stage' in outcome) outcome = pass(alone, setting, act, outcome.stage)
  return outcome.replies
}

function agrees(reply: Reply, seen: Seen, textOf: (number: number) => string | undefined): boolean {
  if (reply.status !== seen.status) return false
  if (reply.replayOf !== undefined)
    return seen.headers['idempotent-replayed'] === 'true' && seen.text === textOf(reply.replayOf)
  return isDeepStrictEqual(reply.body ?? {}, seen.body) && isDeepStrictEqual(reply.headers ?? {}, seen.headers)
}
