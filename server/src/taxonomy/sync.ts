import { type Pool, transact } from '../db/pool.ts'
import { readTaxonomyFiles } from './files.ts'
import * as queries from './queries.ts'

/**
 * Brings the database's taxonomy up to the files of a folder: new values come in, labels, parents and order
 * follow the files. Values that the files lack stay, wherever they came from. Any number of processes may do this at
 * once; where nothing differs, it takes one read. Returns whether anything changed.
 */
export async function syncTaxonomy(pool: Pool, folder: string): Promise<boolean> {
  const wanted = await readTaxonomyFiles(folder)
  if (isSettled(differences(wanted, (await queries.readTaxonomy(pool)).values))) return false
  return transact(pool, async (client) => {
    await queries.lockTaxonomy(client)
    // Another process may have done the same work while this one waited.
    const open = differences(wanted, (await queries.readTaxonomy(client)).values)
    if (isSettled(open)) return false
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

function isSettled({ added, changed }: Differences): boolean {
  return added.length === 0 && changed.length === 0
}
