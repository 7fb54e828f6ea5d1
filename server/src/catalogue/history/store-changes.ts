import type { Store } from '../../product/delivery/store-document.ts'
import { type HistoryField, historyFields } from '../../product/delivery/store-history.ts'
import type { StoreChangeInsert } from './queries.ts'

/** The tracked fields of a store. */
export interface TrackedStore {
  store: Store
  aliases: string[]
}

const addedField = historyFields.indexOf('added_to_catalogue')

/** The first row of a store's history. It has no values: later rows say what they were. */
export function storeAdded(storeId: number): StoreChangeInsert {
  return { storeId, field: addedField, before: null, after: null, added: null, removed: null }
}

type Value = string | number | boolean | null

const readValue: { [Field in HistoryField]?: (store: Store) => Value } = {
  name: (store) => store.name,
  category: (store) => store.category,
  country: (store) => store.country,
  traffic_tier: (store) => store.traffic_tier,
  revenue_tier: (store) => store.revenue_tier,
  platform_plus: (store) => store.platform_plus,
  lead_fit_score: (store) => store.lead_fit_score,
  'theme.name': (store) => store.technologies.theme.name,
  'theme.type': (store) => store.technologies.theme.type,
}

const readList: { [Field in HistoryField]?: (store: TrackedStore) => string[] } = {
  apps: ({ store }) => store.technologies.apps,
  pixels: ({ store }) => store.technologies.pixels,
  aliases: ({ aliases }) => aliases,
}

/** The tracked fields in which a store differs: one row each, none for a store that is the same. */
export function* compareStores(
  storeId: number,
  before: TrackedStore,
  after: TrackedStore,
): Generator<StoreChangeInsert> {
  for (const [field, name] of historyFields.entries()) {
    const value = readValue[name]
    if (value) {
      const [old, fresh] = [value(before.store), value(after.store)]
      if (old !== fresh)
        yield { storeId, field, before: formatValue(old), after: formatValue(fresh), added: null, removed: null }
    }
    const list = readList[name]
    if (list) {
      const [old, fresh] = [list(before), list(after)]
      const [added, removed] = [itemsWithout(fresh, old), itemsWithout(old, fresh)]
      if (added || removed) yield { storeId, field, before: null, after: null, added, removed }
    }
  }
}

function formatValue(value: Value): string | null {
  return value === null ? null : String(value)
}

/** Null for none. */
function itemsWithout(items: string[], others: string[]): string[] | null {
  const left = items.filter((item) => !others.includes(item))
  return left.length === 0 ? null : left
}
