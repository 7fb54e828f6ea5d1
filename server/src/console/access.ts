import type { FastifyRequest } from 'fastify'
import type { Account } from '../accounts/account.ts'
import type { Meter } from '../accounts/plans.ts'
import type { Caller } from '../auth/caller.ts'
import type { Lane } from '../db/pool.ts'
import type { Role } from '../people/roles.ts'

/** Who may call a route of the console; part of the route's declaration. */
export interface ConsoleAccess {
  /**
   * `anyone` needs no session, `person` needs one. A role needs the route's `:account` parameter, and a membership of at
   * least this role in that account. `operator` needs the mark of an operator.
   */
  who: 'anyone' | 'person' | Role | 'operator'
  /** Whether the person must have signed in within the last ten minutes. */
  fresh?: true
  /** Whether the account needs a plan with access. */
  needsAccess?: true
  /** What the call may spend; never open to an operator who only sees as the account. */
  spends?: readonly Meter[]
  /** Whether a POST changes nothing, such as a quote, so that an operator who sees as the account may call it. */
  readOnly?: true
}

/** The person who is signed in, read from the database for each request. */
interface SignedInPerson {
  id: number
  /** `per_…` */
  publicId: string
  email: string
  name: string
  isOperator: boolean
}

interface CurrentSession {
  id: number
  /** When the person last proved who they are. */
  signedInAt: Date
  /** The account that an operator looks at. */
  seeAsAccountId: number | null
}

/** The context of a request with a session. */
export interface PersonContext {
  db: Lane
  now: Date
  requestId: string
  /** The network address of the browser, for the audit log. */
  address: string
  person: SignedInPerson
  session: CurrentSession
}

/** The context of a request about an account, by one of its members or an operator who sees as it. */
export interface MemberContext extends PersonContext {
  caller: Caller
  role: Role
  account: Account
  /** Whether the person is an operator who looks at the account as its people see it. */
  isSeeAs: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route of the console. */
    console?: ConsoleAccess
  }
  interface FastifyRequest {
    /** Set by the guard: a `MemberContext` on routes about an account. */
    consoleContext: PersonContext | MemberContext | null
  }
}

/** The context of a route that needs a session. */
export function personContext(request: FastifyRequest): PersonContext {
  if (!request.consoleContext) throw new Error(`${request.routeOptions.url} declares no session`)
  return request.consoleContext
}

/** The context of a route that declares a role. */
export function memberContext(request: FastifyRequest): MemberContext {
  const ctx = personContext(request)
  if (!isMemberContext(ctx)) throw new Error(`${request.routeOptions.url} declares no role`)
  return ctx
}

/** Whether the context is that of a route about an account. */
export function isMemberContext(ctx: PersonContext): ctx is MemberContext {
  return 'caller' in ctx
}
