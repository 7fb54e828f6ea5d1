import type { FastifyReply } from 'fastify'
import { sendJson } from '../http/send-json.ts'
import type { PaidReply } from './context.ts'

/** Sends a body that is serialised already, with what is left of each meter the route declares to spend. */
export function sendPaid(reply: FastifyReply, { body, balance }: PaidReply): FastifyReply {
  const { spends } = reply.routeOptions.config.access ?? {}
  if (spends?.includes('search_rows')) reply.header('x-search-rows-remaining', balance.searchRowsRemaining)
  if (spends?.includes('store_exports')) reply.header('x-store-exports-remaining', balance.storeExportsRemaining)
  return sendJson(reply, body)
}
