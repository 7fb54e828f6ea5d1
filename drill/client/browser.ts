import type { Installation } from '../installation/installation.ts'
import { type Answer, HttpConnection, jsonOf, type Reply, requestText } from './http-connection.ts'

const apiPath = '/console/api'
const password = 'seven quiet harbours'

interface BrowserOptions {
  /** The network address that a proxy reports for it. */
  address?: string
}

/** A person's browser at the console, as far as its requests go: one connection, with cookies. */
export class Browser {
  readonly #connection: HttpConnection
  readonly #address: string | undefined
  readonly #cookies: Map<string, string>

  constructor(origin: string, { address }: BrowserOptions = {}, cookies = new Map<string, string>()) {
    this.#connection = new HttpConnection(origin)
    this.#address = address
    this.#cookies = cookies
  }

  /** Sends a request to the console's API, and keeps the cookies of the reply. */
  async request(method: string, path: string, body?: object): Promise<Answer> {
    return this.#send(requestText(method, apiPath + path, { headers: this.#headers(), ...(body && { body }) }))
  }

  /** Sends bytes, such as a part of a file. */
  async upload(path: string, bytes: Buffer): Promise<Answer> {
    const headers = {
      ...this.#headers(),
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
      'content-length': String(bytes.length),
    }
    return this.#send(requestText('PATCH', apiPath + path, { headers }), bytes)
  }

  /** Sends a request that must succeed, and returns the reply's JSON. */
  async json<T>(method: string, path: string, body?: object): Promise<T> {
    return jsonOf<T>(requireSuccess(await this.request(method, path, body), `${method} ${path}`))
  }

  signIn(email: string, given = password): Promise<Answer> {
    return this.request('POST', '/sign-in', { email, password: given })
  }

  /** Confirms with the password who is signed in. */
  confirm(): Promise<Answer> {
    return this.request('POST', '/reauthenticate', { password })
  }

  /** Another connection of the same browser. */
  fork(origin: string): Browser {
    const options = this.#address === undefined ? {} : { address: this.#address }
    return new Browser(origin, options, this.#cookies)
  }

  close(): void {
    this.#connection.close()
  }

  #headers(): Record<string, string> {
    return {
      ...(this.#cookies.size > 0 && {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      }),
      ...(this.#address !== undefined && { 'x-forwarded-for': this.#address }),
    }
  }

  async #send(text: string, bytes?: Buffer): Promise<Answer> {
    const answer = await this.#connection.request(text, 30_000, bytes)
    if (answer.status !== null)
      for (const [, name, value] of answer.head.matchAll(/\r\nset-cookie: *([^=\s]+)=([^;\r\n]*)/gi))
        this.#cookies.set(name!, value!)
    return answer
  }
}

export function requireSuccess(answer: Answer, what: string): Reply {
  if (answer.status !== null && answer.status < 300) return answer
  throw new Error(`${what}: ${answer.status === null ? answer.loss : `${answer.status} ${answer.body}`}`)
}

/** Creates a person by command, who sets a password; returns their browser, signed in. */
export async function makePerson(
  { commands, service }: Installation,
  email: string,
  { flags = [], ...options }: BrowserOptions & { flags?: string[] } = {},
): Promise<Browser> {
  const { link } = await commands.run<{ link: string }>('users', 'create', email, '--name', 'Somebody', ...flags)
  const browser = new Browser(service.origin, options)
  const token = link.slice(link.indexOf('#') + 1)
  requireSuccess(await browser.request('POST', '/link/password', { token, password }), 'the link of a new person')
  return browser
}
