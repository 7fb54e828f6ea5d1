import { setImmediate as nextTurn } from 'node:timers/promises'
import buildSerializer from 'fast-json-stringify'
import type { Client } from '../../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import { isRevealable } from '../../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import { type IdSealer, storeOfContact } from '../../../foundation/kernel/ids.ts'
import { contactKeysOf, describeContact, type OpenedContact, openContactRow } from '../../contacts/contact.ts'
import { holdContacts } from '../../contacts/hold-queries.ts'
import { readContacts } from '../../contacts/queries.ts'
import { Contact } from '../../contacts/schema.ts'
import { type FetchedPreview, fetchPreviews } from '../../delivery/fetch-queries.ts'
import type { ExportPosition, ExportRow } from '../export-row.ts'
import { contactIdOf } from '../walk/cost.ts'

export interface ItemContext {
  ids: IdSealer
  seals: ContactSeals
  deliverEmails: DeliverEmails
}

/** The account's state of a contact once the chunk is paid for. */
export interface Reveals {
  times: ReadonlyMap<number, Date>
  fresh: ReadonlySet<number>
}

/** Something that a chunk can deliver. */
export interface Candidate {
  storeId: number
  /** Null for a store. */
  contactId: number | null
  /** Renders it as the API would, after it was paid for. */
  render(reveals: Reveals): string
}

const rowsAtOnce = 100

/** Maps in steps that leave the event loop to requests. */
export async function mapInSteps<In, Out>(
  items: readonly In[],
  map: (item: In) => Out,
  itemsAtOnce = rowsAtOnce,
): Promise<Out[]> {
  const mapped: Out[] = []
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await nextTurn()
    for (const item of items.slice(start, start + itemsAtOnce)) mapped.push(map(item))
  }
  return mapped
}

/** Stores, whose documents are what is delivered. */
export function storeCandidates(ids: readonly number[], documents: readonly string[]): Candidate[] {
  return ids.map((storeId, index) => ({ storeId, contactId: null, render: () => documents[index]! }))
}

/** Fetches the people at the positions; people who cannot be revealed are left out. Erasures wait until the chunk ends. */
export async function holdCandidates(
  ctx: ItemContext,
  client: Client,
  { kind, mode }: ExportRow,
  positions: readonly ExportPosition[],
): Promise<Candidate[]> {
  const contactIds = positions.map(contactIdOf)
  const keys = contactKeysOf(mode, contactIds)
  await holdContacts(client, keys.storeIds)
  if (kind === 'previews') {
    const { rows } = await fetchPreviews(client, mode, contactIds, ctx.deliverEmails)
    const found = new Map(rows.map((row) => [row.id, row]))
    return contactIds.flatMap((id) => previewOf(found.get(id)))
  }
  const rows = await readContacts(client, keys)
  const opened = await mapInSteps(rows, (row) => openContactRow(ctx.seals, row))
  const revealable = new Map(
    opened.flatMap((each) => (isRevealable(each.facts, ctx.deliverEmails) ? [[each.key, each] as const] : [])),
  )
  const publicIds = ctx.ids.sealMany('contact', contactIds, mode)
  return contactIds.flatMap((id, index) => contactOf(ctx, publicIds[index]!, revealable.get(id)))
}

function previewOf(row: FetchedPreview | undefined): Candidate[] {
  if (!row) return []
  const { id: contactId, person, store } = row
  const render = ({ times }: Reveals) => `${person}${times.has(contactId)},"store":${store}}`
  return [{ storeId: storeOfContact(contactId), contactId, render }]
}

const serializeContact = buildSerializer(Contact as object)

function contactOf({ deliverEmails }: ItemContext, id: string, person: OpenedContact | undefined): Candidate[] {
  if (!person) return []
  const { key, storeId } = person
  const render = ({ times, fresh }: Reveals) => {
    const reveal = { revealedAt: times.get(key)!, isNew: fresh.has(key) }
    return serializeContact(describeContact(id, person, reveal, deliverEmails))
  }
  return [{ storeId, contactId: key, render }]
}
