import { FairQueue, FairSemaphore } from '@storedex/work'
import { recordAudit } from '../../customers/auth/audit.ts'
import { hashToken } from '../../customers/users/tokens.ts'
import { type ConnectionPool, type Queryable, transact } from '../../foundation/db/pool.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { networkOf } from '../../foundation/kernel/text/networks.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { eraseWithin } from '../erasure/erase-contacts.ts'
import { readHeldData } from './held-data.ts'
import {
  endExpiredRequests,
  endRequest,
  type LivePrivacyRequestRow,
  updateExpectedOutcome,
  useRequest,
} from './queries.ts'
import type { PrivacyDataReply, PrivacyErasureReply, PrivacyFileReply } from './schema.ts'
import { openSealedEmail } from './sealed-email.ts'

export interface PrivacyLinkContext {
  db: Queryable
  /** For the reading of all contacts, which may take longer than a request's other statements. */
  pool: ConnectionPool
  ids: IdSealer
  clock: Clock
  seals: ContactSeals
  scans: ScanLimiter
  /** The network address of the browser. */
  address: string
  requestId: string
}

/** Each use reads all contacts; a person looks, downloads and erases. */
const usesPerLink = 30

/** Reads the data about the address of the link. Works until the link ends or expires. */
export async function openPrivacyLink(ctx: PrivacyLinkContext, token: string): Promise<PrivacyDataReply> {
  const { email, request, held } = await ctx.scans.run(ctx.address, token, async () => {
    const used = await useLink(ctx, token)
    return { ...used, held: await readHeldData({ ...ctx, db: ctx.pool.lane('privacy') }, used.email) }
  })
  await updateExpectedOutcome(ctx.db, request.id, held.contacts_total > 0 ? 'kept' : 'nothing_held')
  return {
    object: 'privacy_data',
    email,
    requested_at: request.requested_at.toISOString(),
    expires_at: request.expires_at.toISOString(),
    ...held,
    request_id: ctx.requestId,
  }
}

/** The same as a file. */
export async function copyPrivacyData(ctx: PrivacyLinkContext, token: string): Promise<PrivacyFileReply> {
  const { object: _, request_id, ...held } = await openPrivacyLink(ctx, token)
  const content = `${JSON.stringify(held, null, 2)}\n`
  return { object: 'privacy_file', filename: 'data-held-about-me.json', content, request_id }
}

/** Erases everybody with the address of the link, and ends the link. Of several calls at once, one erases. */
export async function eraseByPrivacyLink(ctx: PrivacyLinkContext, token: string): Promise<PrivacyErasureReply> {
  // Neither the email address nor the network address of the request is kept.
  const actor = { kind: 'visitor', address: null } as const
  const erasure = { actor, ids: ctx.ids, clock: ctx.clock, seals: ctx.seals, db: ctx.pool.lane('privacy') }
  const erased = await ctx.scans.run(ctx.address, token, async () => {
    const { email } = await useLink(ctx, token)
    return transact(erasure.db, async (client) => {
      const { erased, now } = await eraseWithin(client, erasure, { email })
      const outcome = erased > 0 ? 'erased' : 'nothing_held'
      if (!(await endRequest(client, hashToken(token), { outcome, erased, now }))) throw deadLinkError()
      const details = { erased }
      await recordAudit(client, { actor, now }, { accountId: null, action: 'privacy_request.erased', details })
      return erased
    })
  })
  return { object: 'privacy_erasure', erased, request_id: ctx.requestId }
}

async function useLink(
  { db, clock }: PrivacyLinkContext,
  token: string,
): Promise<{ email: string; request: LivePrivacyRequestRow }> {
  const request = await useRequest(db, hashToken(token), { now: clock.now(), allowed: usesPerLink })
  if (!request) throw deadLinkError()
  if (!request.counted)
    throw new Refusal('rate_limit_exceeded', 'This link was used too often; ask for another one.', {
      param: 'attempts',
      retryAfterSeconds: 3_600,
    })
  return { email: openSealedEmail(token, request.sealed_email), request }
}

/** The same for a link that was used, has expired or never existed. */
function deadLinkError(): Refusal {
  return new Refusal('invalid_link', 'This link was used, has expired or is incomplete; ask for another one.')
}

/** Requests tell nothing of anybody; operators look at the recent ones. */
const requestsKeptMs = 365 * 86_400_000

/** Ends the links that have expired, which deletes their sealed addresses. */
export function endExpiredPrivacyLinks(db: Queryable, now: Date): Promise<void> {
  return endExpiredRequests(db, now, new Date(now.getTime() - requestsKeptMs))
}

/** At most as many readings of all contacts at once, and of one network half of them. */
const maxScans = 4

/** Bounds how many visitors make the database read all contacts at once: by network, and one at a time for each link. */
export class ScanLimiter {
  readonly #permits = new FairSemaphore(maxScans)
  readonly #links = new FairQueue(Number.MAX_SAFE_INTEGER)

  /** Runs `work`, which counts the use of the link: a scan that is refused takes no use. */
  run<T>(address: string, token: string, work: () => Promise<T>): Promise<T> {
    const link = { name: hashToken(token).toString('base64'), maxPermits: 1 }
    return this.#links.run(link, async () => {
      const release = this.#permits.tryAcquire(networkOf(address))
      if (!release)
        throw new Refusal('service_unavailable', 'Many people are asking at the moment; try again in a minute.', {
          retryAfterSeconds: 60,
        })
      return work().finally(release)
    })
  }
}
