import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ClosedObject, Nullable, OneOf } from '../../../src/foundation/kernel/shapes.ts'
import { ContactPersonFilters, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import { expectEnvelope, postJson, startTestServer } from './support/test-server.ts'

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, errorCode: 'invalid_limit' })),
  cursor: Type.Optional(
    Type.Union([Type.String({ pattern: '^cur_[A-Za-z0-9_-]+$', maxLength: 50 }), Type.Null()], {
      errorCode: 'invalid_cursor',
      default: null,
    }),
  ),
}
const server = await startTestServer((api) => {
  api.post(
    '/search',
    { schema: { body: ClosedObject({ filters: StoreSearchFilters, ...page }) } },
    (request) => request.body,
  )
  api.post(
    '/people',
    { schema: { body: ClosedObject({ person: Type.Optional(ContactPersonFilters) }) } },
    (request) => request.body,
  )
  api.post(
    '/enrich',
    {
      schema: {
        body: ClosedObject({
          domains: Type.Array(Type.String({ maxLength: 100 }), {
            minItems: 1,
            maxItems: 25,
            errorCode: 'invalid_domain',
          }),
          include: Type.Optional(
            Type.Array(Type.Union([Type.Literal('store'), Type.Literal('technologies')]), {
              maxItems: 3,
              default: ['store', 'technologies'],
            }),
          ),
          max_contacts_per_store: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
          reveal_contacts: Type.Optional(
            Type.Literal(false, {
              default: false,
              errorCode: 'reveal_not_supported',
              errorMessage: 'Contacts are revealed elsewhere.',
            }),
          ),
          note: Type.Optional(Nullable(Type.String({ minLength: 2, maxLength: 5 }))),
        }),
      },
    },
    (request) => request.body,
  )
  api.post(
    '/nested',
    {
      schema: {
        headers: Type.Object({
          'X-Plan': Type.Optional(Type.String({ maxLength: 5, errorCode: 'invalid_plan', errorParam: 'X-Plan' })),
        }),
        body: ClosedObject(
          {
            plan: Type.Optional(Type.String({ maxLength: 5 })),
            terms: Type.Optional(ClosedObject({ billing: OneOf(['monthly']) }, { errorCode: 'invalid_billing' })),
          },
          { errorCode: 'invalid_plan' },
        ),
      },
    },
    (request) => request.body,
  )
})

async function refusal(path: string, body: unknown, code: string) {
  const { param, message } = expectEnvelope(await postJson(`${server.url}/api/v1/${path}`, body), 400, code)
  return { param, message }
}

describe('a body that is not an object', () => {
  test.each([
    ['an array', []],
    ['null', null],
    ['a string', '"x"'],
    ['a number', 1],
  ])('(%s) is an invalid_request', async (_what, body) => {
    expect(await refusal('search', body, 'invalid_request')).toEqual({ message: 'The body must be an object.' })
  })

  test('because it is missing is an invalid_request', async () => {
    expect(await refusal('search', '', 'invalid_request')).toEqual({ message: 'The body must be an object.' })
  })
})

test.each([
  ['search', { filters: {}, Limit: 1 }, 'Limit'],
  ['search', { filters: { contry: ['DE'] } }, 'filters.contry'],
  ['search', { filters: { apps: { some: [] } } }, 'filters.apps.some'],
  ['search', { filters: { contacts: { roles: [] } } }, 'filters.contacts.roles'],
  ['search', '{"filters":{},"__proto__":{}}', '__proto__'],
  ['search', '{"filters":{"constructor":{}}}', 'filters.constructor'],
  ['search', '{"filters":{"apps":{"__proto__":{"any":["klaviyo"]}}}}', 'filters.apps.__proto__'],
  ['search', { filters: {}, 'two words': 1 }, '["two words"]'],
  ['search', { filters: { 'a"b\nc\u0000\u202e': 1 } }, 'filters["a\\"b c "]'],
  ['search', { filters: {}, [`key_${'x'.repeat(500)}`]: 1 }, `["key_${'x'.repeat(55)}…"]`],
  ['search', { filters: {}, '': 1 }, '[""]'],
])('%s %j has an unknown_parameter %s', async (path, body, param) => {
  expect(await refusal(path, body, 'unknown_parameter')).toEqual({
    param,
    message: `${param} is not a parameter of this request.`,
  })
})

test('a missing required property is a missing_parameter', async () => {
  expect(await refusal('search', {}, 'missing_parameter')).toEqual({
    param: 'filters',
    message: 'filters is required.',
  })
})

test.each([0, 101, -1, 1.5, 1e300])('a limit of %d is an invalid_limit', async (limit) => {
  expect(await refusal('search', { filters: {}, limit }, 'invalid_limit')).toEqual({
    param: 'limit',
    message: 'limit must be a whole number from 1 to 100.',
  })
})

test.each(['cur_', 'nonsense', 'cur_a b', `cur_${'x'.repeat(60)}`])(
  'the cursor %s is an invalid_cursor',
  async (cursor) => {
    expect((await refusal('search', { filters: {}, cursor }, 'invalid_cursor')).param).toBe('cursor')
  },
)

test.each([
  [
    'search',
    { filters: { meta_ads: { active_ads_min: -1 } } },
    'filters.meta_ads.active_ads_min',
    'a whole number from 0 to 100,000',
  ],
  [
    'search',
    { filters: { meta_ads: { active_ads_min: 0.5 } } },
    'filters.meta_ads.active_ads_min',
    'a whole number from 0 to 100,000',
  ],
  [
    'search',
    { filters: { store_created_at: {} } },
    'filters.store_created_at',
    'an object with at least 1 of from, to',
  ],
  [
    'search',
    { filters: { apps: { any: ['a', 'x'.repeat(101)] } } },
    'filters.apps.any[1]',
    'a string of at most 100 characters',
  ],
  ['people', { person: { roles_any: ['x'.repeat(101)] } }, 'person.roles_any[0]', 'a string of at most 100 characters'],
])('%s %j is an invalid_filter_value', async (path, body, param, expected) => {
  expect(await refusal(path, body, 'invalid_filter_value')).toEqual({ param, message: `${param} must be ${expected}.` })
})

test('the code of a shape holds for what is below it and names none', async () => {
  expect((await refusal('nested', { plan: 'annual' }, 'invalid_plan')).param).toBe('plan')
  expect((await refusal('nested', { terms: { billing: 'daily' } }, 'invalid_billing')).param).toBe('terms.billing')
  expect((await refusal('nested', { plan: 5 }, 'invalid_request')).param).toBe('plan')
})

test('a shape can name the parameter itself, such as a header in its usual spelling', async () => {
  const reply = await postJson(`${server.url}/api/v1/nested`, {}, { 'x-plan': 'annual' })
  expect(expectEnvelope(reply, 400, 'invalid_plan').param).toBe('X-Plan')
})

test('reveal_contacts: true is reveal_not_supported', async () => {
  expect(await refusal('enrich', { domains: ['a'], reveal_contacts: true }, 'reveal_not_supported')).toEqual({
    param: 'reveal_contacts',
    message: 'Contacts are revealed elsewhere.',
  })
})

test('a domain beyond the maximum length is an invalid_domain', async () => {
  const { param } = await refusal('enrich', { domains: ['a', 'x'.repeat(101)] }, 'invalid_domain')
  expect(param).toBe('domains[1]')
})

test.each([
  ['search', { filters: [] }, 'filters', 'an object'],
  ['search', { filters: null }, 'filters', 'an object'],
  ['search', { filters: {}, limit: '25' }, 'limit', 'a whole number from 1 to 100'],
  ['search', { filters: {}, limit: null }, 'limit', 'a whole number from 1 to 100'],
  ['search', { filters: { platform_plus: 'true' } }, 'filters.platform_plus', 'true or false'],
  ['search', { filters: { platform_plus: 1 } }, 'filters.platform_plus', 'true or false'],
  ['search', { filters: { countries: 'DE' } }, 'filters.countries', 'a list of at most 50 items'],
  ['search', { filters: { countries: [['DE']] } }, 'filters.countries[0]', 'a string of at most 100 characters'],
  ['search', { filters: { countries: Array(51).fill('DE') } }, 'filters.countries', 'a list of at most 50 items'],
  ['enrich', { domains: [] }, 'domains', 'a list of 1 to 25 items'],
  ['enrich', { domains: Array(26).fill('a') }, 'domains', 'a list of 1 to 25 items'],
  ['enrich', { domains: ['a'], max_contacts_per_store: 11 }, 'max_contacts_per_store', 'a whole number from 1 to 10'],
  ['enrich', { domains: ['a'], include: ['store', 'all'] }, 'include[1]', 'one of store, technologies'],
  ['enrich', { domains: ['a'], reveal_contacts: 'true' }, 'reveal_contacts', 'false'],
  ['enrich', { domains: ['a'], note: 'x' }, 'note', 'a string of 2 to 5 characters or null'],
  ['enrich', { domains: ['a'], note: 7 }, 'note', 'a string of 2 to 5 characters or null'],
])('%s %j is an invalid_request', async (path, body, param, expected) => {
  const { message, ...rest } = await refusal(path, body, 'invalid_request')
  expect({ message, ...rest }).toEqual({ param, message: `${param} must be ${expected}.` })
})

test('a cursor of another type is an invalid_request', async () => {
  expect((await refusal('search', { filters: {}, cursor: 5 }, 'invalid_request')).param).toBe('cursor')
})

test('defaults are filled in, and nothing else changes', async () => {
  const body = { filters: { countries: ['de'], store_created_at: { from: 'whenever' } } }
  const reply = await postJson(`${server.url}/api/v1/search`, body)
  expect(JSON.parse(reply.body)).toEqual({ ...body, limit: 25, cursor: null })
  const enriched = await postJson(`${server.url}/api/v1/enrich`, { domains: ['a'] })
  expect(JSON.parse(enriched.body)).toEqual({
    domains: ['a'],
    include: ['store', 'technologies'],
    max_contacts_per_store: 1,
    reveal_contacts: false,
  })
})
