import { endpoint } from '../http/endpoint.ts'
import { noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import { flag, isWithin, list, moments, text } from '../http/params.ts'
import { presentEvent } from '../presenters/events.ts'

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
      return listPage({
        url: '/v1/events',
        what: 'event',
        records: desk.book.all('events'),
        matches: (event) =>
          (type === undefined || isOf(event.type, type)) &&
          (types === undefined || types.some((wanted) => isOf(event.type, wanted))) &&
          allows(delivered, !pending.has(event.id)) &&
          isWithin(event.created, created),
        page,
        present: (event) => presentEvent(desk, event),
      })
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
