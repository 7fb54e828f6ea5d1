import type { Reply, RequestBody, Row } from '#api/operations.ts'

export type ApiKey = Row<'listKeys'>

/** New budgets; null removes one, and a meter that is missing keeps its own. */
export type BudgetChanges = RequestBody<'setKeyBudget'>['budget']

/** A key with its secret, which is in this reply and nowhere else. */
export type IssuedKey = Pick<Reply<'createKey'>, 'key' | 'secret'>

export const expiries = [
  { id: 'never', label: 'Never' },
  { id: '30', label: 'In 30 days' },
  { id: '90', label: 'In 90 days' },
  { id: '365', label: 'In a year' },
  { id: 'date', label: 'On a date' },
] as const

export type Expiry = (typeof expiries)[number]['id']

const dayMs = 86_400_000

/** When a key ends; null for never. A date lasts until its end where the reader is. Undefined while there is no date. */
export function expiresAt(expiry: Expiry, date: string, nowMs: number): string | null | undefined {
  if (expiry === 'never') return null
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * dayMs).toISOString()
  const end = new Date(`${date}T23:59:59`)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}
