import { expect } from 'vitest'
import type { TestKey } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import type { TestMember } from '../../../support/members.ts'

/** Everybody who calls the installation. */
export interface Callers {
  /** Keys of an account that has paid for long: one for all, one with budgets, and one of the other mode. */
  main: TestKey
  budget: TestKey
  sandbox: TestKey
  /** Another one that was replaced, and its successor, which share their counters. */
  replaced: TestKey
  successor: TestKey
  revoked: TestKey
  suspended: TestKey
  /** Of an account on trial, in both modes. */
  trial: TestKey
  trialSandbox: TestKey
  /** Of an account whose minute is full. */
  hasty: TestKey
  /** An owner of the first account, at the console. */
  owner: TestMember
}

/** A request of one of them. */
export interface PlannedCall {
  by: keyof Callers
  method: 'GET' | 'POST'
  /** Below the API, or below the account at the console. */
  path: string
  body?: object
  idempotencyKey?: string
}

/** A request that needs no callers: it can be repeated when they are gone. */
export interface Call {
  method: 'GET' | 'POST'
  /** From the root of the service. */
  path: string
  body?: object
  headers: Record<string, string>
  /** Public id of the account that pays. */
  account: string
}

/** What a client sees of a reply. */
export interface CallReply {
  status: number
  /** Only those about charges, limits and replays. */
  headers: Record<string, string>
  /** The exact bytes. */
  text: string
}

export const get = (by: keyof Callers, path: string): PlannedCall => ({ by, method: 'GET', path })

export const post = (by: keyof Callers, path: string, body: object, idempotencyKey?: string): PlannedCall => ({
  ...{ by, method: 'POST', path, body },
  ...(idempotencyKey !== undefined && { idempotencyKey }),
})

export const reveal = (by: keyof Callers, contactIds: string[], idempotencyKey?: string): PlannedCall =>
  post(by, '/contacts/reveal', { contact_ids: contactIds }, idempotencyKey)

export function callOf(callers: Callers, { by, method, path, body, idempotencyKey }: PlannedCall): Call {
  const { account } = callers[by]
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(by === 'owner' ? { cookie: callers.owner.cookie } : { authorization: `Bearer ${callers[by].secret}` }),
  }
  const root = by === 'owner' ? `/console/api/accounts/${account}` : '/api/v1'
  return { method, path: `${root}${path}`, ...(body && { body }), headers, account }
}

const keptHeaders = [
  'idempotent-replayed',
  'retry-after',
  'x-contact-credits-remaining',
  'x-ratelimit-remaining',
  'x-search-rows-remaining',
  'x-store-exports-remaining',
]

export async function send(url: string, { method, path, body, headers }: Call): Promise<CallReply> {
  const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const kept = keptHeaders.flatMap((name) => (reply.headers.has(name) ? [[name, reply.headers.get(name)!]] : []))
  return { status: reply.status, headers: Object.fromEntries(kept), text: await reply.text() }
}

/** Drawn at random for each reply. */
const randomProperties = new Set(['request_id', 'next_cursor'])

/** Expects the reply of before; it may have gained properties. */
export function expectSameReply(reply: CallReply, before: CallReply): void {
  const shown = ({ status, headers, text }: CallReply) => ({ status, headers, content: withoutRandom(text) })
  expect(shown(reply)).toMatchObject(shown(before))
}

function withoutRandom(text: string): Json {
  if (!/^\{.*\}$/.test(text)) return text
  return JSON.parse(text, (name, value) => (randomProperties.has(name) && value !== null ? 'random' : value))
}
