import { lockCatalogue } from '../catalogue/queries.ts'
import { type Client, type Pool, transact } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import { normalizeEmail } from '../kernel/channels.ts'
import { OperatorError } from '../kernel/errors.ts'
import { type IdSealer, splitContactKey } from '../kernel/ids.ts'
import type { Clock } from '../kernel/time.ts'
import { erasePeople, planErasures } from './erase-people.ts'
import * as load from './queries.ts'

export interface ErasureContext {
  db: Pool
  ids: IdSealer
  clock: Clock
  seals: ContactSeals
}

/** Who is to be erased: a contact by its public id, or everybody with an address. */
export type ErasureTarget = { id: string } | { email: string }

/**
 * Erases a person from the live catalogue, at every store where they can be told to be the same, and sees to it that no
 * import brings them back. All of it happens, or nothing. An address is suppressed also where nobody has it. Answers how
 * many contacts that were.
 */
export function eraseContacts(ctx: ErasureContext, erased: ErasureTarget): Promise<{ erased: number }> {
  return transact(ctx.db, async (client) => {
    await load.prepareErasureTransaction(client)
    // Imports wait from here on, so that nobody comes back in between.
    await lockCatalogue(client)
    const now = ctx.clock.now()
    const seeds =
      'id' in erased ? [await findById(client, ctx, erased.id)] : await findByEmail(client, ctx, erased.email)
    return { erased: await erasePeople(client, await planErasures(client, ctx.seals, seeds), now) }
  })
}

async function findById(client: Client, { ids }: ErasureContext, id: string): Promise<load.PersonRow> {
  const opened = ids.open(id)
  if (opened?.kind !== 'contact') throw new OperatorError(`${id} is no contact's id (ct_live_…).`)
  if (opened.mode === 'test')
    throw new OperatorError(`${id} belongs to the sandbox, whose people are invented and stay as they ship.`)
  const { storeId, number } = splitContactKey(opened.value)
  const person = await load.readPerson(client, storeId, number)
  if (person) return person
  const wasGiven = await load.wasContactNumberUsed(client, storeId, number)
  throw new OperatorError(wasGiven ? `${id} is erased already.` : `There is no contact ${id}.`)
}

async function findByEmail(client: Client, { seals, clock }: ErasureContext, email: string): Promise<load.PersonRow[]> {
  const normal = normalizeEmail(email)
  if (normal === null) throw new OperatorError('That is not an email address.')
  const identity = seals.identities.hash('email', normal)
  await load.insertSuppressions(client, [identity], clock.now())
  return load.findPeopleByHashes(client, [identity.hash])
}
