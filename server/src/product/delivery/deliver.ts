/** Finds what a reply holds, and charges for it before it is sent. */

import { CatalogueChanged, charge } from '../../customers/ledger/charge.ts'
import type { Balance, Paid } from '../../customers/ledger/outcome.ts'
import type { Spending } from '../../customers/ledger/spending.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { storeOfContact } from '../../foundation/kernel/ids.ts'
import type { FoundHosts } from './documents.ts'
import type { CatalogueContext } from './paid-reply.ts'

/** How rows are delivered: with the limit of a search, and for a person who only looks at them, the page with them. */
export interface RowsAsked {
  limit: number
  /** Null for a caller who takes the rows, which also exports their stores. */
  viewedPage: Buffer | null
}

export interface Delivered {
  balance: Balance
  /** How many search rows a view was charged, because the others were paid before. */
  rowsCharged: number | undefined
}

export interface DeliveredPage extends Delivered {
  /** JSON, in the order of the ids. */
  items: string[]
}

/** The documents of the stores that exist, each a search row and, unless it is only viewed, a store export. */
export async function deliverStores(
  ctx: CatalogueContext,
  storeIds: readonly number[],
  asked: RowsAsked,
): Promise<DeliveredPage> {
  const { found, paid } = await deliver(
    ctx,
    () => ctx.documents.findStores(ctx, storeIds),
    ({ items }) => priceOfRows(asked, [...items.keys()], [...items.keys()]),
  )
  return { items: inOrder(storeIds, found.items), ...deliveredBy(paid, asked) }
}

/** Previews of the contacts that exist, each a search row, and an export of its store unless they are only viewed. */
export async function deliverPreviews(
  ctx: CatalogueContext,
  contactIds: readonly number[],
  asked: RowsAsked,
): Promise<DeliveredPage> {
  const { found, paid } = await deliver(
    ctx,
    () => ctx.documents.findPreviews(ctx, contactIds),
    ({ items }) => {
      const ids = [...items.keys()]
      return { ...priceOfRows(asked, ids, [...new Set(ids.map(storeOfContact))]), contactsShown: ids }
    },
  )
  const isViewed = asked.viewedPage !== null
  return { items: renderPreviews(contactIds, found.items, paid, isViewed), ...deliveredBy(paid, asked) }
}

export interface DeliveredHosts extends Delivered {
  stores: { host: string; document: string /** Of its requested contacts, separated by commas. */; previews: string }[]
}

/**
 * The stores with these hosts, and previews of the given contacts; each store costs an export, or a search row when a person only
 * looks at it.
 */
export async function deliverHosts(
  ctx: CatalogueContext,
  hosts: readonly string[],
  { contactIds = [], viewedPage = null }: { contactIds?: readonly number[]; viewedPage?: Buffer | null } = {},
): Promise<DeliveredHosts> {
  const { found, paid } = await deliver(
    ctx,
    () => findHostsWithPreviews(ctx, hosts, contactIds),
    ({ items, previews }) => ({
      ...priceOfStores([...items.keys()], viewedPage),
      ...(contactIds.length > 0 && { contactsShown: [...previews.keys()] }),
    }),
  )
  const stores = hosts.flatMap((host) => {
    const id = found.storeByHost.get(host)
    const document = id === undefined ? undefined : found.items.get(id)
    if (document === undefined) return []
    const ofStore = contactIds.filter((contactId) => storeOfContact(contactId) === id)
    return [{ host, document, previews: renderPreviews(ofStore, found.previews, paid, viewedPage !== null).join(',') }]
  })
  return { stores, ...deliveredBy(paid, { viewedPage }) }
}

/** Charges a store with a host as a lookup or, for a person who looks at it, as a view; null if there is none. */
export async function payForHost(
  ctx: CatalogueContext,
  host: string,
  viewedPage: Buffer | null,
): Promise<(Delivered & { storeId: number }) | null> {
  const { found, paid } = await deliver(
    ctx,
    () => ctx.documents.findHosts(ctx, [host]),
    ({ items }) => priceOfStores([...items.keys()], viewedPage),
  )
  const storeId = found.storeByHost.get(host)
  return storeId === undefined ? null : { storeId, ...deliveredBy(paid, { viewedPage }) }
}

const maxAttempts = 25

/** Finds, and charges for exactly what was found; again if the catalogue has changed in between. */
async function deliver<Found extends { version: string | null }>(
  ctx: CatalogueContext,
  find: () => Promise<Found>,
  priceOf: (found: Found) => Spending,
): Promise<{ found: Found; paid: Paid }> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const found = await find()
    try {
      const paid = await charge(ctx, { ...priceOf(found), catalogueVersion: found.version })
      ctx.documents.sawVersion(paid.version)
      return { found, paid }
    } catch (error) {
      if (!(error instanceof CatalogueChanged)) throw error
      ctx.documents.sawVersion(error.version)
    }
  }
  throw changingTooFast()
}

function changingTooFast(): Refusal {
  return new Refusal('service_unavailable', 'The catalogue is changing too fast; try again in a moment.')
}

async function findHostsWithPreviews(
  ctx: CatalogueContext,
  hosts: readonly string[],
  contactIds: readonly number[],
): Promise<FoundHosts & { previews: Awaited<ReturnType<CatalogueContext['documents']['findPreviews']>>['items'] }> {
  const { documents } = ctx
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const found = await documents.findHosts(ctx, hosts)
    if (contactIds.length === 0) return Object.assign(found, { previews: new Map() })
    const { items: previews, version } = await documents.findPreviews(ctx, contactIds)
    if (version === found.version) return Object.assign(found, { previews })
  }
  throw changingTooFast()
}

function priceOfRows(
  { limit, viewedPage }: RowsAsked,
  rowIds: readonly number[],
  storeIds: readonly number[],
): Spending {
  const search_rows = { amount: rowIds.length, asked: limit }
  return viewedPage === null
    ? { search_rows, store_exports: { ids: storeIds } }
    : { search_rows, view: { page: viewedPage, rowIds } }
}

function priceOfStores(storeIds: readonly number[], viewedPage: Buffer | null): Spending {
  return viewedPage === null
    ? { store_exports: { ids: storeIds } }
    : priceOfRows({ limit: 1, viewedPage }, storeIds, storeIds)
}

function deliveredBy({ balance, spent }: Paid, { viewedPage }: Pick<RowsAsked, 'viewedPage'>): Delivered {
  return { balance, rowsCharged: viewedPage === null ? undefined : spent.search_rows }
}

function inOrder<Item>(ids: readonly number[], items: ReadonlyMap<number, Item>): Item[] {
  return ids.flatMap((id) => {
    const item = items.get(id)
    return item === undefined ? [] : [item]
  })
}

/** A view also says if a contact can be revealed: a preview without a channel does not show it. */
function renderPreviews(
  contactIds: readonly number[],
  previews: ReadonlyMap<number, { person: string; store: string; isRevealable: boolean }>,
  { reveals }: Paid,
  isViewed: boolean,
): string[] {
  return contactIds.flatMap((id) => {
    const parts = previews.get(id)
    if (!parts) return []
    const revealable = isViewed ? `,"revealable":${parts.isRevealable}` : ''
    return [`${parts.person}${reveals.has(id)}${revealable},"store":${parts.store}}`]
  })
}
