import { OperatorError } from '../kernel/errors.ts'
import type { PlanSlug } from './plans.ts'

/** A trial leads to a paid plan, so there is none without. */
export function requirePaidTrial(plan: PlanSlug, status: string): void {
  if (plan === 'free' && status === 'trialing')
    throw new OperatorError('A trial needs a paid plan: give --plan pro, business or enterprise as well.')
}

/** When a trial that is granted now begins: with the period that is given for it, unless that is still to come. */
export function trialStart(now: Date, periodStart: Date | undefined): Date {
  return periodStart && periodStart < now ? periodStart : now
}
