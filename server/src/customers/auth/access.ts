import { Refusal } from '../../foundation/kernel/errors.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import type { Meter } from '../accounts/plans.ts'
import type { Actor, ActorContext } from './actor.ts'
import type { Scope } from './caller.ts'
import { missingScopeError } from './key-refusals.ts'
import type { BillingLimit } from './rate-limits.ts'
import { includesRole, type Role } from './roles.ts'

interface DeedRules {
  /** Whether it changes something; an operator who sees as an account may do none of these. */
  changes: boolean
  /** Whether a user must have signed in within the last ten minutes. */
  fresh: boolean
  /** Whether it is written to the audit log. What spends alone is in the ledger. */
  audited: boolean
}

/** What each kind of deed asks for, beyond the right to do it. Every route is of one kind. */
export const deedKinds = {
  /** Looking, counting, asking for a price. */
  read: { changes: false, fresh: false, audited: false },
  /** Takes much out at once: files of the ledger, of revealed people, of rejects, of exports. */
  exit: { changes: false, fresh: false, audited: true },
  /** Signing in and out, and what a user prefers. */
  session: { changes: true, fresh: false, audited: false },
  /** Spends what the account has: the ledger tells. */
  spend: { changes: true, fresh: false, audited: false },
  /** Changes what can be changed back. */
  edit: { changes: true, fresh: false, audited: true },
  /** Gives rights or money, ends what cannot be restored, or takes channels out as a file. */
  powerful: { changes: true, fresh: true, audited: true },
} as const satisfies Record<string, DeedRules>

export type DeedKind = keyof typeof deedKinds

/** A sign-in that counts as fresh is at most so old. */
const freshMs = 10 * 60_000
/** An operator of the installation signs in again after so long. */
export const operatorSessionMs = 12 * 3_600_000

/** Who may do something, through which door; part of a route's declaration, and checked again by its verb. */
export interface Access {
  /** `/api/v1`, with an API key. */
  key?: {
    scope: Scope
    /** The scope that a body, of any shape, calls for instead. */
    scopeOfBody?: (body: unknown) => Scope | undefined
    /** All scopes that a call needs by what it asks for, in the words of the document, where it is not `scope` alone. */
    scopeSets?: Readonly<Record<string, readonly Scope[]>>
    /**
     * The statement that charges a call also counts it in its windows. The handler must write nothing, and call no other service,
     * before it charges.
     */
    admitsWithCharge?: true
    /** Marks a billing call: it has its own hourly limit and works without API access. */
    billingLimit?: BillingLimit
  }
  /** `/console/api/accounts/:account`, for members of at least this role. */
  member?: {
    role: Role
    /** Whether the account needs a plan with access. */
    needsAccess?: true
    /** The spending of a member instead: looking at stores takes no exports. */
    spends?: readonly Meter[]
  }
  /** `/console/api`, for anybody who is signed in. */
  person?: true
  /** `/console/api`, for operators of the installation. */
  operator?: true
  /** `/console/api`, without a session. */
  anyone?: true
  kind: DeedKind | ((body: unknown) => DeedKind)
  /** The meters that it may spend. */
  spends?: readonly Meter[]
}

/** The meters that a request through this door may spend. */
export function spendsOf({ member, spends = [] }: Access, door: string | undefined): readonly Meter[] {
  return (door === 'member' && member?.spends) || spends
}

export function kindOf({ kind }: Access, body?: unknown): DeedKind {
  return typeof kind === 'function' ? kind(body) : kind
}

/** The scope that a request with this body needs. */
export function scopeNeededBy({ scope, scopeOfBody }: NonNullable<Access['key']>, body: unknown): Scope {
  return scopeOfBody?.(body) ?? scope
}

/**
 * Throws unless the actor may do it: a key by its scope, a member by the role, a user where the sign-in is fresh enough.
 * The command line and the service itself always may.
 */
export function authorize({ actor, now }: ActorContext, access: Access, body?: unknown): void {
  if (actor.kind === 'command' || actor.kind === 'system') return
  const rules = deedKinds[kindOf(access, body)]
  if (actor.kind === 'member' && actor.seesAs && (rules.changes || spendsOf(access, 'member').length > 0))
    throw new Refusal(
      'insufficient_role',
      'You are looking at this account as an operator; nothing can be changed or spent.',
    )
  if (!mayCome(actor, access, body)) throw refusalOf(actor, access, body)
  if (rules.fresh && 'signedInAt' in actor && !isFresh(actor.signedInAt, now))
    throw new Refusal('fresh_sign_in_required', 'Confirm that it is you: this needs a sign-in within ten minutes.')
}

function mayCome(actor: Exclude<Actor, { kind: 'command' | 'system' }>, access: Access, body: unknown): boolean {
  switch (actor.kind) {
    case 'key':
      return access.key !== undefined && actor.scopes.includes(scopeNeededBy(access.key, body))
    case 'member':
      return access.member !== undefined && includesRole(actor.role, access.member.role)
    case 'visitor':
      return access.anyone === true
    default:
      return access[actor.kind] === true || access.anyone === true
  }
}

function refusalOf(actor: Actor, { key, member }: Access, body: unknown): Refusal {
  if (actor.kind === 'key' && key) return missingScopeError(scopeNeededBy(key, body))
  if (actor.kind === 'member' && member)
    return new Refusal('insufficient_role', `This needs the role ${member.role}; yours is ${actor.role}.`, {
      param: member.role,
    })
  return new Refusal('insufficient_role', 'Only operators of this installation may do this.')
}

/** A sign-in that a wrong clock has put into the future is not fresh. */
function isFresh(signedInAt: Date, now: Date): boolean {
  const ageMs = now.getTime() - signedInAt.getTime()
  return ageMs < freshMs && ageMs >= -clockToleranceMs
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route of the API and of the console. */
    access?: Access
    /** What a call with a key costs beside a request, in the words of the document. */
    costs?: string
  }
}
