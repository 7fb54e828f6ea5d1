import { callerContext } from '../auth/access.ts'
import { errorReplies } from '../http/openapi/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { reportUsage } from './report-usage.ts'
import { UsageReply } from './schema.ts'
import type { TrialLinks } from './trial-links.ts'

export interface UsageServices {
  ids: IdSealer
  trialLinks: TrialLinks
}

export function registerUsageRoutes(api: ApiRoutes, { ids, trialLinks }: UsageServices): void {
  api.get(
    '/usage',
    {
      config: { access: { scope: 'usage:read' } },
      schema: {
        operationId: 'getUsage',
        tags: ['usage'],
        summary: 'Read plan, limits and what is left of them',
        description: 'The figures of the account in the mode of the key, this request included.',
        response: { 200: UsageReply, ...errorReplies(401, 403, 429) },
      },
    },
    (request) => reportUsage({ ...callerContext(request), ids, trialLinks }),
  )
}
