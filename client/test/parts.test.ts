import { describe, expect, test } from 'vitest'
import { CostLimitError, InsufficientCreditsError, NotFoundError, StoredexError } from '../src/index.ts'
import { type Answer, apiError, serve } from './support/server.ts'

const ids = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `ct_live_${first + index}`)

/** Reveals everybody for a credit each. */
const reveals: Answer = (response, { body }) => {
  const data = body.contact_ids.map((id: string) => ({ id, emails: [{ email: `${id}@shop.example` }] }))
  response.writeHead(200, { 'content-type': 'application/json', 'x-contact-credits-remaining': '7' })
  const credits = { spent: data.length, remaining: 7 }
  response.end(JSON.stringify({ object: 'contact_reveal_result', credits, data, request_id: 'req_1' }))
}
const quoteOf = (credits: number, credits_remaining = 5_000): Answer => ({ body: { credits, credits_remaining } })
const nobody = apiError(404, 'no_revealable_contacts')

describe('reveal', () => {
  test('takes any number of ids, in parts of ten, and merges the replies', async () => {
    const server = await serve(reveals)
    const { data, remaining } = await server
      .client()
      .contacts.reveal({ contact_ids: ids(23) })
      .withResponse()
    expect(data).toMatchObject({ object: 'contact_reveal_result', credits: { spent: 23, remaining: 7 } })
    expect(data.data.map(({ id }) => id)).toEqual(ids(23))
    expect(server.received.map(({ body }) => body.contact_ids.length)).toEqual([10, 10, 3])
    expect(remaining.contact_credits).toBe(7)
  })

  test('sends a repeated id once', async () => {
    const server = await serve(reveals)
    await server.client().contacts.reveal({ contact_ids: [...ids(8), ...ids(10)] })
    expect(server.received.map(({ body }) => body.contact_ids)).toEqual([ids(10)])
  })

  test('derives the keys of its parts from its own, the same each time', async () => {
    const server = await serve(reveals)
    const { contacts } = server.client()
    for (const idempotencyKey of ['mine', 'mine', 'k'.repeat(255)])
      await contacts.reveal({ contact_ids: ids(21) }, { idempotencyKey })
    const keys = server.received.map(({ headers }) => String(headers['idempotency-key']))
    expect(keys.slice(0, 3)).toEqual(['mine', 'mine/2', 'mine/3'])
    expect(keys.slice(3, 6)).toEqual(keys.slice(0, 3))
    expect(new Set(keys.slice(6)).size).toBe(3)
    expect(keys.every((key) => key.length <= 255)).toBe(true)
  })

  test('tells what was done when a part fails', async () => {
    const server = await serve(reveals, reveals, apiError(402, 'insufficient_contact_credits'))
    const call = server.client().contacts.reveal({ contact_ids: ids(25) }, { idempotencyKey: 'mine' })
    const error = await call.catch((caught) => caught)
    expect(error).toBeInstanceOf(InsufficientCreditsError)
    expect(error.progress).toEqual({ done: 20, of: 25 })
    expect(error.idempotencyKey).toBe('mine')
    expect(error.partial).toMatchObject({ credits: { spent: 20 } })
    expect(error.partial.data.map(({ id }: { id: string }) => id)).toEqual(ids(20))
  })

  test('leaves out a part of which nobody can be revealed', async () => {
    const server = await serve(reveals, nobody, reveals)
    const { data } = await server.client().contacts.reveal({ contact_ids: ids(25) })
    expect(data.map(({ id }) => id)).toEqual([...ids(10), ...ids(5, 20)])
  })

  test('is a NotFoundError if nobody at all can be revealed', async () => {
    const { contacts } = (await serve(nobody)).client()
    await expect(contacts.reveal({ contact_ids: ids(25) })).rejects.toThrow(NotFoundError)
    await expect(contacts.reveal({ contact_ids: ids(1) })).rejects.toThrow(NotFoundError)
  })

  test('names the place of a wrong id in the list of the caller', async () => {
    const wrong = apiError(400, 'invalid_contact_id', { param: 'contact_ids[2]' })
    const { contacts } = (await serve(reveals, wrong)).client()
    const contact_ids = [...ids(3), ...ids(12), 'wrong']
    await expect(contacts.reveal({ contact_ids })).rejects.toMatchObject({ param: 'contact_ids[15]' })
  })

  test('without ids is refused by the API', async () => {
    const server = await serve(apiError(400, 'invalid_request'))
    await expect(server.client().contacts.reveal({ contact_ids: [] })).rejects.toMatchObject({ status: 400 })
    expect(server.received).toHaveLength(1)
  })

  test.each(['', 'ü', 'a\nb', 'k'.repeat(256)])('refuses the Idempotency-Key %j', async (idempotencyKey) => {
    const server = await serve(reveals)
    const call = server.client().contacts.reveal({ contact_ids: ids(1) }, { idempotencyKey })
    await expect(call).rejects.toMatchObject({ param: 'idempotencyKey' })
    expect(server.received).toHaveLength(0)
  })
})

describe('maxCredits', () => {
  test('asks for quotes of at most 1,000 ids, then reveals', async () => {
    const server = await serve(quoteOf(6), quoteOf(4), reveals)
    await server.client().contacts.reveal({ contact_ids: ids(1_001) }, { maxCredits: 10 })
    const quotes = server.received.filter(({ path }) => path === '/api/v1/quotes')
    expect(quotes.map(({ body }) => [body.for, body.contact_ids.length])).toEqual([
      ['reveal', 1_000],
      ['reveal', 1],
    ])
    expect(server.received).toHaveLength(2 + 101)
  })

  test.each([
    ['more than allowed', 5, 5_000],
    ['more than is left', 100, 5],
  ])('refuses a reveal that costs %s, before anything is spent', async (_, maxCredits, left) => {
    const server = await serve(quoteOf(6, left))
    const error = await server
      .client()
      .contacts.reveal({ contact_ids: ids(12) }, { maxCredits })
      .catch((caught) => caught)
    expect(error).toBeInstanceOf(CostLimitError)
    expect(error).toMatchObject({ credits: 6, maxCredits, creditsRemaining: left, code: 'cost_limit' })
    expect(server.received.map(({ path }) => path)).toEqual(['/api/v1/quotes'])
  })
})

describe('enrich', () => {
  const enrich: Answer = (response, { body }) => {
    const data = [...new Set<string>(body.domains.map((domain: string) => domain.toLowerCase()))].map((domain) => {
      const status = domain.startsWith('no') ? 'not_found' : 'found'
      return { domain, status, store: null }
    })
    const found = data.filter(({ status }) => status === 'found').length
    response.writeHead(200, { 'content-type': 'application/json' })
    const counts = { found, not_found: data.length - found }
    response.end(JSON.stringify({ object: 'store_enrichment_result', data, ...counts, request_id: 'req_1' }))
  }

  test('takes any number of domains, in parts of 25, and has a host once', async () => {
    const server = await serve(enrich)
    const domains = Array.from({ length: 60 }, (_, index) => `${index % 3 ? 'yes' : 'no'}${index}.example`)
    const reply = await server.client().stores.enrich({ domains: [...domains, 'NO0.example'], include: ['store'] })
    expect(reply.data.map(({ domain }) => domain)).toEqual(domains)
    expect(reply).toMatchObject({ object: 'store_enrichment_result', found: 40, not_found: 20 })
    expect(server.received.map(({ body }) => [body.domains.length, body.include])).toEqual([
      [25, ['store']],
      [25, ['store']],
      [11, ['store']],
    ])
    expect(server.received[0]!.headers).not.toHaveProperty('idempotency-key')
  })

  test('tells what was done, also when it is aborted', async () => {
    const controller = new AbortController()
    const server = await serve(enrich, () => controller.abort())
    const domains = Array.from({ length: 30 }, (_, index) => `yes${index}.example`)
    const call = server.client().stores.enrich({ domains }, { signal: controller.signal })
    const error = await call.catch((caught) => caught)
    expect(error).toBeInstanceOf(StoredexError)
    expect(error).toMatchObject({ name: 'AbortError', progress: { done: 25, of: 30 }, idempotencyKey: undefined })
    expect(error.partial.data).toHaveLength(25)
  })
})
