import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { type ApiReply, sendRequest } from './requests.ts'

/** What a caller wants revealed, and under which Idempotency-Key. */
export interface RevealRequest {
  ids: string[]
  idempotencyKey: string | null
}

/** A 200 of a reveal, as far as the tests look at it. */
export interface RevealReply {
  credits: { spent: number; remaining: number }
  data: { id: string; charged: boolean; reveal_status: string; revealed_at: string; store: { id: string } }[]
}

/** Asks once; null where the connection was lost. */
export function tryReveal(api: string, key: string, { ids, idempotencyKey }: RevealRequest): Promise<ApiReply | null> {
  const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }
  return sendRequest(api, key, '/contacts/reveal', { contact_ids: ids }, headers)
}

/** Asks until there is an answer, as the service advises: once more while the first request is still at work. */
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
