import type { FastifyRequest } from 'fastify'
import { callerContext } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { Pool } from '../db/pool.ts'
import type { ContactSeals } from '../encryption/keyring.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import type { TrialLinks } from '../usage/trial-links.ts'
import type { RunningKeys } from './running-keys.ts'

/** What a reveal works with. */
export interface RevealContext extends CallerContext {
  db: Pool
  ids: IdSealer
  seals: ContactSeals
  deliverEmails: DeliverEmails
  trialLinks: TrialLinks
  runningKeys: RunningKeys
}

/** Where it comes from. */
export interface RevealServices {
  ids: IdSealer
  seals: ContactSeals
  config: { deliverEmails: DeliverEmails }
  trialLinks: TrialLinks
}

export function revealContext(
  request: FastifyRequest,
  services: RevealServices,
  runningKeys: RunningKeys,
): RevealContext {
  const { ids, seals, config, trialLinks } = services
  const { deliverEmails } = config
  return { ...callerContext(request), db: request.db, ids, seals, deliverEmails, trialLinks, runningKeys }
}
