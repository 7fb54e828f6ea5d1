import { type Operations, routes } from './generated/console.ts'

/** An operation of the document, by its operationId. */
export type Operation = keyof Operations

/** Those that answer with JSON; the others are files and pages, see `addressOf`. */
export type CallOperation = { [Id in Operation]: Operations[Id]['reply'] extends never ? never : Id }[Operation]

/** Parameters of the path and of the query by their names, with `body` and `headers`. */
export type CallRequest<Id extends Operation> = Operations[Id]['request']

export type RequestBody<Id extends Operation> = CallRequest<Id> extends { body: infer Body } ? Body : never

export type Reply<Id extends Operation> = Operations[Id]['reply']

/** One row of an operation that answers with a list. */
export type Row<Id extends Operation> = Reply<Id> extends { data: (infer Item)[] } ? Item : never

const root = '/console/api'

/** The address of an operation, also for a link. What is null or undefined is left out; a list repeats the name. */
export function addressOf<Id extends Operation>(id: Id, request: Omit<CallRequest<Id>, 'headers' | 'body'>): string {
  const values = { ...request } as Record<string, unknown>
  const path = routes[id].replace(/^\w+ /, '').replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    delete values[name]
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each))
  }
  return `${root}${path}${query.size > 0 ? `?${query}` : ''}`
}

export const methodOf = (id: Operation): string => routes[id].slice(0, routes[id].indexOf(' '))
