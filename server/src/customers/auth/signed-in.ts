import type { FastifyRequest } from 'fastify'
import type { Lane } from '../../foundation/db/pool.ts'
import type { Account } from '../accounts/account.ts'
import type { Actor, ActorContext } from './actor.ts'
import type { Caller } from './caller.ts'

/** The user who is signed in, read from the database for each request. */
interface SignedInUser {
  id: number
  /** `per_…` */
  publicId: string
  email: string
  name: string
  isOperator: boolean
}

interface CurrentSession {
  id: number
  /** When the user last proved who they are. */
  signedInAt: Date
  /** The account that an operator looks at. */
  seeAsAccountId: number | null
}

/** The context of a request with a session. */
export interface UserContext extends ActorContext {
  db: Lane
  requestId: string
  /** The network address of the browser, for the audit log. */
  address: string
  user: SignedInUser
  session: CurrentSession
}

/** The context of a request about an account, by one of its members or an operator who sees as it. */
export interface MemberContext extends UserContext {
  actor: Extract<Actor, { kind: 'member' }>
  caller: Caller
  /** A user's calls count to no window. */
  admission: null
  account: Account
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard: a `MemberContext` on routes about an account. */
    consoleContext: UserContext | MemberContext | null
  }
}

/** The context of a route that needs a session. */
export function userContext(request: FastifyRequest): UserContext {
  if (!request.consoleContext) throw new Error(`${request.routeOptions.url} declares no session`)
  return request.consoleContext
}

/** The context of a route that declares a role. */
export function memberContext(request: FastifyRequest): MemberContext {
  const ctx = userContext(request)
  if (!isMemberContext(ctx)) throw new Error(`${request.routeOptions.url} declares no role`)
  return ctx
}

/** Whether the context is that of a route about an account. */
export function isMemberContext(ctx: UserContext): ctx is MemberContext {
  return 'caller' in ctx
}
