import { type Static, Type } from 'typebox'
import { RecordList } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, Nullable, Timestamp } from '../../foundation/kernel/shapes.ts'

/**
 * The fields that a store's history tracks. The index of a field is its number in `store_changes` and never changes; of
 * the changes of one batch, the highest number comes first.
 */
export const historyFields = [
  'added_to_catalogue',
  'aliases',
  'theme.type',
  'theme.name',
  'pixels',
  'apps',
  'lead_fit_score',
  'platform_plus',
  'revenue_tier',
  'traffic_tier',
  'country',
  'category',
  'name',
] as const

export type HistoryField = (typeof historyFields)[number]

const HistoryValue = Nullable(Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]))
const HistoryItems = Nullable(Type.Array(Type.String({ maxLength: 253 }), { maxItems: 500 }))

/** A change of one field of a store. */
export const StoreChange = ClosedObject(
  {
    at: Timestamp('When the change was imported.'),
    field: Type.Enum([...historyFields], {
      description:
        'What changed; added_to_catalogue, without values, when the store was new. A changed domain is seen in aliases.',
    }),
    before: HistoryValue,
    after: HistoryValue,
    added: HistoryItems,
    removed: HistoryItems,
  },
  {
    title: 'StoreChange',
    description:
      'A change of one field. apps, pixels and aliases have what was added and removed; all others have the value before and after.',
  },
)
export type StoreChange = Static<typeof StoreChange>

export const StoreHistory = RecordList(StoreChange)

/** A row of `store_changes`, without the store. */
export interface StoreChangeRow {
  batch: number
  field: number
  at: Date
  before: string | null
  after: string | null
  added: string[] | null
  removed: string[] | null
}

/** The fields that are lists of values. */
const listFields: ReadonlySet<HistoryField> = new Set(['apps', 'pixels', 'aliases'])

export function describeChange({ at, field: number, before, after, added, removed }: StoreChangeRow): StoreChange {
  const field = historyFields[number]
  if (field === undefined) throw new Error(`a row of store_changes has the unknown field ${number}`)
  const isList = listFields.has(field)
  return {
    at: at.toISOString(),
    field,
    before: parseValue(field, before),
    after: parseValue(field, after),
    added: isList ? (added ?? []) : null,
    removed: isList ? (removed ?? []) : null,
  }
}

function parseValue(field: HistoryField, text: string | null): StoreChange['before'] {
  if (text === null) return null
  if (field === 'lead_fit_score') return Number(text)
  return field === 'platform_plus' ? text === 'true' : text
}
