import type { FastifyReply } from 'fastify'
import type { PaidReply } from './context.ts'

/** Sends a body that is serialised already, with what is left of each meter the route declares to spend. */
export function sendPaid(reply: FastifyReply, { body, balance }: PaidReply): FastifyReply {
  const { spends } = reply.routeOptions.config.access ?? {}
  if (spends?.includes('search_rows')) reply.header('x-search-rows-remaining', balance.searchRowsRemaining)
  if (spends?.includes('store_exports')) reply.header('x-store-exports-remaining', balance.storeExportsRemaining)
  return reply.type('application/json; charset=utf-8').send(body)
}
