import { expect } from 'vitest'
import type { StoreChange } from '../../../../src/product/delivery/store-history.ts'
import type { ModelStore } from './store-model.ts'

/** The fields of a store that its history keeps track of; lists are sorted. */
export type TrackedFields = Record<string, unknown>

type Facts = Pick<
  ModelStore,
  | 'name'
  | 'category'
  | 'country'
  | 'traffic_tier'
  | 'revenue_tier'
  | 'platform_plus'
  | 'lead_fit_score'
  | 'technologies'
  | 'aliases'
>

const sorted = (items: string[]) => [...items].sort()

export function trackedFieldsOf({ technologies: { apps, pixels, theme }, aliases, ...store }: Facts): TrackedFields {
  const { name, category, country, traffic_tier, revenue_tier, platform_plus, lead_fit_score } = store
  return {
    ...{ name, category, country, traffic_tier, revenue_tier, platform_plus, lead_fit_score },
    ...{ apps: sorted(apps), pixels: sorted(pixels), aliases: sorted(aliases) },
    'theme.name': theme.name,
    'theme.type': theme.type,
  }
}

/** Applies a change; it has to begin with the state that there is, and to change it. */
export function applyChange(
  state: TrackedFields,
  { field, before, after, added, removed }: StoreChange,
): TrackedFields {
  if (added === null || removed === null) {
    expect(state[field], field).toBe(before)
    expect(after, field).not.toBe(before)
    return { ...state, [field]: after }
  }
  const items = state[field] as string[]
  expect(added.length + removed.length, field).toBeGreaterThan(0)
  expect(items).toEqual(expect.arrayContaining(removed))
  for (const item of added) expect(items).not.toContain(item)
  return { ...state, [field]: sorted([...items.filter((item) => !removed.includes(item)), ...added]) }
}

/** The change that takes a change back. */
export function reverseOf({ before, after, added, removed, ...change }: StoreChange): StoreChange {
  return { ...change, before: after, after: before, added: removed, removed: added }
}
