import type { CallerContext, CountedWindows } from '../../auth/caller.ts'
import type { ExportsOwner } from '../known-exports.ts'
import { type BatchItem, windowsAfter } from './describe-batch.ts'

/** The item of a request; null for one that is admitted already. */
export function batchItemOf({ admission, caller, requestId, now }: CallerContext, weight: number): BatchItem | null {
  return admission?.isPending ? { caller, admission, requestId, spentAt: now, weight } : null
}

/** Whose exports a batch takes. */
export function exportsOwnerOf(items: readonly BatchItem[]): ExportsOwner {
  const { accountId, mode, entitlement } = items[0]!.caller
  return { accountId, mode, periodStart: entitlement.period.start }
}

/** The columns about admission that every statement returns. */
export interface AdmissionOutcome {
  /** Null if the batch was refused, as are all figures then. */
  minute_used: number | null
  /** Milliseconds since 1970. */
  minute_started_ms: number
  day: string
  day_used: number
  /** Whether the account and the keys are what the process took them for. */
  is_current: boolean
}

/** Whether the statement admitted the batch. */
export function isAdmitted(items: readonly BatchItem[], outcome: AdmissionOutcome): boolean {
  if (outcome.minute_used !== null) return true
  // Of several keys, any may be the one that has changed; their requests are sent again one by one.
  const { standing } = items[0]!.admission
  if (!outcome.is_current && items.every((item) => item.admission.standing === standing)) standing.isStale = true
  return false
}

/** The windows as each request left them, had they come one after the other. */
export function windowsAfterEach(items: readonly BatchItem[], outcome: AdmissionOutcome): CountedWindows[] {
  const windows = {
    minuteStartedAt: new Date(outcome.minute_started_ms),
    minuteUsed: outcome.minute_used!,
    day: outcome.day,
    dayUsed: outcome.day_used,
  }
  return items.map((_, index) => windowsAfter(windows, items.length - 1 - index))
}

/** Pairs of numbers, such as `7 120,9 4`. */
export function readPairs(text: string | null): Map<number, number> {
  const pairs = new Map<number, number>()
  if (text === null) return pairs
  for (const pair of text.split(',')) {
    const [first, second] = pair.split(' ')
    pairs.set(Number(first), Number(second))
  }
  return pairs
}
