import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { type ApiReply, sendRequest } from './requests.ts'

/** The ids of a reveal request, and its Idempotency-Key. */
export interface RevealRequest {
  ids: string[]
  idempotencyKey: string | null
}

/** The part of a reveal's reply that the tests read. */
export interface RevealReply {
  credits: { spent: number; remaining: number }
  data: { id: string; charged: boolean; reveal_status: string; revealed_at: string; store: { id: string } }[]
}

/** Sends the request once; null when the connection was lost. */
export function tryReveal(api: string, key: string, { ids, idempotencyKey }: RevealRequest): Promise<ApiReply | null> {
  const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }
  return sendRequest(api, key, '/contacts/reveal', { contact_ids: ids }, headers)
}

/**
 * Sends the request until there is a reply; retries while the first request is still running, as the service advises.
 */
export async function revealWithRetries(api: string, key: string, wish: RevealRequest): Promise<ApiReply> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const answer = await tryReveal(api, key, wish)
    if (answer?.body.error?.code !== 'idempotency_in_progress') {
      if (answer === null) throw new Error('The connection was lost.')
      return answer
    }
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, '1'])
    await delay(1_000)
  }
  throw new Error('The first request never came to its end.')
}

export const isReplay = ({ headers }: ApiReply) => headers.get('idempotent-replayed') === 'true'
