import type { FastifyInstance, FastifyRequest } from 'fastify'
import { entitlementAt } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { accountOf } from '../accounts/queries.ts'
import { accessRequiredError, billingPageOf, type Caller } from '../auth/caller.ts'
import { Refusal } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { clockToleranceMs } from '../kernel/time.ts'
import { includesRole, type Role, roles } from '../people/roles.ts'
import { type AdmittedSessionRow, admitSession } from '../people/sessions/queries.ts'
import { recordSessionUse } from '../people/sessions/sessions.ts'
import { type ConsoleAccess, isMemberContext, type MemberContext, type PersonContext } from './access.ts'
import { isReading, refuseOtherSites } from './origin.ts'
import { describePerson } from './person-context.ts'
import { registerSessionCookie } from './session-cookie.ts'

export const consolePrefix = '/console/api'

const freshMs = 10 * 60_000

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
  access: ConsoleAccess
}

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
    const access = config?.console
    if (url.startsWith(`${consolePrefix}/`) !== (access !== undefined))
      throw new Error(`${url}: the routes below ${consolePrefix}, and no others, declare config.console`)
    if (!access) return
    if (isRole(access.who) && !/\/:account(\/|$)/.test(url))
      throw new Error(`${url}: a role needs the parameter :account`)
    for (const each of [method].flat()) app.consoleRoutes.push({ method: each, url, access })
  })
  const admit = async (request: FastifyRequest, access: ConsoleAccess) => {
    refuseOtherSites(request, options.publicUrl)
    request.consoleContext = await admitPerson(request, access, options)
  }
  app.addHook('preValidation', (request, _reply, done) => {
    const access = request.routeOptions.config.console
    if (!access) return done()
    admit(request, access).then(() => done(), done)
  })
}

/**
 * The holder of a console request for fair queueing, before its session is read: the account or the person that the
 * session was admitted for last, and the address for anybody else.
 */
export function identifyVisitor(request: FastifyRequest, sessions: KnownSessions): string | null {
  const access = request.routeOptions.config.console
  if (!access) return null
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

async function admitPerson(
  request: FastifyRequest,
  access: ConsoleAccess,
  options: GuardOptions,
): Promise<PersonContext | MemberContext | null> {
  const { sessionHash, now } = request
  const needsSession = access.who !== 'anyone'
  if (!sessionHash) {
    if (needsSession) throw notSignedInError()
    return null
  }
  const account = accountParameter(request)
  const opened = account === null ? null : options.ids.open(account)
  const row = await admitSession(request.db, {
    tokenHash: sessionHash,
    now,
    accountId: opened?.kind === 'account' ? opened.value : null,
  })
  if (!row) {
    if (needsSession) throw notSignedInError()
    return null
  }
  const person = describePerson(request, row, options.ids)
  // The label of the log line, also when the request is refused from here on.
  request.consoleContext = person
  const context = isRole(access.who) ? describeMember(person, row, access, options, request) : person
  if (access.who === 'operator' && !row.operator)
    throw new Refusal('insufficient_role', 'Only operators of this installation may do this.')
  if (access.fresh && !isFresh(row.signed_in_at, now))
    throw new Refusal('fresh_sign_in_required', 'Confirm that it is you: this needs a sign-in within ten minutes.')
  if (access.needsAccess && isMemberContext(context) && !context.account.accessOpen)
    throw accessRequiredError(context.account, billingPageOf(options.publicUrl, account!))
  const holder = isMemberContext(context) ? `account ${context.account.id}` : `person ${row.person_id}`
  options.sessions.remember(sessionHash, account, holder)
  const { session_id: id, session_created_at: createdAt, last_seen_at: lastSeenAt } = row
  await recordSessionUse(request.db, { id, createdAt, lastSeenAt }, now)
  return context
}

function notSignedInError(): Refusal {
  return new Refusal('not_signed_in', 'Sign in first: there is no session, or it has ended.')
}

function isRole(who: ConsoleAccess['who']): who is Role {
  return (roles as readonly string[]).includes(who)
}

/** A sign-in that a wrong clock has put into the future is not fresh. */
function isFresh(signedInAt: Date, now: Date): boolean {
  const ageMs = now.getTime() - signedInAt.getTime()
  return ageMs < freshMs && ageMs >= -clockToleranceMs
}

/** Throws for strangers as for accounts that do not exist, and for a role that may not do this. */
function describeMember(
  context: PersonContext,
  row: AdmittedSessionRow,
  access: ConsoleAccess,
  { plans }: GuardOptions,
  request: FastifyRequest,
): MemberContext {
  const { id } = row
  if (id === null) throw new Refusal('account_not_found', 'There is no such account, or you are no member of it.')
  const isSeeAs = row.operator && row.see_as_account_id === id
  const role = isSeeAs ? 'viewer' : row.role!
  const isChange = !isReading(request) && !access.readOnly
  if (isSeeAs && (isChange || (access.spends?.length ?? 0) > 0))
    throw new Refusal(
      'insufficient_role',
      'You are looking at this account as an operator; nothing can be changed or spent.',
    )
  if (!includesRole(role, access.who as Role))
    throw new Refusal('insufficient_role', `This needs the role ${access.who}; yours is ${role}.`, {
      param: access.who,
    })
  const account = accountOf({ ...row, id })
  return { ...context, account, role, isSeeAs, caller: describeCaller(context, account, plans) }
}

function describeCaller({ person, now }: PersonContext, account: MemberContext['account'], plans: PlanFile): Caller {
  const entitlement = entitlementAt(account, plans, now)
  return {
    accountId: account.id,
    mode: 'live',
    key: null,
    personId: person.id,
    scopes: null,
    entitlement,
    rate: {},
  }
}
