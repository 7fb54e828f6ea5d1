import { packTraits, signatureToken, traitsToken } from '@storedex/search-index'
import type { Queryable } from '../../../src/foundation/db/pool.ts'
import type { Statement } from '../../../src/search/engines/postgres/statements.ts'
import { type Facet, flagTokens } from '../../../src/search/query/vocabulary.ts'
import { numberOf, type PersonFacts, type StoreFacts, vocabulary } from './random-catalogue.ts'
import { canBeRevealed, hasRevealable } from './reference.ts'

/** A row of `stores`; the document identifies it. */
export interface SearchRow {
  mode: 'live' | 'test'
  negatedScore: number
  tokens: number[]
  activeAds: number | null
  createdEstimate: Date | null
  firstDiscoveredAt: Date | null
  document: string
  /** The store's part of contact previews. */
  preview: string
}

/** A row of `contacts`; the preview identifies it. */
export interface PersonRow {
  storeId: number
  number: number
  role: string | null
  /** Packed traits. */
  traits: number
  /** Whether they can be revealed, under each rule of delivery; true unless given. */
  revealable?: boolean
  verifiedRevealable?: boolean
  preview: string
}

export const plainRow: SearchRow = {
  mode: 'live',
  negatedScore: 0,
  tokens: [],
  activeAds: null,
  createdEstimate: null,
  firstDiscoveredAt: null,
  document: '{}',
  preview: '{}',
}

/** Inserts rows like an import, in one batch, and returns their ids in order. */
export async function insertRows(db: Queryable, rows: SearchRow[]): Promise<number[]> {
  const { rows: inserted } = await db.query<{ id: number }>(
    `with ${nextBatch}
     insert into stores (mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, document_version, preview)
     select row.mode, batch, row.negated_score, row.tokens, row.active_ads, row.created_estimate, row.first_discovered_at, row.document, 1, row.preview
     from jsonb_to_recordset($1::jsonb) as row (
       mode text, negated_score double precision, tokens integer[], active_ads integer,
       created_estimate timestamptz, first_discovered_at timestamptz, document text, preview text
     )
     cross join numbered
     returning id`,
    [
      JSON.stringify(
        rows.map((row) => ({
          mode: row.mode,
          // JSON has no Infinity; PostgreSQL reads the word.
          negated_score: String(row.negatedScore),
          tokens: row.tokens,
          active_ads: row.activeAds,
          created_estimate: row.createdEstimate,
          first_discovered_at: row.firstDiscoveredAt,
          document: row.document,
          preview: row.preview,
        })),
      ),
    ],
  )
  // Numbered in order; Citus tells them machine by machine.
  return inserted.map((row) => row.id).sort((a, b) => a - b)
}

/** Inserts contacts. The caller provides the tokens of their stores. */
export async function insertPeople(db: Queryable, people: PersonRow[]): Promise<void> {
  await db.query(
    `with ${nextBatch}, told as (
       update stores set batch = numbered.batch from numbered
       where id in (select store_id from jsonb_to_recordset($1::jsonb) as row (store_id bigint))
     )
     insert into contacts (store_id, number, external_key, role, traits, revealable, verified_revealable, verified_emails,
       preview, preview_version, identities, sealed)
     select row.store_id, row.number, int4send(row.number), row.role, row.traits, row.revealable, row.verified_revealable, 0, row.preview, 1, '{}', ''
     from jsonb_to_recordset($1::jsonb) as row (store_id bigint, number integer, role text, traits integer, revealable boolean,
       verified_revealable boolean, preview text)`,
    [
      JSON.stringify(
        people.map(({ storeId, revealable = true, verifiedRevealable = true, ...person }) => ({
          store_id: storeId,
          revealable,
          verified_revealable: verifiedRevealable,
          ...person,
        })),
      ),
    ],
  )
}

const nextBatch = `numbered as (update catalogue_state set batch = batch + 1 returning batch),
     marked as (insert into catalogue_batches (batch, mark) select batch, batch from numbered)`

/** The row that an import would write; document and preview contain `place`. */
export function rowOf(store: StoreFacts, place: number): SearchRow {
  const tokens = (facet: Facet, values: (string | null)[]) =>
    values.flatMap((value) => (value === null ? [] : vocabulary.find(facet, value)!.token))
  return {
    mode: store.mode,
    negatedScore: store.score === null ? Number.POSITIVE_INFINITY : -store.score,
    tokens: [
      ...tokens('category', [store.category]),
      ...tokens('country', [store.country]),
      ...tokens('traffic_tier', [store.traffic]),
      ...tokens('revenue_tier', [store.revenue]),
      ...tokens('theme_type', [store.theme]),
      ...tokens('app', store.apps),
      ...tokens('pixel', store.pixels),
      ...(store.plus ? [flagTokens.platformPlus] : []),
      ...(hasRevealable(store, 'all') ? [flagTokens.revealableContacts] : []),
      ...(hasRevealable(store, 'verified') ? [flagTokens.verifiedRevealableContacts] : []),
      ...(store.people.length > 0 ? [flagTokens.contacts] : []),
      ...store.people.flatMap((person) => [
        traitsToken(traitsOf(person)),
        ...tokens('role', [person.role]),
        ...tokens('role', [person.role]).map((role) => signatureToken(role, traitsOf(person))),
      ]),
    ],
    activeAds: store.ads,
    createdEstimate: store.createdAt === null ? null : new Date(store.createdAt),
    firstDiscoveredAt: store.discoveredAt === null ? null : new Date(store.discoveredAt),
    document: String(place),
    preview: String(place),
  }
}

export function contactRowsOf(store: StoreFacts, storeId: number): Required<PersonRow>[] {
  return store.people.map((person, index) => ({
    storeId,
    number: numberOf(index),
    role: person.role,
    traits: traitsOf(person),
    revealable: canBeRevealed(person, 'all'),
    verifiedRevealable: canBeRevealed(person, 'verified'),
    preview: String(numberOf(index)),
  }))
}

/** 0 without a role. */
export function roleTokenOf(role: string | null): number {
  return role === null ? 0 : vocabulary.find('role', role)!.token
}

function traitsOf({ seniority, verifiedEmail, phone, profile }: PersonFacts): number {
  return packTraits({ seniority, hasVerifiedEmail: verifiedEmail, hasPhone: phone, hasProfile: profile })
}

interface PlanNode {
  'Node Type': string
  'Actual Loops': number
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

/** The indexes that PostgreSQL used for a statement, in plan order, and the tables it read sequentially. */
export async function executedScans(db: Queryable, { text, values }: Statement): Promise<string[]> {
  const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, costs off, format json) ${text}`,
    values,
  )
  return [...new Set(scansIn(rows[0]!['QUERY PLAN'][0].Plan))]
}

function scansIn(node: PlanNode): string[] {
  // Planned but not executed.
  if (node['Actual Loops'] === 0) return []
  const isWhole = node['Node Type'] === 'Seq Scan'
  const own = isWhole ? [`all of ${node['Relation Name']}`] : node['Index Name'] ? [node['Index Name']] : []
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)]
}
