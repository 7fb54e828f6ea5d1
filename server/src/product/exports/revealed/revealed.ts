import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../../customers/auth/access.ts'
import type { CallerContext } from '../../../customers/auth/caller.ts'
import { nameSpenders, SpentBy } from '../../../customers/usage/spenders.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../../foundation/encryption/keyring.ts'
import type { CursorSealer } from '../../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import {
  type ListPosition,
  listCursors,
  listParameters,
  RecordList,
  readListLimit,
} from '../../../foundation/kernel/list-pages.ts'
import { ClosedObject, Nullable, RequestId } from '../../../foundation/kernel/shapes.ts'
import { contactKeysOf, describeContact, openContactRow } from '../../contacts/contact.ts'
import { readContacts } from '../../contacts/queries.ts'
import { Contact } from '../../contacts/schema.ts'
import { contactIdPattern, invalidContactId } from '../../delivery/contact-preview.ts'
import { findStoreIds } from '../../delivery/fetch-queries.ts'
import { parseHost } from '../../delivery/paid-reply.ts'
import { type RevealRecordRow, selectReveals, selectRevealsOf } from './queries.ts'

export const RevealedQuery = ClosedObject({
  ...listParameters,
  search: Type.Optional(
    Type.String({ maxLength: 2_048, description: 'The domain of a store, or a URL with one: only its people.' }),
  ),
})

export const RevealedList = RecordList(ClosedObject({ ...Contact.properties, revealed_by: Nullable(SpentBy) }))

const maxAsked = 100

export const RevealedContactsRequest = ClosedObject({
  contact_ids: Type.Array(Type.String({ pattern: contactIdPattern, maxLength: 24, ...invalidContactId }), {
    minItems: 1,
    maxItems: maxAsked,
  }),
})

export const RevealedContacts = ClosedObject({
  object: Type.Literal('revealed_contacts'),
  data: Type.Array(Contact, { maxItems: maxAsked }),
  request_id: RequestId,
})

export interface RevealedContext extends CallerContext {
  ids: IdSealer
  seals: ContactSeals
  cursors: CursorSealer
  deliverEmails: DeliverEmails
}

export const readingRevealed = { member: { role: 'member' }, kind: 'read' } as const satisfies Access

/** More rows than this are not read for a page, whose other rows may be of people who were erased. */
const maxRowsRead = 2_000

/**
 * A page of the people that the account has revealed, newest first, with their current channels; costs nothing. Erased
 * people are left out: the page continues with the next ones, and is shorter only where very many in a row were erased.
 */
export async function listRevealed(
  ctx: RevealedContext,
  query: Static<typeof RevealedQuery>,
): Promise<Static<typeof RevealedList>> {
  authorize(ctx, readingRevealed)
  const { search = null } = query
  const limit = readListLimit(query)
  const cursors = listCursors({ ...ctx, ...ownReveals(ctx) }, 'revealed', { search })
  let position = cursors.open(query.cursor)
  const storeId = search === null ? null : await findStore(ctx, search)
  const found: RevealedRow[] = []
  let isEnd = storeId === 'none'
  for (let read = 0; storeId !== 'none' && !isEnd && found.length <= limit && read < maxRowsRead; ) {
    const rows = await selectReveals(ctx.db, { ...ownReveals(ctx), after: position, storeId, limit: limit + 1 })
    found.push(...(await openRevealed(ctx, rows)))
    position = rows.length > 0 ? positionAfter(rows.at(-1)!) : position
    isEnd = rows.length <= limit
    read += rows.length
  }
  const page = found.slice(0, limit)
  if (found.length > limit) position = positionAfter(page.at(-1)!.record)
  const hasMore = found.length > limit || !isEnd
  const spenderOf = await nameSpenders(
    { ...ctx, accountId: ctx.caller.accountId },
    page.map(({ record }) => record),
  )
  return {
    object: 'list',
    data: page.map(({ record, contact }) => ({ ...contact, revealed_by: spenderOf(record) })),
    has_more: hasMore,
    next_cursor: hasMore ? cursors.seal(position!) : null,
    request_id: ctx.requestId,
  }
}

/** Those of the given people that the account has revealed, with their current channels, in any order; costs nothing. */
export async function findRevealed(
  ctx: RevealedContext,
  { contact_ids }: Static<typeof RevealedContactsRequest>,
): Promise<Static<typeof RevealedContacts>> {
  authorize(ctx, readingRevealed)
  const keys = ctx.ids.openMany('contact', contact_ids, ctx.caller.mode).filter((key) => key !== null)
  const records = await selectRevealsOf(ctx.db, { ...ownReveals(ctx), contactIds: [...new Set(keys)] })
  const rows = await openRevealed(ctx, records)
  return { object: 'revealed_contacts', data: rows.map(({ contact }) => contact), request_id: ctx.requestId }
}

interface RevealedRow {
  record: RevealRecordRow
  contact: Contact
}

/** Opens the contacts of these rows, in their order, without those that are gone. */
export async function openRevealed(
  { db, caller, ids, seals, deliverEmails }: RevealedContext,
  records: readonly RevealRecordRow[],
): Promise<RevealedRow[]> {
  const { mode } = caller
  const keys = records.map(({ contact_id }) => contact_id)
  const rows = keys.length > 0 ? await readContacts(db, contactKeysOf(mode, keys)) : []
  const opened = new Map(rows.map((row) => openContactRow(seals, row)).map((contact) => [contact.key, contact]))
  const publicIds = ids.sealMany('contact', keys, mode)
  return records.flatMap((record, index) => {
    const contact = opened.get(record.contact_id)
    if (!contact) return []
    const reveal = { revealedAt: record.revealed_at, isNew: false }
    return [{ record, contact: describeContact(publicIds[index]!, contact, reveal, deliverEmails) }]
  })
}

/** The id of the store with this domain. */
export async function findStore(ctx: RevealedContext, domain: string): Promise<number | 'none'> {
  const [storeId] = await findStoreIds(ctx.db, ctx.caller.mode, [parseHost(domain, 'search')])
  return storeId ?? 'none'
}

export function ownReveals({ caller }: CallerContext) {
  return { accountId: caller.accountId, mode: caller.mode }
}

export function positionAfter({ revealed_at, contact_id }: RevealRecordRow): ListPosition {
  return { at: revealed_at, row: contact_id }
}
