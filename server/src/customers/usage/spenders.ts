import { type Static, Type } from 'typebox'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { selectKeyNames, selectUserNames } from './queries.ts'

/** Who spent: an API key, or a user of the console. */
export const SpentBy = ClosedObject(
  {
    kind: Type.Union([Type.Literal('key'), Type.Literal('person')]),
    id: Type.String({ pattern: '^(key|per)_[A-Za-z]{16}$', maxLength: 20 }),
    name: Type.String({ maxLength: 200 }),
  },
  { description: 'The API key or the person who spent.' },
)
export type SpentBy = Static<typeof SpentBy>

interface SpentRow {
  key_id: number | null
  person_id: number | null
}

interface SpenderContext {
  db: Queryable
  ids: IdSealer
  accountId: number
}

/** What stands for a user whose name is no longer stored. */
const removedUserName = 'A removed person'

/** Finds the spenders of all rows with two statements. The result names that of a row; null if none was recorded. */
export async function nameSpenders(
  { db, ids, accountId }: SpenderContext,
  rows: readonly SpentRow[],
): Promise<(row: SpentRow) => SpentBy | null> {
  const keyIds = distinct(rows.map((row) => row.key_id))
  const userIds = distinct(rows.map((row) => row.person_id))
  const [keyNames, userNames] = await Promise.all([
    keyIds.length > 0 ? selectKeyNames(db, accountId, keyIds) : new Map<number, string>(),
    userIds.length > 0 ? selectUserNames(db, userIds) : new Map<number, string>(),
  ])
  const spenders = new Map<string, SpentBy>()
  for (const id of keyIds)
    spenders.set(`key ${id}`, { kind: 'key', id: ids.seal('key', id), name: keyNames.get(id) ?? '' })
  for (const id of userIds)
    spenders.set(`person ${id}`, {
      kind: 'person',
      id: ids.seal('person', id),
      name: userNames.get(id) ?? removedUserName,
    })
  return ({ key_id, person_id }) => spenders.get(key_id !== null ? `key ${key_id}` : `person ${person_id}`) ?? null
}

function distinct(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}
