import type { Role } from './roles.ts'

/** The context of a signed-in user. */
interface SignedIn {
  userId: number
  /** When they last proved who they are. */
  signedInAt: Date
  /** The network address of the browser. */
  address: string
}

/** Who does something, and through which door they came. */
export type Actor =
  | { kind: 'key'; keyId: number; scopes: readonly string[] }
  /** A member of the account; an operator who sees as its users do is a viewer. */
  | ({ kind: 'member'; role: Role; seesAs: boolean } & SignedIn)
  /** About themselves. */
  | ({ kind: 'person' } & SignedIn)
  | ({ kind: 'operator' } & SignedIn)
  /** A browser that is not signed in. Without an address where it must not be kept. */
  | { kind: 'visitor'; address: string | null }
  | { kind: 'command' }
  /** The service itself, such as an export that was started before. */
  | { kind: 'system' }

export type ActorKind = Actor['kind']

/** The actor of a request with a key. */
export function keyActor({ key, scopes }: { key: { id: number }; scopes: readonly string[] }): Actor {
  return { kind: 'key', keyId: key.id, scopes }
}

export const command: Actor = { kind: 'command' }
export const system: Actor = { kind: 'system' }

/** What every verb gets: who acts, and when. */
export interface ActorContext {
  actor: Actor
  now: Date
}

/** A user without a session yet: one who just proved their identity, or the one that was named. */
export function recognised(userId: number, { address, now }: { address: string; now: Date }): ActorContext {
  return { actor: { kind: 'person', userId, signedInAt: now, address }, now }
}

/** The user who acts; null for all others. */
export function userOf(actor: Actor): number | null {
  return 'userId' in actor ? actor.userId : null
}

/** The network address that the request came from; null for keys, the command line and the service itself. */
export function addressOf(actor: Actor): string | null {
  return 'address' in actor ? actor.address : null
}
