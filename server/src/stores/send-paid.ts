import type { FastifyReply } from 'fastify'
import type { Meter } from '../accounts/plans.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import type { ReplyHeader } from '../http/openapi-headers.ts'
import { sendJson } from '../http/send-json.ts'

/** The header that says what is left of a meter. */
export const headersOfMeters: Record<Meter, ReplyHeader> = {
  contact_credits: 'X-Contact-Credits-Remaining',
  search_rows: 'X-Search-Rows-Remaining',
  store_exports: 'X-Store-Exports-Remaining',
}

/** Sends a body that is serialised already, with what is left of each meter the route declares to spend. */
export function sendPaid(reply: FastifyReply, { body, balance }: PaidReply): FastifyReply {
  for (const meter of reply.routeOptions.config.access?.spends ?? []) {
    const left = balance[meter]
    if (left !== undefined) reply.header(headersOfMeters[meter], left)
  }
  return sendJson(reply, body)
}
