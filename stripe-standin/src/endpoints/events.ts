import { endpoint } from '../http/endpoint.ts'
import { noSuch } from '../http/errors.ts'
import { listPage, listParams } from '../http/lists.ts'
import { flag, isWithin, list, moments, text } from '../http/params.ts'
import { presentEvent } from '../present/events.ts'

/** Whether an event has a wanted type; `customer.*` stands for all that begin so. */
function isOf(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

export const eventEndpoints = [
  endpoint({
    method: 'GET',
    path: '/v1/events',
    params: { ...listParams, created: moments, delivery_success: flag, type: text, types: list(text, { max: 20 }) },
    run(desk, { created, delivery_success: delivered, type, types, ...page }) {
      const pending = new Set(desk.book.all('deliveries').map(({ event }) => event))
      const events = desk.book
        .all('events')
        .filter((event) => type === undefined || isOf(event.type, type))
        .filter((event) => types === undefined || types.some((wanted) => isOf(event.type, wanted)))
        .filter((event) => delivered === undefined || !pending.has(event.id) === delivered)
        .filter((event) => isWithin(event.created, created))
      return listPage('/v1/events', 'event', events, page, (event) => presentEvent(desk, event))
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/events/:id',
    params: {},
    run(desk, _params, { id }) {
      const event = desk.book.get('events', id)
      if (!event) throw noSuch('event', id)
      return presentEvent(desk, event)
    },
  }),
]
