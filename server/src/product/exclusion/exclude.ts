import type { IdSet } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import type { CallerContext } from '../../customers/auth/caller.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import type { Exclusion } from '../../search/engines/engine.ts'
import { type CatalogueContext, type CatalogueServices, catalogueContext } from '../delivery/paid-reply.ts'
import type { AccountSets, ListSet } from './account-sets.ts'
import { readExportPeriod } from './queries.ts'
import type { RecordSet } from './record-set.ts'

const maxLists = 10

export const Exclude = ClosedObject(
  {
    exported: Type.Optional(
      Type.Literal(true, { description: 'Leaves out the stores that your account has exported in this period.' }),
    ),
    revealed: Type.Optional(
      Type.Literal(true, {
        description:
          'Leaves out the contacts that your account has revealed; in searches for stores, the stores with such a contact.',
      }),
    ),
    lists: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^lst_[A-Za-z]+_[A-Za-z]{16}$',
          maxLength: 1_000,
          published: { maxLength: 25 },
          errorCode: 'invalid_list_id',
          errorMessage: 'A list id is the id of a list, unchanged: lst_live_ or lst_test_ and 16 letters.',
          examples: ['lst_live_PqLmXzTbVnRwKdHc'],
        }),
        {
          maxItems: maxLists,
          description:
            'Ids of lists. Leaves out what is in them: their stores, or their contacts; in searches for stores, the stores of these contacts.',
        },
      ),
    ),
  },
  {
    title: 'Exclude',
    description:
      'What to leave out. It costs nothing and takes no place of a page. Exports and reveals count from before the first page, so that a walk is not changed by what it delivers itself.',
  },
)
export type Exclude = Static<typeof Exclude>

interface ExclusionServices {
  ids: IdSealer
  accountSets: AccountSets
}

export interface ExclusionContext extends CallerContext, ExclusionServices {}

/** The context of what searches the catalogue and can leave something out. */
export interface SearchContext extends CatalogueContext, ExclusionServices {}

export type SearchServices = CatalogueServices & ExclusionServices

export function searchContext(ctx: CallerContext, services: SearchServices): SearchContext {
  const { ids, accountSets } = services
  return { ids, accountSets, ...catalogueContext(ctx, services) }
}

/** What `exclude` adds to the hash of a query (`hashQuery`): equal for what means the same, and nothing if it excludes nothing. */
export function excludeHashParts(exclude: Exclude | undefined): unknown[] {
  if (!exclude || !excludesAnything(exclude)) return []
  const { exported = false, revealed = false, lists = [] } = exclude
  return [{ exported, revealed, lists: [...new Set(lists)].sort() }]
}

/** How a search is refused that leaves out a list which the account does not have, for the document. */
export const unknownExcludedList = {
  code: 'list_not_found',
  param: 'exclude.lists[0]',
  message: 'The account has no such list.',
} as const

export interface OpenedExclusion {
  /** Null if nothing is excluded. */
  exclusion: Exclusion | null
  /** Exports and reveals from this time on are not excluded. The search's own deliveries must not be earlier. */
  startedAt: Date
}

/**
 * Finds what to exclude: what was exported or revealed before `startedAt`, and what is in the lists now. Without `startedAt`,
 * everything that is committed; the time to go on with is then later than all of it, even if the clock of the server that
 * wrote it is ahead. Refuses an unknown list, naming it below `param`.
 */
export async function openExclusion(
  ctx: ExclusionContext,
  exclude: Exclude | undefined,
  { startedAt = null, param = 'exclude' }: { startedAt?: Date | null; param?: string } = {},
): Promise<OpenedExclusion> {
  if (!exclude || !excludesAnything(exclude)) return { exclusion: null, startedAt: startedAt ?? ctx.now }
  const lists = await readListSets(ctx, exclude.lists ?? [], `${param}.lists`)
  const exported = exclude.exported ? await readExports(ctx, startedAt) : null
  const revealed = exclude.revealed ? await ctx.accountSets.revealedContacts(ctx.db, ownerOf(ctx)) : null

  const start = startedAt ?? timeAfter([exported, revealed], ctx.now)
  const exportedBefore = exported?.before(start.getTime())
  const revealedBefore = revealed?.before(start.getTime())
  const ofContacts = lists.filter(({ kind }) => kind === 'contacts')
  const exclusion = {
    storeIds: [
      ...(exportedBefore ? [exportedBefore.ids] : []),
      ...lists.filter(({ kind }) => kind === 'stores').map(({ ids }) => whole(ids)),
    ],
    contactKeys: [...(revealedBefore ? [revealedBefore.ids] : []), ...ofContacts.map(({ ids }) => whole(ids))],
    storesOfContacts: [
      ...(revealedBefore ? [revealedBefore.stores] : []),
      ...ofContacts.map(({ stores }) => whole(stores)),
    ],
  }
  return { exclusion, startedAt: start }
}

export interface AccountHoldings {
  /** The stores that the account has exported in this period. */
  exportedStores: IdSet
  /** The keys of the contacts that the account has revealed. */
  revealedContacts: IdSet
}

/** The stores and contacts of the account, as of this request. */
export async function readAccountSets(ctx: ExclusionContext): Promise<AccountHoldings> {
  const exported = await readExports(ctx, null)
  const revealed = await ctx.accountSets.revealedContacts(ctx.db, ownerOf(ctx))
  return { exportedStores: exported.before().ids, revealedContacts: revealed.before().ids }
}

function excludesAnything({ exported, revealed, lists = [] }: Exclude): boolean {
  return exported === true || revealed === true || lists.length > 0
}

function ownerOf({ caller: { accountId, mode } }: ExclusionContext) {
  return { accountId, mode }
}

const dayMs = 86_400_000
const longestPeriodMs = 31 * dayMs

/** The exports of the period in which the search began: a walk that lasts into the next one still leaves them out. */
async function readExports(ctx: ExclusionContext, startedAt: Date | null): Promise<RecordSet> {
  const owner = ownerOf(ctx)
  const { start } = ctx.caller.entitlement.period
  const isEarlier = startedAt !== null && startedAt < start
  const notBefore = isEarlier ? new Date(startedAt.getTime() - longestPeriodMs) : start
  const period = isEarlier ? await readExportPeriod(ctx.db, { ...owner, at: startedAt, notBefore }) : start
  return ctx.accountSets.exportedStores(ctx.db, owner, period ?? start)
}

/** A time later than all records. Records that are further ahead than clocks may differ come from a wrong clock. */
function timeAfter(sets: (RecordSet | null)[], now: Date): Date {
  const newest = Math.max(...sets.map((set) => set?.newestTime ?? Number.NEGATIVE_INFINITY))
  const latest = now.getTime() + clockToleranceMs
  return new Date(Math.max(now.getTime(), Math.min(newest + 1, latest)))
}

async function readListSets(ctx: ExclusionContext, listIds: string[], path: string): Promise<ListSet[]> {
  const opened = ctx.ids.openMany('list', listIds, ctx.caller.mode)
  const known = opened.filter((id) => id !== null)
  const distinct = [...new Set(known)]
  const sets = await ctx.accountSets.lists(ctx.db, ownerOf(ctx), distinct)
  const missing = opened.findIndex((id) => id === null || !sets[distinct.indexOf(id)])
  if (missing >= 0)
    throw new Refusal('list_not_found', 'The account has no such list.', { param: `${path}[${missing}]` })
  return sets.filter((set) => set !== null)
}

function whole(ids: IdSet['ids']): IdSet {
  return { ids, count: ids.length }
}
