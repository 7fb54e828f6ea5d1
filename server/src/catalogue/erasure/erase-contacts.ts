import { type Access, authorize } from '../../customers/auth/access.ts'
import type { Actor } from '../../customers/auth/actor.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import { type Client, type Pool, transact } from '../../foundation/db/pool.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { normalizeEmail } from '../../foundation/kernel/channels/email.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { type IdSealer, splitContactKey } from '../../foundation/kernel/ids.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { lockCatalogue } from '../writing/queries.ts'
import { erasePeople, planErasures } from './erase-people.ts'
import * as queries from './queries.ts'

/** Erases people and suppresses them. */
export const erasing = { operator: true, kind: 'powerful' } as const satisfies Access

export interface ErasureContext {
  actor: Actor
  db: Pool
  ids: IdSealer
  clock: Clock
  seals: ContactSeals
}

/** What to erase: a contact by its public id, or everybody with an email address. */
export type ErasureTarget = { id: string } | { email: string }

export interface ErasureResult {
  /** How many contacts were erased. */
  erased: number
}

/**
 * Erases a person from the live catalogue, at every store where their identities match, and suppresses them for later
 * imports, in one transaction. An address is suppressed even if no contact has it. The audit log has the number, and neither
 * address nor name.
 */
export function eraseContacts(ctx: ErasureContext, target: ErasureTarget): Promise<ErasureResult> {
  authorize({ actor: ctx.actor, now: ctx.clock.now() }, erasing)
  return transact(ctx.db, async (client) => {
    const { erased, now } = await eraseWithin(client, ctx, target)
    const details = { by: 'id' in target ? 'contact' : 'email', erased }
    await recordAudit(client, { actor: ctx.actor, now }, { accountId: null, action: 'contacts.erased', details })
    return { erased }
  })
}

/** The same in a transaction that begins with it; the caller decides whether it may be done, and writes to the audit log. */
export async function eraseWithin(
  client: Client,
  ctx: ErasureContext,
  target: ErasureTarget,
): Promise<ErasureResult & { now: Date }> {
  await queries.prepareErasureTransaction(client)
  // Imports wait from here on, so that they cannot add the person again in between.
  await lockCatalogue(client)
  const now = ctx.clock.now()
  const seeds =
    'id' in target
      ? [await readPersonById(client, ctx, target.id)]
      : await suppressEmailAndFindPeople(client, ctx, target.email)
  return { erased: await erasePeople(client, await planErasures(client, ctx.seals, seeds), now), now }
}

async function readPersonById(client: Client, { ids }: ErasureContext, id: string): Promise<queries.PersonRow> {
  const opened = ids.open(id)
  if (opened?.kind !== 'contact') throw new Refusal('invalid_request', `${id} is not a contact id (ct_live_…).`)
  if (opened.mode === 'test')
    throw new Refusal(
      'invalid_request',
      `${id} belongs to the sandbox, whose people are invented and cannot be erased.`,
    )
  const { storeId, number } = splitContactKey(opened.value)
  const person = await queries.readPerson(client, storeId, number)
  if (person) return person
  const wasUsed = await queries.wasContactNumberUsed(client, storeId, number)
  throw new Refusal('invalid_request', wasUsed ? `${id} is already erased.` : `There is no contact ${id}.`)
}

async function suppressEmailAndFindPeople(
  client: Client,
  { seals, clock }: ErasureContext,
  email: string,
): Promise<queries.PersonRow[]> {
  const normal = normalizeEmail(email)
  if (normal === null) throw new Refusal('invalid_request', 'That is not an email address.')
  const identity = seals.identities.hash('email', normal)
  await queries.insertSuppressions(client, [identity], clock.now())
  return queries.findPeopleByHashes(client, [identity.hash])
}
