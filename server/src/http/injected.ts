import type { IncomingMessage } from 'node:http'

/** Whether the service sent the request to itself (`app.inject`), without a connection. */
export function isInjected(raw: IncomingMessage): boolean {
  return 'isLightMyRequest' in raw
}
