import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, type TProperties, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Pool, transact } from '../../foundation/db/pool.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { ClosedObject, Nullable } from '../../foundation/kernel/shapes.ts'
import { type Facet, facets } from '../query/vocabulary.ts'
import { slugPattern } from './extend-taxonomy.ts'
import type { TaxonomyEntry } from './queries.ts'
import * as queries from './queries.ts'
import { facetListNames } from './taxonomy.ts'

const itemsOf = (valuePattern: string, properties: TProperties = {}) =>
  Type.Array(
    ClosedObject({
      value: Type.String({ pattern: valuePattern }),
      label: Type.String({ minLength: 1, maxLength: 200 }),
      deprecated: Type.Optional(Type.Literal(true)),
      ...properties,
    }),
  )

const Tiers = itemsOf(slugPattern, { min: Type.Integer(), max: Nullable(Type.Integer()) })
const Technologies = itemsOf(slugPattern, { category: Type.Optional(Type.String({ pattern: slugPattern })) })
const Plain = itemsOf(slugPattern)

const shapes = {
  category: itemsOf(slugPattern, { parent: Type.Optional(Type.String({ pattern: slugPattern })) }),
  country: itemsOf('^[A-Z]{2}$'),
  traffic_tier: Tiers,
  revenue_tier: Tiers,
  theme_type: Plain,
  role: Plain,
  seniority: Plain,
  app: Technologies,
  pixel: Technologies,
} satisfies Record<Facet, ReturnType<typeof itemsOf>>

type Item = Static<typeof Plain>[number] & Partial<Pick<TaxonomyEntry, 'parent' | 'category' | 'min' | 'max'>>

/** Reads and checks a folder of taxonomy files: one per facet, values in display order. */
export async function readTaxonomyFiles(folder: string): Promise<TaxonomyEntry[]> {
  const lists = await Promise.all(facets.map((facet) => readFacet(folder, facet)))
  return lists.flat()
}

async function readFacet(folder: string, facet: Facet): Promise<TaxonomyEntry[]> {
  const path = join(folder, `${facetListNames[facet]}.json`)
  const items = await readItems(path, facet)
  const parents = new Map<string, string | null>()
  for (const { value, parent } of items) {
    if (parents.has(value)) throw new OperatorError(`The taxonomy file ${path} names ${value} twice.`)
    parents.set(value, parent ?? null)
  }
  for (const { value } of items) checkParents(path, parents, value)
  return items.map((item, position) => ({
    facet,
    value: item.value,
    label: item.label,
    parent: item.parent ?? null,
    category: item.category ?? null,
    min: item.min ?? null,
    max: item.max ?? null,
    position,
    deprecated: item.deprecated ?? false,
  }))
}

async function readItems(path: string, facet: Facet): Promise<Item[]> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new OperatorError(`The taxonomy file ${path} cannot be read.`, { cause })
  })
  let items: unknown
  try {
    items = JSON.parse(text)
  } catch (cause) {
    throw new OperatorError(`The taxonomy file ${path} is not JSON: ${(cause as Error).message}`, { cause })
  }
  const [fault] = Value.Errors(shapes[facet], items)
  if (fault)
    throw new OperatorError(
      `The taxonomy file ${path} is invalid at ${fault.instancePath || '/'}: it ${fault.message}.`,
    )
  return items as Item[]
}

/** Throws if a parent is missing or the parents form a cycle. */
function checkParents(path: string, parents: Map<string, string | null>, value: string): void {
  const seen = new Set<string>()
  for (let at: string | null = value; at !== null; at = parents.get(at)!) {
    if (!parents.has(at))
      throw new OperatorError(`The taxonomy file ${path} names ${at} as a parent, but has no such value.`)
    if (seen.has(at)) throw new OperatorError(`The taxonomy file ${path} makes ${at} a parent of itself.`)
    seen.add(at)
  }
}

/**
 * Updates the database's taxonomy to the files of a folder: adds new values and updates labels, parents and order. Values
 * missing from the files stay. Several processes may run it at once; if nothing differs, it takes one read. Returns
 * whether anything changed.
 */
export async function syncTaxonomy(pool: Pool, folder: string): Promise<boolean> {
  const wanted = await readTaxonomyFiles(folder)
  if (isEmpty(differences(wanted, (await queries.readTaxonomy(pool)).values))) return false
  return transact(pool, async (client) => {
    await queries.lockTaxonomy(client)
    // Another process may have made the same change while this one waited for the lock.
    const open = differences(wanted, (await queries.readTaxonomy(client)).values)
    if (isEmpty(open)) return false
    if (open.added.length > 0) await queries.insertTaxonomyValues(client, open.added)
    if (open.changed.length > 0) await queries.updateTaxonomyValues(client, open.changed)
    await queries.bumpTaxonomyVersion(client)
    return true
  })
}

interface Differences {
  added: queries.TaxonomyEntry[]
  changed: queries.TaxonomyEntry[]
}

function differences(wanted: queries.TaxonomyEntry[], present: queries.TaxonomyRow[]): Differences {
  const known = new Map(present.map((row) => [`${row.facet} ${row.value}`, row]))
  const result: Differences = { added: [], changed: [] }
  for (const entry of wanted) {
    const row = known.get(`${entry.facet} ${entry.value}`)
    if (!row) result.added.push(entry)
    else if (!Object.entries(entry).every(([name, value]) => row[name as keyof typeof entry] === value))
      result.changed.push(entry)
  }
  return result
}

function isEmpty({ added, changed }: Differences): boolean {
  return added.length === 0 && changed.length === 0
}
