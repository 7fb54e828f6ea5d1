import { lockCatalogue } from '../catalogue/queries.ts'
import { type Alongside, type Client, type Pool, transact } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import { normalizeEmail } from '../kernel/channels/email.ts'
import { OperatorError } from '../kernel/errors.ts'
import { type IdSealer, splitContactKey } from '../kernel/ids.ts'
import type { Clock } from '../kernel/time.ts'
import { erasePeople, planErasures } from './erase-people.ts'
import * as queries from './queries.ts'

export interface ErasureContext {
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
 * imports, in one transaction. An address is suppressed even if no contact has it.
 */
export function eraseContacts(
  ctx: ErasureContext,
  target: ErasureTarget,
  alongside?: Alongside<ErasureResult>,
): Promise<ErasureResult> {
  return transact(ctx.db, async (client) => {
    await queries.prepareErasureTransaction(client)
    // Imports wait from here on, so that they cannot add the person again in between.
    await lockCatalogue(client)
    const now = ctx.clock.now()
    const seeds =
      'id' in target
        ? [await readPersonById(client, ctx, target.id)]
        : await suppressEmailAndFindPeople(client, ctx, target.email)
    const result = { erased: await erasePeople(client, await planErasures(client, ctx.seals, seeds), now) }
    await alongside?.(client, result)
    return result
  })
}

async function readPersonById(client: Client, { ids }: ErasureContext, id: string): Promise<queries.PersonRow> {
  const opened = ids.open(id)
  if (opened?.kind !== 'contact') throw new OperatorError(`${id} is not a contact id (ct_live_…).`)
  if (opened.mode === 'test')
    throw new OperatorError(`${id} belongs to the sandbox, whose people are invented and cannot be erased.`)
  const { storeId, number } = splitContactKey(opened.value)
  const person = await queries.readPerson(client, storeId, number)
  if (person) return person
  const wasUsed = await queries.wasContactNumberUsed(client, storeId, number)
  throw new OperatorError(wasUsed ? `${id} is already erased.` : `There is no contact ${id}.`)
}

async function suppressEmailAndFindPeople(
  client: Client,
  { seals, clock }: ErasureContext,
  email: string,
): Promise<queries.PersonRow[]> {
  const normal = normalizeEmail(email)
  if (normal === null) throw new OperatorError('That is not an email address.')
  const identity = seals.identities.hash('email', normal)
  await queries.insertSuppressions(client, [identity], clock.now())
  return queries.findPeopleByHashes(client, [identity.hash])
}
