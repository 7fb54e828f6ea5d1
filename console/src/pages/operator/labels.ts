import { formatNumber } from '#lib/format.ts'
import type { BadgeTone } from '#ui/data/badge.tsx'
import type { Option } from '#ui/fields/select.tsx'
import type { AccountChanges, OperatorAccount } from './api.ts'

export const planNames: Record<OperatorAccount['plan'], string> = {
  free: 'Free',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise',
}

/** `Object.keys` with the type that the compiler has compared with the document. */
const keysOf = <Key extends string>(names: Record<Key, unknown>) => Object.keys(names) as Key[]

export const planSlugs = keysOf(planNames)

export const planOptions: Option<OperatorAccount['plan']>[] = planSlugs.map((id) => ({ id, label: planNames[id] }))

type SubscriptionStatus = NonNullable<AccountChanges['status']>

const statuses: Record<SubscriptionStatus, true> = {
  none: true,
  trialing: true,
  active: true,
  past_due: true,
  unpaid: true,
  canceled: true,
  incomplete: true,
  incomplete_expired: true,
  paused: true,
}

export const subscriptionStatuses = keysOf(statuses)

/** `past_due` as people say it. */
export function wordsOf(slug: string): string {
  const words = slug.replaceAll('_', ' ').replaceAll('.', ': ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The one state of an account that matters most. */
export function stateOf(account: OperatorAccount): { label: string; tone: BadgeTone } {
  if (account.closed_at) return { label: 'Closed', tone: 'neutral' }
  if (account.suspended_at) return { label: 'Suspended', tone: 'danger' }
  if (account.status === 'none') return { label: 'No plan', tone: 'neutral' }
  return { label: wordsOf(account.status), tone: account.api_access ? 'success' : 'warning' }
}

export const limitNames: Record<string, string> = {
  contact_credits: 'Contact credits',
  store_exports: 'Store exports',
  search_rows: 'Search rows',
  api_requests: 'Requests today',
  requests_per_minute: 'Requests a minute',
  requests_per_day: 'Requests a day',
  billing_status_per_hour: 'Billing status an hour',
  billing_links_per_hour: 'Billing links an hour',
  ready_exports: 'Files of exports kept',
  ready_export_bytes: 'Bytes of files kept',
  trial_contact_credits: 'Contact credits of a trial',
}

/** `3 days 4 hours`, by the two largest units. */
export function formatDuration(seconds: number): string {
  const sizes = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const first = sizes.findIndex(([, size]) => seconds >= size)
  if (first < 0) return formatUnit(0, 'second')
  let rest = seconds
  return sizes
    .slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return { unit, count }
    })
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => formatUnit(count, unit))
    .join(' ')
}

function formatUnit(count: number, unit: string): string {
  return formatNumber(count, { style: 'unit', unit, unitDisplay: 'long' })
}
