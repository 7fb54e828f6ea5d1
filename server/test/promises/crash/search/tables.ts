import { deepStrictEqual } from 'node:assert/strict'
import { mergeSegments } from '@storedex/search-index'
import type { Pool } from '../../../../src/foundation/db/pool.ts'
import { modes } from '../../../../src/foundation/kernel/ids.ts'
import { loadCatalogue } from '../../../../src/search/replica/catalogue.ts'
import type { SegmentLists } from '../../../../src/search/replica/replica.ts'

/** Throws when segments and tables differ, also in parts that no search reads. */
export async function compareWithTables(lists: SegmentLists, db: Pool): Promise<void> {
  const read = await loadCatalogue(db, () => {})
  for (const mode of modes) deepStrictEqual(mergeSegments(lists[mode]), mergeSegments(read.lists[mode]))
}
