// biome-ignore lint/suspicious/noExplicitAny: a test looks into replies of every shape, and a wrong look fails it
export type Json = any

export interface TestReply {
  status: number
  headers: Headers
  /** The parsed body; undefined without one. */
  body: Json
}

type ExtraHeaders = Record<string, string>

/** Creates an HTTP client, with or without a key. Paths are relative to /api/v1. */
export interface TestClient {
  get(path: string, headers?: ExtraHeaders): Promise<TestReply>
  post(path: string, body: unknown, headers?: ExtraHeaders): Promise<TestReply>
  patch(path: string, body: unknown, headers?: ExtraHeaders): Promise<TestReply>
  delete(path: string, headers?: ExtraHeaders): Promise<TestReply>
}

export function createClient(url: string, key: string | null): TestClient {
  const send = async (path: string, init: RequestInit): Promise<TestReply> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...init.headers },
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const sendBody = (method: string, path: string, body: unknown, headers: ExtraHeaders) =>
    send(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    get: (path, headers = {}) => send(path, { method: 'GET', headers }),
    post: (path, body, headers = {}) => sendBody('POST', path, body, headers),
    patch: (path, body, headers = {}) => sendBody('PATCH', path, body, headers),
    delete: (path, headers = {}) => send(path, { method: 'DELETE', headers }),
  }
}
