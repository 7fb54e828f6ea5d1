import { createHash } from 'node:crypto'
import { type Scope, scopes } from '../../../../src/customers/auth/caller.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { hashQuotedBody } from '../../../../src/foundation/kernel/quote.ts'
import type { RawReply } from '../../../foundation/http/support/test-server.ts'
import { knownDomain, knownExport, knownList, type OperationCase } from '../../../promises/access/support/operations.ts'
import type { TestKey } from '../../../support/app.ts'
import { subscribed } from '../../../support/billing-provider.ts'
import { requestNeeding, type World, withValue } from './world.ts'

/** An error that the document has of an operation. */
export interface Documented {
  id: string
  operation: OperationCase
  status: number
  code: string
  param: string | undefined
  message: string
}

/** Less than a request asks for. */
const fewRows = 5

type Provoke = (documented: Documented) => Promise<RawReply>

const unknownIds: Record<string, string> = { id: 'lst_live_AAAAAAAAAAAAAAAA', contact: 'ct_live_AAAAAAAAAAAAAAAA' }

/** How each code is provoked, with requests to a running service. */
export async function createProvocations(world: World): Promise<Record<string, Provoke>> {
  const { app, key, send, provider, lists, exports } = world
  const { db } = app
  const revoked = await app.key({ scopes })
  await app.revokeKey(revoked)
  const suspended = await app.key({ scopes })
  await app.suspendKey(suspended)
  const expired = await app.key({ scopes, expires: new Date(app.clock.now().getTime() + 1) })
  app.clock.advance(1)
  const lapsed = await app.key({ scopes })
  await app.setAccount(lapsed.account, { status: 'past_due' })
  await db.query(`update accounts set subscription_id = 'sub_1' where id = $1`, [app.accountNumber(lapsed.account)])

  const keys = new Map<string, Promise<TestKey>>()
  const keyFor = (name: string, make: () => Promise<TestKey>): Promise<TestKey> => {
    const known = keys.get(name) ?? make()
    keys.set(name, known)
    return known
  }
  /** A key that has nothing left of a limit of its account, or of its own budget. */
  const fullKey = (param: string) =>
    keyFor(param, () => {
      const own = /^key_budget\.(.*)/.exec(param)?.[1]
      if (own) return app.key({ scopes, budget: { [own]: own === 'search_rows' ? fewRows : 0 } })
      const limit = param.startsWith('billing_') ? `${param}_per_hour` : param
      return app.key({ scopes, limits: { [limit]: limit === 'search_rows' ? fewRows : 0 } })
    })
  const without = (scope: Scope) =>
    keyFor(`without ${scope}`, () => app.keyOf(key.account, { scopes: scopes.filter((each) => each !== scope) }))

  /** Puts a wrong value where the parameter is: in the path, the query, or the body. */
  const wrong =
    (value: unknown): Provoke =>
    ({ operation, param = '', id }) => {
      const { path, method } = operation
      const shown = encodeURIComponent(String(value))
      if (param === 'domain') return send(operation, { path: path.replace(knownDomain, shown) })
      if (param === 'id') return send(operation, { path: path.replace(knownList, shown).replace(knownExport, shown) })
      if (method === 'GET') return send(operation, { path: `${path}?${param}=${shown}` })
      return send(operation, { body: withValue(bodyWith(param, operation, id), param, value) })
    }
  /** The body of a case, made fit for a parameter that it does not have. */
  const bodyWith = (param: string, { body }: OperationCase, id: string): object | undefined => {
    if (param.startsWith('from.filters')) return { from: { filters: {} }, max: 1 }
    if (param.startsWith('from.')) return { from: { filters: {}, exclude: {} }, max: 1 }
    if (id === 'createQuote' && !['for', 'contact_ids[0]', 'contact_is'].includes(param))
      return { for: 'export', ...bodyWith(param, { body: { kind: 'stores', filters: {}, max_rows: 1 } } as never, '') }
    if (param.startsWith('store.') && body && 'kind' in body) return { kind: 'previews', max_rows: 1 }
    if (param === 'list' && body) return { kind: 'stores', max_rows: 1 }
    if (['store_ids[0]', 'contact_ids[0]'].includes(param) && body && 'domains' in body) return {}
    return body
  }
  const inItsList: Provoke = (documented) => {
    const { operation, param } = documented
    if (param !== 'contact_ids[0]' || !operation.path.includes('/items')) return wrong('x')(documented)
    const path = operation.path.replace(knownList, lists.contacts)
    return send({ ...operation, path }, { body: { contact_ids: ['x'] } })
  }
  const withKey =
    (secret: string | null): Provoke =>
    ({ operation }) =>
      send(operation, { key: secret })
  const quoteOf = (body: object, contactIds: number[]) =>
    app.deps.quotes.seal({
      accountId: app.accountNumber(key.account),
      mode: 'live',
      bodyHash: hashQuotedBody(body),
      credits: 0,
      storeExports: 0,
      expiresAtMs: app.clock.now().getTime() + 60_000,
      contactIds,
    })
  const withSubscriptions = async (name: string, offers: readonly string[]) =>
    keyFor(name, async () => {
      const own = await app.key({ scopes })
      const customerId = `cus_${own.account}`
      await db.query('update accounts set customer_id = $2 where id = $1', [app.accountNumber(own.account), customerId])
      provider.subscriptions.set(
        customerId,
        offers.map((id) => subscribed({ customerId, id })),
      )
      return own
    })

  return {
    missing_api_key: withKey(null),
    invalid_api_key: withKey('sdx_live_nothing'),
    revoked_api_key: withKey(revoked.secret),
    suspended_api_key: withKey(suspended.secret),
    expired_api_key: withKey(expired.secret),
    api_access_required: withKey(lapsed.secret),
    insufficient_scope: async ({ id, operation, param }) => {
      const scope = param as Scope
      return send(operation, { ...requestNeeding(id, [scope], world), key: (await without(scope)).secret })
    },
    rate_limit_exceeded: async ({ id, operation, param = '' }) => {
      if (param === 'exports') {
        const { secret } = await keyFor('exports', () => app.key({ scopes }))
        for (let waiting = 0; waiting < 20; waiting++) await send(operation, { key: secret })
        return send(operation, { key: secret })
      }
      const { secret } = await fullKey(param)
      if (id !== 'addListItems' || !param.endsWith('search_rows')) return send(operation, { key: secret })
      const list = await keyFor(`list of ${param}`, () => fullKey(param)).then((own) =>
        own.post('/lists', { name: 'Mine', kind: 'stores' }),
      )
      const path = operation.path.replace(knownList, list.body.id)
      return send(operation, { path, key: secret, body: { from: { filters: {} }, max: 10 } })
    },
    insufficient_contact_credits: async ({ operation, param = '' }) => {
      if (param !== 'contact_ids') return send(operation, { key: (await fullKey(param)).secret })
      const trial = { status: 'trialing', trialEnds: '2026-11-30T09:00:00.000Z' } as const
      const own = await app.key({ scopes, ...trial, limits: { trial_contact_credits: 0 } })
      return send(operation, { key: own.secret })
    },
    invalid_json: ({ operation }) => send(operation, { text: '{' }),
    payload_too_large: ({ operation }) => send(operation, { text: `"${'x'.repeat(262_144)}"` }),
    unsupported_media_type: ({ operation }) =>
      send(operation, { text: 'plan=pro', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    invalid_request: (documented) => {
      const { operation, param } = documented
      if (param === undefined) return send(operation, { body: [] })
      if (param === 'range') return send(operation, { headers: { range: 'x'.repeat(1_001) } })
      return wrong(true)(documented)
    },
    unknown_parameter: (documented) => {
      const { operation, param, message } = documented
      if (message.includes('query')) return send(operation, { path: `${operation.path}?${param}=1` })
      return wrong(true)(documented)
    },
    missing_parameter: ({ operation, param = '', id }) => {
      if (id === 'updateList' || param === 'domains') return send(operation, { body: {} })
      const { [param]: _missing, ...rest } = operation.body as Record<string, unknown>
      return send(operation, { body: rest })
    },
    invalid_filter_value: wrong('klavyo'),
    conflicting_filters: (documented) => {
      const { param = '', operation, id } = documented
      const filter = param.replace('.none[0]', '')
      const conflict = { all: ['klaviyo'], none: ['klaviyo'] }
      return send(operation, { body: withValue(bodyWith(param, operation, id), filter, conflict) })
    },
    invalid_limit: wrong(0),
    invalid_cursor: wrong('x'),
    invalid_domain: wrong('not a domain'),
    reveal_not_supported: wrong(true),
    invalid_contact_id: inItsList,
    invalid_store_id: wrong('x'),
    invalid_list_id: wrong('x'),
    invalid_export_id: wrong('x'),
    invalid_column: wrong('contry'),
    invalid_plan: wrong('gold'),
    invalid_billing: wrong('weekly'),
    invalid_quote: ({ operation, id }) =>
      send(operation, {
        body: id === 'createQuote' ? { for: 'quoted_reveal', quote: 'none' } : { ...operation.body, quote: 'none' },
      }),
    invalid_idempotency_key: ({ operation }) => send(operation, { headers: { 'idempotency-key': 'x'.repeat(256) } }),
    search_too_broad: async ({ operation }) => {
      const { max_rows_walked_unfiltered: usual } = world.searchBounds
      world.searchBounds.max_rows_walked_unfiltered = 0
      const reply = await send(operation)
      world.searchBounds.max_rows_walked_unfiltered = usual
      return reply
    },
    store_not_found: wrong('unknown.example'),
    no_revealable_contacts: ({ operation }) => send(operation, { body: { contact_ids: [unknownIds.contact] } }),
    list_not_found: wrong(unknownIds.id),
    export_not_found: wrong('exp_live_AAAAAAAAAAAAAAAA'),
    list_name_taken: async ({ operation, id }) => {
      const path = operation.path.replace(knownList, lists.contacts)
      return send(operation, { path, body: { name: lists.name, ...(id === 'createList' && { kind: 'stores' }) } })
    },
    list_limit_reached: async ({ operation, id }) => {
      const own = await app.key({ scopes })
      const number = app.accountNumber(own.account)
      const { body } = await own.post('/lists', { name: 'Mine', kind: 'stores' })
      await db.query('update list_counts set lists = 200 where account_id = $1', [number])
      await db.query('update lists set items = 100000 where account_id = $1', [number])
      const path = operation.path.replace(knownList, body.id)
      return send(operation, {
        path,
        key: own.secret,
        ...(id === 'createList' && { body: { name: 'A', kind: 'stores' } }),
      })
    },
    idempotency_conflict: async ({ operation, id }) => {
      const headers = { 'idempotency-key': `conflict of ${id}` }
      await send(operation, { headers })
      const other = id === 'createExport' ? { max_rows: 2 } : { contact_ids: [unknownIds.contact] }
      return send(operation, { headers, body: { ...operation.body, ...other } })
    },
    idempotency_in_progress: async ({ operation, id }) => {
      const name = `claim of ${id}`
      const client = await db.connect()
      try {
        await client.query('begin')
        await client.query(
          `insert into idempotency (account_id, mode, operation, key_hash, request_hash, claimed_at)
           values ($1, 'live', $2, $3, '', $4)`,
          [app.accountNumber(key.account), id, createHash('sha256').update(name).digest(), app.clock.now()],
        )
        return await send(operation, { headers: { 'idempotency-key': name } })
      } finally {
        await client.query('rollback')
        client.release()
      }
    },
    quote_exceeded: async ({ operation, id }) => {
      if (id === 'createQuote') {
        const own = app.deps.ids.open((await key.post('/contacts/search', {})).body.data[0].id)!.value
        const fresh = await app.key({ scopes })
        const quote = app.deps.quotes.seal({
          accountId: app.accountNumber(fresh.account),
          mode: 'live',
          bodyHash: hashQuotedBody({}),
          credits: 0,
          storeExports: 0,
          expiresAtMs: app.clock.now().getTime() + 60_000,
          contactIds: [own],
        })
        return send(operation, { key: fresh.secret, body: { for: 'quoted_reveal', quote } })
      }
      const body = { kind: 'stores', filters: {}, max_rows: 2, gzip: false, max_contacts_per_store: null }
      await db.query('delete from store_exports where account_id = $1', [app.accountNumber(key.account)])
      return send(operation, { body: { ...body, quote: quoteOf(body, []) } })
    },
    export_not_ready: ({ operation }) =>
      send(operation, { path: operation.path.replace(knownExport, exports.waiting) }),
    export_file_gone: ({ operation }) => send(operation, { path: operation.path.replace(knownExport, exports.gone) }),
    invalid_range: ({ operation }) => send(operation, { headers: { range: 'bytes=9999999-' } }),
    billing_account_not_found: async ({ operation }) => send(operation, { key: (await app.key({ scopes })).secret }),
    unsupported_plan_change: async ({ operation }) => {
      const { secret } = await withSubscriptions('one', ['sub_1'])
      return send(operation, { key: secret, body: { plan: 'pro' } })
    },
    billing_support_required: async ({ operation }) => {
      const { secret } = await withSubscriptions('several', ['sub_1', 'sub_2'])
      return send(operation, { key: secret })
    },
    billing_provider_unavailable: async ({ operation }) => {
      const { secret } = await withSubscriptions('none', [])
      provider.before = () => {
        throw new Refusal(
          'billing_provider_unavailable',
          'The payment provider does not answer; try again in a moment.',
        )
      }
      const reply = await send(operation, { key: secret })
      provider.before = () => {}
      return reply
    },
  }
}
