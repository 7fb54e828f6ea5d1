import { contactsPerStore, everyStore } from '@storedex/search-index'
import type { Caller, Scope } from '../../customers/auth/caller.ts'
import { requireScope } from '../../customers/auth/key-refusals.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { Exclusion } from '../../search/engines/engine.ts'
import { normalizePersonFilters } from '../../search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../search/query/store-query.ts'
import type { Vocabulary } from '../../search/query/vocabulary.ts'
import { parseHosts } from '../delivery/paid-reply.ts'
import { type ExclusionContext, openExclusion, unknownExcludedList } from '../exclusion/exclude.ts'
import type { ExportQuery } from './export-row.ts'
import type { ExportKind } from './format/columns.ts'
import type { ExportRequest } from './schema.ts'
import { selectListKind, selectMemberIds } from './walk/walk-queries.ts'

export interface ExportQueryContext extends ExclusionContext {
  vocabulary: Vocabulary
  deliverEmails: DeliverEmails
}

export interface CheckedExportQuery {
  query: ExportQuery
  /** The members of the list; null without one. */
  members: number[] | null
  exclusion: Exclusion | null
}

/** What an export of each kind needs beside `exports:manage`. */
export const scopesOfKind: Record<ExportKind, Scope> = {
  stores: 'stores:read',
  previews: 'contacts:search',
  contacts: 'contacts:reveal',
}

/** Refuses a key that may not have the rows of such an export. */
export function requireExportScope(caller: Caller, kind: ExportKind): void {
  requireScope(caller, scopesOfKind[kind])
}

/** How a request for an export, or for what it would cost, is refused beyond what its schema says; for the document. */
export const refusalsOfExports = [
  { code: 'conflicting_filters', param: 'filters.apps.none[0]' },
  { code: 'invalid_list_id', param: 'list', message: 'This is not the id of a list.' },
  { code: 'invalid_column', param: 'columns[0]' },
  'invalid_quote',
  { code: 'list_not_found', param: 'list', message: 'There is no such list.' },
  unknownExcludedList,
  'quote_exceeded',
] as const

/** Checks a request for an export and brings what it exports to its normal form. */
export async function readExportQuery(ctx: ExportQueryContext, request: ExportRequest): Promise<CheckedExportQuery> {
  requireExportScope(ctx.caller, request.kind)
  requireFittingProperties(request)
  const { vocabulary, deliverEmails } = ctx
  const maxPerStore = request.max_contacts_per_store ?? contactsPerStore
  const list = request.list === undefined ? null : await readList(ctx, request.list)
  const { exclusion, startedAt } = await openExclusion(ctx, request.exclude)
  const excluded = { exclude: request.exclude ?? null, startedAt: startedAt.toISOString() }
  const chosen = { maxPerStore, listKind: list?.kind ?? null, ...excluded }
  const found = { members: list?.members ?? null, exclusion }
  if (request.kind === 'stores') {
    const store = list ? everyStore : normalizeStoreFilters(vocabulary, request.filters!, deliverEmails)
    return { query: { ...chosen, store, person: null, hosts: [] }, ...found }
  }
  const person = normalizePersonFilters(vocabulary, request.person ?? {})
  const { domains = [], ...conditions } = request.store ?? {}
  const hosts = parseHosts(domains, 'store.domains').sort()
  const store = normalizeStoreConditions(vocabulary, conditions, 'store')
  return { query: { ...chosen, store, person, hosts }, ...found }
}

function requireFittingProperties(request: ExportRequest): void {
  const { kind } = request
  const refuse = (param: string, message: string): never => {
    throw new Refusal('unknown_parameter', message, { param })
  }
  if (request.list !== undefined)
    for (const param of ['filters', 'person', 'store'] as const)
      if (request[param] !== undefined) refuse(param, `An export of a list has no ${param}.`)
  if (kind === 'stores') {
    for (const param of ['person', 'store', 'max_contacts_per_store'] as const)
      if (request[param] != null) refuse(param, `An export of stores has no ${param}.`)
    if (request.filters === undefined && request.list === undefined)
      throw new Refusal('missing_parameter', 'An export of stores needs filters or a list.', { param: 'filters' })
  } else if (request.filters !== undefined) refuse('filters', 'An export of contacts has person and store instead.')
  if (kind !== 'contacts' && request.max_credits !== undefined)
    refuse('max_credits', 'Only an export of kind contacts spends contact credits.')
  if (kind === 'contacts' && request.max_credits === undefined)
    throw new Refusal('missing_parameter', 'An export of contacts needs max_credits, the most it may spend.', {
      param: 'max_credits',
    })
}

const listIdPattern = /^lst_[A-Za-z]+_[A-Za-z]{16}$/

async function readList({ db, caller, ids }: ExportQueryContext, id: string) {
  if (!listIdPattern.test(id)) throw new Refusal('invalid_list_id', 'This is not the id of a list.', { param: 'list' })
  const { accountId, mode } = caller
  const opened = ids.open(id)
  const isList = opened?.kind === 'list' && opened.mode === mode
  const kind = isList ? await selectListKind(db, { accountId, mode, listId: opened.value }) : undefined
  if (!kind) throw new Refusal('list_not_found', 'There is no such list.', { param: 'list' })
  return { kind, members: await selectMemberIds(db, { accountId, listId: opened!.value, kind }) }
}
