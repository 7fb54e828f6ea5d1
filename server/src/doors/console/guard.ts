import type { FastifyInstance, FastifyRequest } from 'fastify'
import { entitlementAt } from '../../customers/accounts/account.ts'
import type { PlanFile } from '../../customers/accounts/plans.ts'
import { accountOf } from '../../customers/accounts/queries.ts'
import { consolePrefix } from '../../customers/admission/doors.ts'
import { type Access, authorize, operatorSessionMs } from '../../customers/auth/access.ts'
import type { ActorContext } from '../../customers/auth/actor.ts'
import type { Caller } from '../../customers/auth/caller.ts'
import { accessRequiredError, billingPageOf } from '../../customers/auth/key-refusals.ts'
import { isMemberContext, type MemberContext, type UserContext } from '../../customers/auth/signed-in.ts'
import { type AdmittedSessionRow, admitSession } from '../../customers/users/sessions/queries.ts'
import { registerSessionCookie } from '../../customers/users/sessions/session-cookie.ts'
import { recordSessionUse } from '../../customers/users/sessions/sessions.ts'
import { readBody } from '../../foundation/http/bodies.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { refuseOtherSites } from './origin.ts'
import { describeUser } from './user-context.ts'

interface GuardOptions {
  ids: IdSealer
  plans: PlanFile
  publicUrl: string
  sessions: KnownSessions
}

/** A route of the console with its declaration. */
export interface ConsoleRoute {
  method: string
  url: string
  access: Access
  door: ConsoleDoor
}

type ConsoleDoor = 'member' | 'person' | 'operator' | 'anyone'

declare module 'fastify' {
  interface FastifyInstance {
    /** The routes of the console, for the tests that go through all of them. */
    consoleRoutes: ConsoleRoute[]
  }
}

/**
 * Decides, for every route of the console, who may call it: origin, session, membership, role, fresh sign-in, access, in
 * this order and before the request is validated.
 */
export function guardConsole(app: FastifyInstance, options: GuardOptions): void {
  registerSessionCookie(app, options.publicUrl)
  app.decorateRequest('consoleContext', null)
  app.decorate('consoleRoutes', [])
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!url.startsWith(`${consolePrefix}/`) || url.endsWith('/openapi.json')) return
    if (!config?.access) throw new Error(`${url}: a route below ${consolePrefix} declares config.access`)
    for (const each of [method].flat())
      app.consoleRoutes.push({ method: each, url, access: config.access, door: config.door as ConsoleDoor })
  })
  const admit = async (request: FastifyRequest, access: Access, door: ConsoleDoor) => {
    refuseOtherSites(request, options.publicUrl)
    request.consoleContext = await admitUser(request, access, door, options)
  }
  app.addHook('preValidation', (request, _reply, done) => {
    const { access, door } = request.routeOptions.config
    if (!access || door === 'api') return done()
    admit(request, access, door as ConsoleDoor).then(() => done(), done)
  })
}

/**
 * The holder of a console request for fair queueing, before its session is read: the account or the user that the
 * session was admitted for last, and the address for anybody else.
 */
export function identifyVisitor(request: FastifyRequest, sessions: KnownSessions): string | null {
  const { access, door } = request.routeOptions.config
  if (!access || door === 'api') return null
  return (
    (request.sessionHash && sessions.holderOf(request.sessionHash, accountParameter(request))) ??
    `visitor ${request.ip}`
  )
}

const maxKnownSessions = 10_000

/** Remembers what sessions were admitted for, only to share the service fairly: it decides no right. */
export class KnownSessions {
  readonly #holders = new Map<string, string>()

  holderOf(sessionHash: Buffer, account: string | null): string | null {
    return this.#holders.get(nameOf(sessionHash, account)) ?? null
  }

  remember(sessionHash: Buffer, account: string | null, holder: string): void {
    if (this.#holders.size >= maxKnownSessions) this.#holders.clear()
    this.#holders.set(nameOf(sessionHash, account), holder)
  }
}

function nameOf(sessionHash: Buffer, account: string | null): string {
  return sessionHash.toString('latin1') + (account ?? '')
}

function accountParameter(request: FastifyRequest): string | null {
  return (request.params as { account?: string }).account ?? null
}

async function admitUser(
  request: FastifyRequest,
  access: Access,
  door: ConsoleDoor,
  options: GuardOptions,
): Promise<UserContext | MemberContext | null> {
  const { sessionHash, now } = request
  const account = accountParameter(request)
  const row = sessionHash && (await readSession(request, sessionHash, account, options))
  if (!row) {
    if (door === 'anyone') return null
    throw new Refusal('not_signed_in', 'Sign in first: there is no session, or it has ended.')
  }
  const user = describeUser(request, row, options.ids, door === 'operator' && row.operator ? 'operator' : 'person')
  // The label of the log line, also when the request is refused from here on.
  request.consoleContext = user
  const context = door === 'member' ? describeMember(user, row, options) : user
  if (door !== 'anyone') authorize(context, access, typeof access.kind === 'function' ? readBody(request) : undefined)
  if (access.member?.needsAccess && isMemberContext(context) && !context.account.accessOpen)
    throw accessRequiredError(context.account, billingPageOf(options.publicUrl, account!))
  const holder = isMemberContext(context) ? `account ${context.account.id}` : `person ${row.person_id}`
  options.sessions.remember(sessionHash, account, holder)
  const { session_id: id, session_created_at: createdAt, last_seen_at: lastSeenAt } = row
  await recordSessionUse(request.db, { id, createdAt, lastSeenAt }, now)
  return context
}

/** The session with its user; none also for an operator whose sign-in is half a day old. */
async function readSession(
  { db, now }: FastifyRequest,
  tokenHash: Buffer,
  account: string | null,
  { ids }: GuardOptions,
): Promise<AdmittedSessionRow | undefined> {
  const opened = account === null ? null : ids.open(account)
  const accountId = opened?.kind === 'account' ? opened.value : null
  const row = await admitSession(db, { tokenHash, now, accountId })
  const isOutlived = row?.operator && now.getTime() - row.signed_in_at.getTime() >= operatorSessionMs
  return isOutlived ? undefined : row
}

/** Throws for strangers as for accounts that do not exist. */
function describeMember(context: UserContext, row: AdmittedSessionRow, { plans }: GuardOptions): MemberContext {
  const { id } = row
  if (id === null) throw new Refusal('account_not_found', 'There is no such account, or you are no member of it.')
  const seesAs = row.operator && row.see_as_account_id === id
  const role = seesAs ? 'viewer' : row.role!
  const account = accountOf({ ...row, id })
  const { userId, signedInAt, address } = context.actor as Extract<ActorContext['actor'], { kind: 'person' }>
  const actor = { kind: 'member', role, seesAs, userId, signedInAt, address } as const
  return { ...context, actor, account, admission: null, caller: describeCaller(context, account, plans) }
}

function describeCaller({ user, now }: UserContext, account: MemberContext['account'], plans: PlanFile): Caller {
  const entitlement = entitlementAt(account, plans, now)
  return {
    accountId: account.id,
    mode: 'live',
    key: null,
    userId: user.id,
    scopes: null,
    entitlement,
    rate: {},
  }
}
