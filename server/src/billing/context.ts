import type { FastifyRequest } from 'fastify'
import type { PlanFile } from '../accounts/plans.ts'
import { callerContext } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { Pool } from '../db/pool.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { SyncContext } from './sync/sync-account.ts'

/** What the billing calls work with. */
export interface BillingServices extends SyncContext {
  ids: IdSealer
  plans: PlanFile
  /** Base of our own pages, to which the provider's lead back. */
  publicUrl: string
}

export interface BillingContext extends BillingServices, CallerContext {
  db: Pool
}

export function billingContext(request: FastifyRequest, services: BillingServices): BillingContext {
  const { billing, clock, ids, plans, publicUrl } = services
  return { ...callerContext(request), db: request.db, billing, clock, ids, plans, publicUrl }
}
