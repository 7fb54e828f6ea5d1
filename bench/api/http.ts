import type { Request } from 'autocannon'

/** A reply as it came, to be sent again by the bare route. */
export interface Sample {
  headers: Record<string, string>
  body: string
}

/** Sends one request and reads the reply; anything but 200 ends the bench, with what it said. */
export async function send(origin: string, { path, ...request }: Request): Promise<Sample> {
  const response = await fetch(origin + path, request)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${request.method} ${path} was answered ${response.status}: ${body}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  return { headers, body }
}

/** Node sets these on every reply by itself. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
