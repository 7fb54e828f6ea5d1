import { type Static, Type } from 'typebox'
import { RecordList } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject, GrowingEnum, Nullable, Timestamp } from '../../foundation/kernel/shapes.ts'

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

const HistoryValue = (description: string) =>
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean(), Type.Null()], { description })
const HistoryItems = (description: string) =>
  Nullable(Type.Array(Type.String({ maxLength: 253 }), { maxItems: 500, description }))

const fieldMeanings: Record<HistoryField, string | null> = {
  added_to_catalogue: 'the store was new; there are no values',
  aliases: 'its other domains, and a main domain that was given up',
  'theme.type': null,
  'theme.name': null,
  pixels: null,
  apps: null,
  lead_fit_score: null,
  platform_plus: null,
  revenue_tier: null,
  traffic_tier: null,
  country: null,
  category: null,
  name: null,
}

/** A change of one field of a store. */
export const StoreChange = ClosedObject(
  {
    at: Timestamp('When the change was imported, in UTC.'),
    field: GrowingEnum('What changed, by the name of the field in a store.', fieldMeanings),
    before: HistoryValue(
      'The value before; null if it was unknown, and for added_to_catalogue, apps, pixels and aliases.',
    ),
    after: HistoryValue(
      'The value after; null if it is unknown, and for added_to_catalogue, apps, pixels and aliases.',
    ),
    added: HistoryItems('Values that were added to apps, pixels or aliases; null for other fields.'),
    removed: HistoryItems('Values that were removed from apps, pixels or aliases; null for other fields.'),
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
