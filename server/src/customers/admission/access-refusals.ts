/** How calls are refused for what their route declares about access, spending and repetition; for the documents. */
import type { FastifyContextConfig } from 'fastify'
import type { DocumentedCode } from '../../foundation/http/openapi/error-examples.ts'
import type { DocumentedRefusal } from '../../foundation/http/openapi/errors.ts'
import type { Meter } from '../accounts/plans.ts'
import type { Access } from '../auth/access.ts'
import type { Scope } from '../auth/caller.ts'

type KeyAccess = NonNullable<Access['key']>

const codesOf401 = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'suspended_api_key',
  'expired_api_key',
] as const satisfies readonly DocumentedCode[]

/** Each set of scopes with which a key may call, by what the call asks for; one set without a name for most operations. */
export function scopeSetsOf({ scope, scopeSets }: KeyAccess): [what: string, scopes: readonly Scope[]][] {
  return scopeSets ? Object.entries(scopeSets) : [['', [scope]]]
}

/** How a key is refused, whatever the request is. */
export function refusalsOfKey(key: KeyAccess): DocumentedRefusal[] {
  const scopes = [...new Set(scopeSetsOf(key).flatMap(([, each]) => each))]
  return [
    ...codesOf401.map((code) => ({ code })),
    ...(key.billingLimit ? [] : [{ code: 'api_access_required' as const }]),
    ...scopes.map((scope) => ({
      code: 'insufficient_scope' as const,
      param: scope,
      message: `This API key lacks the scope ${scope}.`,
    })),
    ...(key.billingLimit === 'billing_status' ? [] : [full('requests_per_minute'), full('requests_per_day')]),
    ...(key.billingLimit ? [full(key.billingLimit)] : []),
  ]
}

/** How a request is refused for want of what it would spend: of the account, or of the budget of its key. */
export function refusalsOfSpending(meters: readonly Meter[], asksFor = 'limit'): DocumentedRefusal[] {
  return meters.flatMap((meter): DocumentedRefusal[] => {
    if (meter === 'contact_credits')
      return [
        { code: 'insufficient_contact_credits' },
        {
          code: 'insufficient_contact_credits',
          param: 'key_budget.contact_credits',
          message:
            '3 contact credits are needed, but this API key has used 8 of 10 contact credits of its own budget until 2026-12-01.',
        },
      ]
    const limits = [meter, `key_budget.${meter}`] as const
    return limits.map((limit) => {
      const { code, param, message } = full(limit)
      return { code, param, message: message.replace('ask for limit', `ask for ${asksFor}`) }
    })
  })
}

/** How a request with an Idempotency-Key is refused. */
export function refusalsOfRepetition({ keepsReplies }: FastifyContextConfig): DocumentedRefusal[] {
  return keepsReplies ? [{ code: 'idempotency_conflict' }, { code: 'idempotency_in_progress' }] : []
}

/** The sentence of each limit that is used up. */
const fullLimits = {
  requests_per_minute: 'All 60 requests of this minute are used; try again in 23 seconds.',
  requests_per_day: 'All 5,000 requests of this day are used; try again in 39,601 seconds.',
  billing_status: 'All 60 billing status checks of this hour are used; try again in 1,260 seconds.',
  billing_links: 'All 5 billing links of this hour are used; try again in 1,260 seconds.',
  search_rows: '10 of 25,000 search rows are left until 2026-12-01; ask for limit 10 or less.',
  store_exports:
    '0 of 25,000 store exports are left until 2026-12-01, and this reply holds more stores that are new this period.',
  'key_budget.search_rows':
    'This API key has used 490 of 500 search rows of its own budget until 2026-12-01; ask for limit 10 or less.',
  'key_budget.store_exports':
    'This API key has used 500 of 500 store exports of its own budget until 2026-12-01, and this reply holds more stores that are new this period.',
}

function full(limit: keyof typeof fullLimits) {
  return { code: 'rate_limit_exceeded' as const, param: limit, message: fullLimits[limit] }
}
