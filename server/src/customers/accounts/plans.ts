export const planSlugs = ['free', 'pro', 'business', 'enterprise'] as const
export type PlanSlug = (typeof planSlugs)[number]

/** The maximum of a counter in the database. */
export const maxCounterValue = 2 ** 31 - 1

/** The limits of a plan; `plan-file.ts` says what each counts. */
export const limitNames = [
  'contact_credits',
  'store_exports',
  'search_rows',
  'requests_per_minute',
  'requests_per_day',
  'billing_status_per_hour',
  'billing_links_per_hour',
  'ready_exports',
  'ready_export_bytes',
] as const
export type Limits = Record<(typeof limitNames)[number], number>

/** Limits that are charged and counted per period, in the order in which their counters are locked. */
export const meters = ['contact_credits', 'search_rows', 'store_exports'] as const satisfies readonly (keyof Limits)[]
export type Meter = (typeof meters)[number]

/** The limits of plan files that were written before these limits existed. */
export const laterLimits = { ready_exports: 50, ready_export_bytes: 500_000_000 } satisfies Partial<Limits>

/** The limits that can be overridden for one account: those of the plan, and the trial's contact credits. */
export const overridableMeters = [...limitNames, 'trial_contact_credits'] as const
export type OverridableMeter = (typeof overridableMeters)[number]
export type LimitOverrides = Partial<Record<OverridableMeter, number>>

/** A validated plan file. */
export interface PlanFile {
  plans: Record<PlanSlug, { name: string; limits: Limits }>
  /** Figures that replace the plan's during a trial. */
  trial: Partial<Limits>
  search: { max_rows_walked: number; max_rows_walked_unfiltered: number }
}
