/** A reply as a caller sees it; null when the connection was refused or broke. */
export interface ApiReply {
  status: number
  headers: Headers
  body: Record<string, unknown> & { error?: { code: string } }
  /** The size of the body in bytes. */
  text: string
}

/** Sends a request as a client library does; a lost connection is a result, not an error. */
export async function sendRequest(
  api: string,
  key: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiReply | null> {
  let text: string
  let response: Response
  try {
    response = await fetch(api + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(30_000),
    })
    text = await response.text()
  } catch {
    return null
  }
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
}

/** The same, but throws for a lost connection. */
export async function sendRequestOrThrow(api: string, key: string, path: string, body?: object): Promise<ApiReply> {
  const answer = await sendRequest(api, key, path, body)
  if (answer?.status !== 200) throw new Error(`${path}: ${answer ? JSON.stringify(answer.body) : 'no answer'}`)
  return answer
}
