import { type CountPart, type CountResult, contactsPerStore, type IdSet, type StoreQuery } from '@storedex/search-index'
import { type CountSearch, excludedStores } from '../engine.ts'
import {
  type AddParameter,
  clauseConditions,
  createParameters,
  exclusionConditions,
  personConditions,
  rangeConditions,
  type Statement,
  withoutIds,
} from './statements.ts'

/** The figures of a count's first part. */
export interface CountRow {
  stores: number
  people: number
  exported: number
  unrevealed: number
}

export function nothingCounted({ parts }: CountSearch): CountResult {
  return { parts: parts.map(() => ({ stores: 0, people: 0, facets: [], peopleBy: [] })), exported: 0, unrevealed: 0 }
}

/** The query of the stores that count: those that have a matching contact, if people are counted. */
export function countedStores({ store, person }: CountPart): StoreQuery {
  return person ? { ...store, clauses: [...store.clauses, person.storeTokens] } : store
}

/** Counts the stores, or the people, of a part; reads all that match. */
export function countStatement(search: CountSearch, part: CountPart): Statement {
  const { values, parameter } = createParameters()
  const query = countedStores(part)
  const conditions = [
    `mode = ${parameter(search.mode)}::text`,
    ...(part.storeIds ? [`id = any (${parameter(part.storeIds)}::bigint[])`] : []),
    ...clauseConditions(query.clauses, parameter),
    ...exclusionConditions(query.noneOf, parameter),
    ...withoutIds('id', part.person ? (search.exclude?.storeIds ?? []) : excludedStores(search.exclude), parameter),
    ...rangeConditions(query, parameter),
  ].join('\n  and ')
  const text = part.person
    ? peopleStatement(search, part, conditions, parameter)
    : `
select count(*) as stores, 0 as people, 0 as unrevealed,
  count(*) filter (where id = any (${idsOf(search.exported, parameter)})) as exported
from stores
where ${conditions}`
  return { text, values }
}

function peopleStatement(search: CountSearch, part: CountPart, conditions: string, parameter: AddParameter): string {
  const { revealed, exclude, verifiedOnly } = search
  const ofStore = [
    ...personConditions(part.person!, parameter),
    ...withoutIds(`(${contactKey})`, exclude?.contactKeys ?? [], parameter),
  ]
  return `
select count(distinct c.store_id) as stores, count(*) as people, 0 as exported,
  count(*) filter (where c.can_be_revealed and not (c.key = any (${idsOf(revealed, parameter)}))) as unrevealed
from (
  select store_id, ${contactKey} as key, ${verifiedOnly ? 'verified_revealable' : 'revealable'} as can_be_revealed,
         row_number() over (partition by store_id order by place) as nth
  from contacts
  where store_id in (select id from stores where ${conditions})
    ${ofStore.map((condition) => `and ${condition}`).join('\n    ')}
) c
where c.nth <= coalesce(${parameter(part.maxPerStore)}::integer, ${contactsPerStore})`
}

const contactKey = `store_id * ${contactsPerStore} + number`

function idsOf(set: IdSet | null, parameter: AddParameter): string {
  return `${parameter(`{${set ? set.ids.sorted(set.count).join(',') : ''}}`)}::bigint[]`
}
