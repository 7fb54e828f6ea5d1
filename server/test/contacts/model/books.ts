import type { Counts } from './replies.ts'
import type { Entitlement } from './entitlement.ts'

type Meter = 'contact_credits' | 'store_exports' | 'search_rows'

/** What one account did in one mode. */
export interface Books {
  minute: { start: number; used: number }
  day: { start: number; used: number }
  /** By meter and start of the period. */
  used: Record<string, number>
  /** Shops by start of the period. */
  exported: Record<number, number[]>
  /** When each person was revealed. */
  revealed: Record<number, number>
  /** Replies by Idempotency-Key. */
  kept: Record<string, { request: number[]; at: number; number: number; people: number[] }>
}

export const dayMs = 86_400_000

export function newBooks(): Books {
  const past = { start: 0, used: 0 }
  return { minute: past, day: past, used: {}, exported: {}, revealed: {}, kept: {} }
}

const slotOf = (meter: Meter, { period, creditsPeriod }: Entitlement) =>
  `${meter} ${meter === 'contact_credits' ? creditsPeriod.start : period.start}`

const usedOf = (books: Books, entitlement: Entitlement, meter: Meter) => books.used[slotOf(meter, entitlement)] ?? 0

export function left(books: Books, entitlement: Entitlement, meter: Meter): number {
  return Math.max(0, entitlement.limits[meter] - usedOf(books, entitlement, meter))
}

export function spend(books: Books, entitlement: Entitlement, meter: Meter, amount: number): void {
  if (amount > 0) books.used[slotOf(meter, entitlement)] = usedOf(books, entitlement, meter) + amount
}

/**
 * Marks the shops delivered, and says what the reply may tell of the exports left: what is left now, or where nothing was
 * exported what was left a moment before. Null, and nothing happened, where the new shops do not fit.
 */
export function exportShops(
  books: Books,
  entitlement: Entitlement,
  shops: readonly number[],
  exportsLeft: number,
): number[] | null {
  const exported = books.exported[entitlement.period.start] ?? []
  const fresh = [...new Set(shops)].filter((shop) => !exported.includes(shop))
  if (fresh.length > left(books, entitlement, 'store_exports')) return null
  books.exported[entitlement.period.start] = [...exported, ...fresh].sort()
  spend(books, entitlement, 'store_exports', fresh.length)
  const leftNow = left(books, entitlement, 'store_exports')
  return fresh.length > 0 ? [leftNow] : [leftNow, exportsLeft]
}

export function countsOf(books: Books, entitlement: Entitlement, now: number): Counts {
  return {
    credits: usedOf(books, entitlement, 'contact_credits'),
    exports: usedOf(books, entitlement, 'store_exports'),
    rows: usedOf(books, entitlement, 'search_rows'),
    requests: books.day.used,
    dayStart: now - (now % dayMs),
  }
}
