import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { InsufficientCreditsError } from '../src/index.ts'
import { type Answer, apiError, serve } from './support/server.ts'

const secrets = ['mara@shop.example', '+4930123456', 'https://people.example/mara']

/** Reveals everybody with channels. */
const reveals: Answer = (response, { body }) => {
  const data = body.contact_ids.map((id: string) => ({
    id,
    object: 'contact',
    full_name: 'Mara Lindqvist',
    profile_url: secrets[2],
    emails: [{ email: secrets[0], status: 'verified', type: 'work', is_primary: true }],
    phones: [{ phone: secrets[1], type: 'office', is_primary: true }],
  }))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'contact_reveal_result', credits: { spent: 1, remaining: 7 }, data }))
}
const ids = (count: number) => Array.from({ length: count }, (_, index) => `ct_live_${index}`)

function expectUnprinted(value: unknown): void {
  const printed = [
    inspect(value),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, compact: false }),
    ...['%o', '%O', '%s', 'found', '%o %s'].map((text) => format(text, value, value)),
  ]
  for (const text of printed) for (const secret of secrets) expect(text).not.toContain(secret)
}

test('a revealed contact is printed without its channels, alone, in its reply and beside headers', async () => {
  const server = await serve(reveals)
  const reply = await server
    .client()
    .contacts.reveal({ contact_ids: ids(12) })
    .withResponse()
  const [contact] = reply.data.data
  for (const value of [contact, [contact], { people: new Map([['a', contact]]) }, reply.data]) expectUnprinted(value)
  expectUnprinted(reply.data.data)
  expect(inspect(contact)).toContain('Mara Lindqvist')
})

test('its properties and its JSON have them, and nothing else is found on it', async () => {
  const server = await serve(reveals)
  const { data } = await server.client().contacts.reveal({ contact_ids: ids(1) })
  const [contact] = data
  expect(contact!.emails[0]!.email).toBe(secrets[0])
  for (const secret of secrets) expect(JSON.stringify(data)).toContain(secret)
  expect(Object.keys(contact!)).toEqual(['id', 'object', 'full_name', 'profile_url', 'emails', 'phones'])
  expect(Object.keys({ ...contact })).toHaveLength(6)
})

test('an error after some reveals does not print theirs either', async () => {
  const server = await serve(reveals, apiError(402, 'insufficient_contact_credits'))
  const error = await server
    .client()
    .contacts.reveal({ contact_ids: ids(15) })
    .catch((caught) => caught)
  expect(error).toBeInstanceOf(InsufficientCreditsError)
  expect(error.partial.data[0].emails[0].email).toBe(secrets[0])
  expectUnprinted(error)
})
